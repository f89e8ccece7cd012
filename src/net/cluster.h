#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "net/call.h"
#include "net/loop.h"
#include "net/settings.h"

namespace boost::asio::ssl {
class context;
}

namespace fencepost::net {

class Link;

/// What a connection is for. A broker works off one connection's requests one by one, and a JoinGroup may take minutes, so
/// purposes do not share connections.
enum class Lane : std::uint8_t { General, Group, Transactions };

enum class CoordinatorKind : std::int8_t { Group = 0, Transaction = 1 };

/// A Kafka cluster as a client sees it: where its brokers are, who coordinates what, and a way to send a request to one of them.
/// Nothing blocks; each answer comes as a callback on the loop's thread, never from within the call that asked. Retries of
/// connecting are inside, retries of requests are the caller's, but for ask_any_broker() and find_coordinators(), which go on
/// until the deadline.
///
/// Threads: the loop's only. After its destruction no callback runs any more.
class Cluster {
 public:
  /// InvalidConfig where the TLS files are of no use. Nothing is sent yet.
  [[nodiscard]] static Result<std::unique_ptr<Cluster>> create(Loop& loop, Settings settings, Log log);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// One request to one broker. Fails with InvalidConfig where it does not offer a version of at least `version_min`.
  template <class Request>
  void send(const Endpoint& to, Lane lane, Request request, Duration timeout, Callback<Request> callback,
            std::int16_t version_min = 0) {
    send_call(to, lane,
              make_call<Request>(std::make_shared<const Request>(std::move(request)), deadline_in(timeout), std::move(callback),
                                 version_min));
  }

  /// To whichever broker answers, preferably one that is connected. Only for requests that may be repeated.
  template <class Request>
  void ask_any_broker(Request request, Duration timeout, Callback<Request> callback, std::int16_t version_min = 0) {
    const auto shared = std::make_shared<const Request>(std::move(request));
    const SteadyTime deadline = deadline_in(timeout);
    ask_any({.make_call = [shared, deadline, callback,
                           version_min] { return make_call<Request>(shared, deadline, callback, version_min); },
             .deadline = deadline,
             .tried = {}});
  }

  /// Who coordinates these groups or transactional ids; one request for all of them where the broker knows how (KIP-699). A key
  /// whose coordinator is not available has its own error. Answers are remembered until forget_coordinator().
  using Coordinators = std::map<std::string, Result<Endpoint>>;
  void find_coordinators(CoordinatorKind kind, std::vector<std::string> keys, Duration timeout,
                         std::function<void(Result<Coordinators>)> callback);
  void forget_coordinator(CoordinatorKind kind, const std::string& key);

  /// All brokers, asked anew.
  void find_brokers(Duration timeout, std::function<void(Result<std::vector<Endpoint>>)> callback);

  [[nodiscard]] Loop& loop() { return loop_; }
  [[nodiscard]] const Settings& settings() const { return *settings_; }
  /// A random number in [0, 1), for the callers' own back-off.
  [[nodiscard]] double chance();

 private:
  struct AnyBroker {
    std::function<Call()> make_call;
    SteadyTime deadline;
    std::vector<Endpoint> tried;
  };
  struct Search;
  struct Random;

  Cluster(Loop& loop, Settings settings, Log log, std::shared_ptr<boost::asio::ssl::context> tls);

  [[nodiscard]] static SteadyTime deadline_in(Duration timeout) { return std::chrono::steady_clock::now() + timeout; }
  void send_call(const Endpoint& to, Lane lane, Call call);
  void ask_any(AnyBroker question);
  void answer_from_any(const Endpoint& from, AnyBroker question, Call call, Result<Answer> answer);
  void later(Duration after, std::function<void()> work);
  [[nodiscard]] std::optional<Endpoint> choose_broker(const std::vector<Endpoint>& tried);
  [[nodiscard]] Link& link(const Endpoint& endpoint, Lane lane);
  void refresh_brokers_if_old();
  void search_all(const std::shared_ptr<Search>& search);
  void search_one_by_one(const std::shared_ptr<Search>& search);
  void finish_if_complete(const std::shared_ptr<Search>& search);
  void found(Search& search, const std::string& key, std::int16_t error_code, const std::string& message, const std::string& host,
             std::int32_t port);

  Loop& loop_;
  std::shared_ptr<const Settings> settings_;
  Log log_;
  std::shared_ptr<boost::asio::ssl::context> tls_;
  std::unique_ptr<Random> random_;
  std::vector<Endpoint> brokers_;  ///< as the last Metadata named them
  SteadyTime brokers_read_;
  bool refreshing_ = false;
  std::map<std::pair<Endpoint, Lane>, std::unique_ptr<Link>> links_;
  std::map<std::pair<CoordinatorKind, std::string>, Endpoint> coordinators_;
  std::map<std::uint64_t, std::unique_ptr<Timer>> timers_;
  std::uint64_t next_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace fencepost::net
