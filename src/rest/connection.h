#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "rest/asio.h"
#include "rest/http.h"
#include "rest/stream.h"
#include "rest/transport.h"

namespace fencepost::rest {

using SteadyClock = std::chrono::steady_clock;

class Connection;

/// One thread with its sockets. Connections stay on their thread, so that nothing of them needs a lock.
struct IoThread {
  boost::asio::io_context context{1};
  boost::asio::steady_timer sweep{context};
  std::set<std::shared_ptr<Connection>> connections;
  bool closing = false;
};

/// What all connections of a listener share.
struct ConnectionSettings {
  Transport::Limits limits;
  std::shared_ptr<TlsContext> tls;  ///< null: plain HTTP
  std::function<void(HttpReply&)> decorate;
  /// Takes a request to its handler; the answer comes by Connection::answer.
  std::function<Transport::Patience(const std::shared_ptr<Connection>&, std::uint64_t exchange, HttpRequest)> dispatch;
};

/// One client's connection: reads a request, has it answered, writes the answer, reads the next one.
///
/// Threads: all on its IoThread, except answer(). Whoever holds one keeps the thread's context alive.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<IoThread> thread, Socket socket, std::shared_ptr<const ConnectionSettings> settings);

  void start();
  /// Any thread. Dropped unless it is this exchange that waits for its answer.
  void answer(std::uint64_t exchange, HttpReply reply);
  /// Closes what has been silent for too long, and answers for a handler that took too long.
  void check_deadline(SteadyClock::time_point now);
  /// No further request; closes at once where none is under way.
  void finish();
  void close();

 private:
  enum class State : std::uint8_t { ShakingHands, ReadingHead, ReadingBody, Handling, Writing, Draining, Closed };
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;
  using ErrorCode = boost::beast::error_code;

  void read_head();
  void on_head(ErrorCode error);
  void invite_body();
  void read_body();
  void on_body(ErrorCode error);
  void handle();
  void refuse(ErrorCode error);
  void refuse(int status, std::string_view message);
  void write(HttpReply reply);
  void on_written(ErrorCode error);
  void drain();
  void enter(State state, std::chrono::milliseconds allowed);
  [[nodiscard]] int status_of_long_head() const;

  std::shared_ptr<IoThread> thread_;
  Stream socket_;
  std::shared_ptr<const ConnectionSettings> settings_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  State state_ = State::ReadingHead;
  SteadyClock::time_point deadline_;
  std::function<HttpReply()> too_late_;
  std::uint64_t exchange_ = 0;  ///< the number of the request that is under way
  bool keep_alive_ = true;
  bool is_head_request_ = false;
  bool is_http_1_0_ = false;
  bool unread_body_ = false;  ///< the client may still be sending what nobody will read
  std::string head_;
  std::string body_;
  std::array<char, 4096> sink_{};
};

}  // namespace fencepost::rest
