#include "net/link.h"

#include <algorithm>
#include <utility>

namespace fencepost::net {

Link::Link(Loop& loop, std::shared_ptr<const Settings> settings, std::shared_ptr<boost::asio::ssl::context> tls,
           Endpoint endpoint, std::function<double()> chance, Log log)
    : loop_(loop),
      settings_(std::move(settings)),
      tls_(std::move(tls)),
      endpoint_(std::move(endpoint)),
      chance_(std::move(chance)),
      log_(std::move(log)),
      backoff_(settings_->reconnect_backoff, settings_->reconnect_backoff_max),
      connect_timer_(loop),
      expiry_timer_(loop) {}

Link::~Link() {
  if (connection_) connection_->abandon();
  for (const auto& connection : retired_) connection->abandon();
}

void Link::send(Call call) {
  retire_if_due();
  if (ready()) return connection_->send(std::move(call));
  waiting_.push_back(std::move(call));
  expire_waiting();
  if (!connection_) connect_soon();
}

void Link::connect_soon() {
  if (connect_timer_.running()) return;
  if (std::chrono::steady_clock::now() >= not_before_) return connect();
  connect_timer_.start_at(not_before_, [this] { connect(); });
}

void Link::connect() {
  connection_ = std::make_shared<Connection>(loop_, settings_, tls_, endpoint_, log_);
  connection_->open(
      {.ready = [this] { connected(); }, .closed = [this](const Error& why, bool was_ready) { closed(why, was_ready); }});
}

void Link::connected() {
  backoff_.reset();
  if (!last_failure_.empty()) log_.info("reached broker " + endpoint_.to_string() + " again");
  last_failure_.clear();
  expiry_timer_.cancel();
  auto calls = std::exchange(waiting_, {});
  for (Call& call : calls) connection_->send(std::move(call));
}

void Link::closed(const Error& why, bool was_ready) {
  // Brokers cut idle connections; that is no news. A connection that never stood is, once for each new reason.
  if (was_ready && why.kind() == ErrorKind::Unavailable) {
    log_.debug(why.message());
  } else if (why.message() != last_failure_) {
    log_.warn(why.message());
    last_failure_ = why.message();
  }
  connection_.reset();
  not_before_ = std::chrono::steady_clock::now() + backoff_.next(chance_());
  fail_waiting(why);
}

void Link::fail_waiting(const Error& why) {
  expiry_timer_.cancel();
  auto calls = std::exchange(waiting_, {});
  for (Call& call : calls) {
    loop_.post([done = std::move(call.done), why] { done(Failure(why)); });
  }
}

// Fails those whose time is over and sets the timer for the next one.
void Link::expire_waiting() {
  const auto now = std::chrono::steady_clock::now();
  auto next = SteadyTime::max();
  std::deque<Call> kept;
  for (Call& call : waiting_) {
    if (call.deadline > now) {
      next = std::min(next, call.deadline);
      kept.push_back(std::move(call));
      continue;
    }
    Error late(ErrorKind::Timeout, "broker " + endpoint_.to_string() + ": not connected in time" +
                                       (last_failure_.empty() ? "" : " (" + last_failure_ + ")"));
    loop_.post([done = std::move(call.done), late = std::move(late)] { done(Failure(late)); });
  }
  waiting_ = std::move(kept);
  if (next != SteadyTime::max()) expiry_timer_.start_at(next, [this] { expire_waiting(); });
}

void Link::retire_if_due() {
  std::erase_if(retired_, [](const auto& connection) {
    const bool idle = connection->in_flight() == 0;
    if (idle) connection->abandon();
    return idle;
  });
  if (!ready() || !connection_->retire_at() || std::chrono::steady_clock::now() < *connection_->retire_at()) return;
  connection_->forget_listener();
  retired_.push_back(std::exchange(connection_, nullptr));
}

}  // namespace fencepost::net
