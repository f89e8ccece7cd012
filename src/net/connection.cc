#include "net/connection.h"

#include <algorithm>
#include <utility>

namespace fencepost::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {
constexpr std::size_t kLengthBytes = 4;
}

Connection::Connection(Loop& loop, std::shared_ptr<const Settings> settings, std::shared_ptr<asio::ssl::context> tls,
                       Endpoint endpoint, Log log)
    : loop_(loop),
      settings_(std::move(settings)),
      endpoint_(std::move(endpoint)),
      log_(std::move(log)),
      transport_(
          make_transport(loop.context(), tls, endpoint_.host, settings_->tls.verify_peer && settings_->tls.verify_hostname)),
      resolver_(loop.context()),
      deadline_timer_(loop) {}

Connection::~Connection() = default;

Result<std::int16_t> Connection::choose_version(const Call& call) const {
  const auto known = broker_versions_.find(call.api.key);
  const auto oldest = std::max(call.api.versions.first, call.version_min);
  if (known != broker_versions_.end()) {
    const auto newest = std::min(call.api.versions.last, known->second.last);
    if (newest >= std::max(oldest, known->second.first)) return newest;
  }
  const std::string offers = known == broker_versions_.end()
                                 ? "does not offer it"
                                 : "offers " + std::to_string(known->second.first) + " to " + std::to_string(known->second.last);
  return failure(ErrorKind::InvalidConfig, std::string(call.api.name) + " in version " + std::to_string(oldest) + " to " +
                                               std::to_string(call.api.versions.last) + " is needed, the broker " +
                                               endpoint_.to_string() + " " + offers);
}

void Connection::send(Call call) {
  const auto version = choose_version(call);
  if (version) return send_version(std::move(call), *version);
  loop_.post([done = std::move(call.done), error = version.error()] { done(Failure(error)); });
}

void Connection::send_version(Call call, std::int16_t version) {
  const wire::CorrelationId correlation = next_correlation_;
  next_correlation_ = next_correlation_ == 0x7fffffff ? 1 : next_correlation_ + 1;
  auto frame = call.encode(version, correlation, settings_->client_id);
  if (!frame) {
    loop_.post([done = std::move(call.done), error = std::move(frame).error()] { done(Failure(error)); });
    return;
  }
  arm_deadline(call.deadline);
  in_flight_.push_back({std::move(call), version, correlation});
  const bool idle = outbox_.empty() && writing_.empty();
  outbox_ += *frame;
  // One turn of the loop later, so that requests made together leave in one packet.
  if (idle)
    loop_.post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->flush();
    });
}

void Connection::flush() {
  if (stage_ == Stage::Closed || !writing_.empty() || outbox_.empty()) return;
  writing_ = std::exchange(outbox_, {});
  transport_->write(asio::buffer(writing_), [self = shared_from_this()](const error_code& error, std::size_t) {
    self->writing_.clear();
    if (self->stage_ == Stage::Closed) return;
    if (error) return self->end({ErrorKind::Unavailable, "the connection broke while sending: " + error.message()});
    self->flush();
  });
}

void Connection::read() {
  transport_->read_some(asio::buffer(chunk_), [self = shared_from_this()](const error_code& error, std::size_t bytes) {
    if (self->stage_ == Stage::Closed) return;
    if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) {
      return self->end({ErrorKind::Unavailable, "the broker closed the connection"});
    }
    if (error) return self->end({ErrorKind::Unavailable, "the connection broke: " + error.message()});
    self->received(bytes);
  });
}

void Connection::received(std::size_t bytes) {
  // Memory grows with what has come, never with what a length claims.
  inbox_.append(chunk_.data(), bytes);
  while (next_frame()) {
  }
  if (stage_ == Stage::Closed) return;
  inbox_.erase(0, std::exchange(inbox_read_, 0));
  read();
}

bool Connection::next_frame() {
  const std::string_view rest = std::string_view(inbox_).substr(inbox_read_);
  if (rest.size() < kLengthBytes) return false;
  const auto length = wire::Reader(rest).number<std::int32_t>();
  if (length < 4 || static_cast<std::size_t>(length) > settings_->frame_bytes_max) {
    end({ErrorKind::Corrupt,
         "a frame claims " + std::to_string(length) + " bytes; is this a Kafka listener with security.protocol as set?"});
    return false;
  }
  const auto size = static_cast<std::size_t>(length);
  if (rest.size() - kLengthBytes < size) return false;
  inbox_read_ += kLengthBytes + size;
  return answered(rest.substr(kLengthBytes, size));
}

bool Connection::answered(std::string_view frame) {
  const auto correlation = wire::response_correlation(frame);
  if (!correlation || in_flight_.empty() || *correlation != in_flight_.front().correlation) {
    end({ErrorKind::Corrupt, "an answer came that belongs to no request"});
    return false;
  }
  InFlight request = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (in_flight_.empty() && stage_ == Stage::Ready) deadline_timer_.cancel();
  const auto body = wire::response_body(frame, request.call.api.key, request.call.api.flexible(request.version));
  if (!body) {
    request.call.done(Failure(body.error()));
    end(body.error());
    return false;
  }
  // The callback may drop the last owner of this connection or end it.
  const auto self = shared_from_this();
  request.call.done(Answer{.version = request.version, .body = *body});
  return stage_ != Stage::Closed;
}

void Connection::arm_deadline(SteadyTime deadline) {
  if (deadline_timer_.running() && deadline_armed_ <= deadline) return;
  deadline_armed_ = deadline;
  deadline_timer_.start_at(deadline, [this] { deadline_passed(); });
}

void Connection::deadline_passed() {
  const auto now = std::chrono::steady_clock::now();
  auto earliest = SteadyTime::max();
  if (stage_ != Stage::Ready) earliest = setup_deadline_;
  for (const InFlight& request : in_flight_) earliest = std::min(earliest, request.call.deadline);
  if (earliest == SteadyTime::max()) return;
  if (earliest > now) return arm_deadline(earliest);
  end({ErrorKind::Timeout, stage_ == Stage::Ready ? "no answer in time" : "not connected in time, it was still " + stage_name()});
}

std::string Connection::stage_name() const {
  switch (stage_) {
    case Stage::Resolving:
      return "resolving the name";
    case Stage::Connecting:
      return "connecting";
    case Stage::Handshaking:
      return "in the TLS handshake";
    case Stage::AskingVersions:
      return "asking for API versions (does the listener expect TLS?)";
    case Stage::Authenticating:
      return "authenticating";
    case Stage::Ready:
      return "ready";
    case Stage::Closed:
      return "closed";
  }
  return "unknown";
}

void Connection::end(Error why) {
  const bool was_ready = stage_ == Stage::Ready;
  const Error full = std::move(why).while_doing("broker " + endpoint_.to_string());
  const auto self = shared_from_this();
  const Listener listener = std::exchange(listener_, {});
  close(full);
  if (listener.closed) listener.closed(full, was_ready);
}

void Connection::close(const Error& why) {
  if (stage_ == Stage::Closed) return;
  stage_ = Stage::Closed;
  listener_ = {};
  deadline_timer_.cancel();
  resolver_.cancel();
  transport_->close();
  auto failed = std::exchange(in_flight_, {});
  for (InFlight& request : failed) {
    loop_.post([done = std::move(request.call.done), why] { done(Failure(why)); });
  }
}

void Connection::abandon() {
  in_flight_.clear();
  close({ErrorKind::Unavailable, "abandoned"});
}

}  // namespace fencepost::net
