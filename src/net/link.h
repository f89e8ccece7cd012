#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/backoff.h"
#include "net/connection.h"

namespace fencepost::net {

/// The way to one broker for one purpose: opens a connection when one is needed, again and again, with back-off between failures.
/// A request waits for the connection as long as its deadline allows; when an attempt fails, all that waited for it fail with it.
class Link {
 public:
  Link(Loop& loop, std::shared_ptr<const Settings> settings, std::shared_ptr<boost::asio::ssl::context> tls, Endpoint endpoint,
       std::function<double()> chance, Log log);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void send(Call call);

  [[nodiscard]] bool ready() const { return connection_ && connection_->ready(); }
  /// The attempt before this time would come too soon.
  [[nodiscard]] SteadyTime not_before() const { return not_before_; }
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }

 private:
  void connect_soon();
  void connect();
  void connected();
  void closed(const Error& why, bool was_ready);
  void fail_waiting(const Error& why);
  void expire_waiting();
  void retire_if_due();

  Loop& loop_;
  std::shared_ptr<const Settings> settings_;
  std::shared_ptr<boost::asio::ssl::context> tls_;
  Endpoint endpoint_;
  std::function<double()> chance_;
  Log log_;
  Backoff backoff_;
  SteadyTime not_before_;
  std::string last_failure_;
  std::shared_ptr<Connection> connection_;
  std::vector<std::shared_ptr<Connection>> retired_;  ///< finish what they carry
  std::deque<Call> waiting_;
  Timer connect_timer_;
  Timer expiry_timer_;
};

}  // namespace fencepost::net
