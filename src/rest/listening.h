#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "rest/connection.h"

namespace fencepost::rest {

/// The threads that connections live on.
class IoThreads {
 public:
  explicit IoThreads(std::size_t count);
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  /// Each in turn.
  [[nodiscard]] const std::shared_ptr<IoThread>& next();
  [[nodiscard]] const std::shared_ptr<IoThread>& first() const;
  /// Ends idle connections at once and the others when they are answered, at the latest after `farewell`; then the threads.
  void close(std::chrono::milliseconds farewell);

 private:
  struct Running;
  std::vector<std::unique_ptr<Running>> running_;
  std::size_t turn_ = 0;
};

/// Accepts connections on one address and deals them out to the threads.
class Listening : public std::enable_shared_from_this<Listening> {
 public:
  /// Errors: InvalidConfig for a host that is no address of this machine, Unavailable for a port in use.
  [[nodiscard]] static Result<std::shared_ptr<Listening>> open(const Endpoint& endpoint, IoThreads& threads, const Log& log);

  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  void start(std::shared_ptr<const ConnectionSettings> settings);
  /// Any thread; returns at once.
  void stop();

 private:
  Listening(Endpoint endpoint, IoThreads& threads, Log log);
  void accept();

  Endpoint endpoint_;
  IoThreads& threads_;
  Log log_;
  std::shared_ptr<IoThread> home_;
  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::steady_timer pause_;
  std::shared_ptr<const ConnectionSettings> settings_;
};

}  // namespace fencepost::rest
