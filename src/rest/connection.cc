#include "rest/connection.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace fencepost::rest {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kHandshakeTimeout = 10s;
constexpr std::chrono::milliseconds kWriteTimeout = 120s;
constexpr std::chrono::milliseconds kDrainTimeout = 10s;

/// RFC 9110: an origin server with a clock dates its answers. Formatted once a second.
std::string_view http_date() {
  thread_local std::time_t formatted_at = 0;
  thread_local std::string text;
  const std::time_t now = std::time(nullptr);
  if (now != formatted_at) {
    text = fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(now));
    formatted_at = now;
  }
  return text;
}

std::string make_head(const HttpReply& reply, bool keep_alive, bool is_http_1_0) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nDate: {}\r\n", reply.status, reason_of(reply.status), http_date());
  for (const auto& [name, value] : reply.headers) fmt::format_to(std::back_inserter(head), "{}: {}\r\n", name, value);
  if (reply.status != 204) fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", reply.body.size());
  if (!keep_alive) {
    head += "Connection: close\r\n";
  } else if (is_http_1_0) {
    head += "Connection: keep-alive\r\n";
  }
  head += "\r\n";
  return head;
}

}  // namespace

Connection::Connection(std::shared_ptr<IoThread> thread, Socket socket, std::shared_ptr<const ConnectionSettings> settings)
    : thread_(std::move(thread)), socket_(std::move(socket), settings->tls), settings_(std::move(settings)) {}

void Connection::start() {
  ErrorCode ignored;
  socket_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  if (!socket_.is_tls()) return read_head();
  enter(State::ShakingHands, std::min(settings_->limits.idle, kHandshakeTimeout));
  socket_.async_handshake([self = shared_from_this()](ErrorCode error) {
    if (self->state_ != State::ShakingHands) return;
    error ? self->close() : self->read_head();
  });
}

void Connection::enter(State state, std::chrono::milliseconds allowed) {
  state_ = state;
  deadline_ = SteadyClock::now() + allowed;
}

void Connection::read_head() {
  if (thread_->closing) return close();
  ++exchange_;
  enter(State::ReadingHead, settings_->limits.idle);
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(settings_->limits.header_bytes_max));
  parser_->body_limit(settings_->limits.body_bytes_max);
  http::async_read_header(socket_, buffer_, *parser_,
                          [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_head(error); });
}

void Connection::on_head(ErrorCode error) {
  if (state_ != State::ReadingHead) return;
  if (error) return refuse(error);
  const auto& request = parser_->get();
  keep_alive_ = request.keep_alive();
  is_http_1_0_ = request.version() == 10;
  is_head_request_ = request.method() == http::verb::head;
  if (parser_->is_done()) return handle();
  const auto expectation = request[http::field::expect];
  if (expectation.empty() || is_http_1_0_) return read_body();
  if (!equals_ignoring_case({expectation.data(), expectation.size()}, "100-continue")) {
    unread_body_ = true;
    return refuse(417, "HTTP 417 Expectation Failed: only 100-continue is known");
  }
  invite_body();
}

void Connection::invite_body() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  enter(State::ReadingBody, settings_->limits.idle);
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [self = shared_from_this()](ErrorCode error, std::size_t) {
                      if (self->state_ != State::ReadingBody) return;
                      error ? self->close() : self->read_body();
                    });
}

void Connection::read_body() {
  enter(State::ReadingBody, settings_->limits.idle);
  http::async_read_some(socket_, buffer_, *parser_,
                        [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_body(error); });
}

void Connection::on_body(ErrorCode error) {
  if (state_ != State::ReadingBody) return;
  if (error) return refuse(error);
  parser_->is_done() ? handle() : read_body();
}

void Connection::handle() {
  auto message = parser_->release();
  HttpRequest request;
  request.method = std::string(message.method_string());
  request.target = std::string(message.target());
  for (const auto& field : message) request.headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
  request.body = std::move(message.body());
  enter(State::Handling, 0ms);
  too_late_ = nullptr;
  const std::uint64_t exchange = exchange_;
  auto patience = settings_->dispatch(shared_from_this(), exchange, std::move(request));
  if (state_ != State::Handling || exchange_ != exchange) return;
  enter(State::Handling, patience.allowed);
  too_late_ = std::move(patience.too_late);
}

