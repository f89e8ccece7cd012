#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "net/asio.h"
#include "net/call.h"
#include "net/sasl.h"
#include "net/settings.h"
#include "net/transport.h"

namespace fencepost::net {

/// One connection to one broker, from the first packet to its end; it is never revived. Setting it up means: resolve, connect,
/// TLS, ApiVersions, SASL. Then requests go out at once, one behind the other, and answers come back in the same order, as Kafka
/// promises.
///
/// Whatever breaks that order or a frame's bounds ends the connection, and so does a request whose deadline passes: the answers
/// behind it could not be told from its own. All requests under way then fail.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  struct Listener {
    std::function<void()> ready;
    /// Called once. `was_ready` tells a broken connection from one that never stood.
    std::function<void(const Error& why, bool was_ready)> closed;
  };

  Connection(Loop& loop, std::shared_ptr<const Settings> settings, std::shared_ptr<boost::asio::ssl::context> tls,
             Endpoint endpoint, Log log);
  ~Connection();

  void open(Listener listener);
  /// Only once it is ready.
  void send(Call call);
  /// Fails what is under way. The listener is not called.
  void close(const Error& why);
  /// Goes on with what is under way but reports its end to nobody.
  void forget_listener() { listener_ = {}; }
  /// Ends it without a word: nobody is there any more to hear of it.
  void abandon();

  [[nodiscard]] bool ready() const { return stage_ == Stage::Ready; }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_.size(); }
  /// From then on new requests belong on a new connection: the broker will drop this one for its SASL session's age (KIP-368).
  [[nodiscard]] std::optional<SteadyTime> retire_at() const { return retire_at_; }

 private:
  enum class Stage : unsigned char { Resolving, Connecting, Handshaking, AskingVersions, Authenticating, Ready, Closed };
  struct InFlight {
    Call call;
    std::int16_t version;
    wire::CorrelationId correlation;
  };

  // setting up (connection_setup.cc)
  void resolve();
  void connect(const boost::asio::ip::tcp::resolver::results_type& addresses);
  void handshake();
  void ask_versions(std::int16_t version);
  void versions_answered(const Answer& answer);
  void start_sasl();
  void sasl_token(std::string token);
  void sasl_answered(const Answer& answer);
  void set_up();
  template <class Request>
  void send_setup(Request request, std::int16_t version, std::function<void(const Answer&)> done);

  // at work
  [[nodiscard]] Result<std::int16_t> choose_version(const Call& call) const;
  void send_version(Call call, std::int16_t version);
  void flush();
  void read();
  void received(std::size_t bytes);
  [[nodiscard]] bool next_frame();
  [[nodiscard]] bool answered(std::string_view frame);
  void arm_deadline(SteadyTime deadline);
  void deadline_passed();
  void end(Error why);
  [[nodiscard]] std::string stage_name() const;

  Loop& loop_;
  std::shared_ptr<const Settings> settings_;
  Endpoint endpoint_;
  Log log_;
  Listener listener_;
  Stage stage_ = Stage::Resolving;
  std::unique_ptr<Transport> transport_;
  boost::asio::ip::tcp::resolver resolver_;
  std::unique_ptr<SaslExchange> sasl_;
  int sasl_steps_left_ = 20;
  std::optional<SteadyTime> retire_at_;
  std::map<std::int16_t, wire::Versions> broker_versions_;

  std::deque<InFlight> in_flight_;
  wire::CorrelationId next_correlation_ = 1;
  std::string outbox_;   ///< frames not yet handed to the socket
  std::string writing_;  ///< frames that the socket is writing
  std::string inbox_;
  std::size_t inbox_read_ = 0;
  std::array<char, 64 * 1024> chunk_{};
  Timer deadline_timer_;
  SteadyTime deadline_armed_;
  SteadyTime setup_deadline_;
};

}  // namespace fencepost::net