void Connection::answer(std::uint64_t exchange, HttpReply reply) {
  asio::dispatch(socket_.get_executor(), [self = shared_from_this(), exchange, reply = std::move(reply)]() mutable {
    if (self->state_ == State::Handling && self->exchange_ == exchange) self->write(std::move(reply));
  });
}

int Connection::status_of_long_head() const {
  const bool was_line_read = !parser_->get().target().empty();
  if (was_line_read) return 431;
  const auto data = buffer_.cdata();
  const std::string_view read(static_cast<const char*>(data.data()), data.size());
  const auto line_end = read.find("\r\n");
  return line_end == std::string_view::npos || line_end > settings_->limits.header_bytes_max ? 414 : 431;
}

/// Answers what could not be read as a request, or closes where nobody is left to answer.
void Connection::refuse(ErrorCode error) {
  if (error == http::error::end_of_stream || error.category() != make_error_code(http::error::bad_method).category() ||
      error == http::error::partial_message) {
    return close();
  }
  unread_body_ = true;
  if (error == http::error::header_limit) {
    const int status = status_of_long_head();
    return refuse(status, fmt::format("HTTP {} {}: request line and headers may have {} bytes", status, reason_of(status),
                                      settings_->limits.header_bytes_max));
  }
  if (error == http::error::body_limit) {
    return refuse(413, fmt::format("HTTP 413 {}: a body may have {} bytes (rest.request.max.bytes)", reason_of(413),
                                   settings_->limits.body_bytes_max));
  }
  if (error == http::error::bad_version) return refuse(505, "HTTP 505 HTTP Version Not Supported");
  refuse(400, "HTTP 400 Bad Request: " + error.message());
}

void Connection::refuse(int status, std::string_view message) {
  keep_alive_ = false;
  HttpReply reply = error_reply(status, message);
  settings_->decorate(reply);
  write(std::move(reply));
}

void Connection::write(HttpReply reply) {
  if (thread_->closing) keep_alive_ = false;
  enter(State::Writing, kWriteTimeout);
  head_ = make_head(reply, keep_alive_, is_http_1_0_);
  body_ = is_head_request_ ? std::string() : std::move(reply.body);
  const std::array<asio::const_buffer, 2> buffers{asio::buffer(head_), asio::buffer(body_)};
  asio::async_write(socket_, buffers, [self = shared_from_this()](ErrorCode error, std::size_t) { self->on_written(error); });
}

void Connection::on_written(ErrorCode error) {
  if (state_ != State::Writing) return;
  if (error) return close();
  if (keep_alive_) return read_head();
  ErrorCode ignored;
  socket_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  if (!unread_body_) return close();
  enter(State::Draining, kDrainTimeout);
  drain();
}

/// A socket that is closed with unread bytes resets the connection, and the client, which may still be sending, never sees the
/// answer: so read on for a while.
void Connection::drain() {
  socket_.async_read_some(asio::buffer(sink_), [self = shared_from_this()](ErrorCode error, std::size_t) {
    if (self->state_ != State::Draining) return;
    error ? self->close() : self->drain();
  });
}

void Connection::check_deadline(SteadyClock::time_point now) {
  if (state_ == State::Closed || now < deadline_) return;
  if (state_ != State::Handling) return close();
  HttpReply reply = too_late_ ? too_late_() : plain_error(500);
  settings_->decorate(reply);
  write(std::move(reply));
}

void Connection::finish() {
  const bool is_idle = state_ == State::ShakingHands || (state_ == State::ReadingHead && buffer_.size() == 0);
  if (is_idle) close();
}

void Connection::close() {
  if (state_ == State::Closed) return;
  state_ = State::Closed;
  ErrorCode ignored;
  socket_.socket().close(ignored);
  thread_->connections.erase(shared_from_this());
}

}  // namespace fencepost::rest
