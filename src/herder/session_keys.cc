#include "herder/session_keys.h"

#include <utility>

namespace fencepost::herder {

namespace {
constexpr Duration kRetry = std::chrono::seconds(1);
}

void SessionKeys::lead(bool leads) {
  if (leads == leads_) return;
  leads_ = leads;
  next_.reset();
  failing_.reset();
  if (leads_) make();
}

void SessionKeys::make() {
  next_.reset();
  if (making_) return;
  making_ = true;
  const RequestId id = questions_.ask("making a session key", std::nullopt, [this](const Answer& answer) {
    if (!answer || !leads_) {
      making_ = false;
      if (!answer && leads_) failed(answer.error());
      return;
    }
    protocol::SessionKey key{.secret = *answer, .algorithm = options_.session_keys.generation_algorithm, .created = turn_.now()};
    writer_.submit("distributing a session key", [this, key = std::move(key)](const ConfigWriter::Done& done) {
      if (!leads_) {
        making_ = false;
        return done();
      }
      const auto finish = [this, done](const Answer& written) {
        making_ = false;
        if (!written) {
          failed(written.error());
        } else {
          failing_.reset();
          if (leads_) next_ = turn_.now() + options_.session_keys.ttl;
        }
        done();
      };
      log_.read_to_end_as_leader("a session key is to be distributed", [this, key, finish](const Answer& read) {
        if (!read) return finish(read);
        log_.write({protocol::session_key_record(key)}, true, "session key", finish);
      });
    });
  });
  turn_.order(MakeSessionKey{
      .request = id, .algorithm = options_.session_keys.generation_algorithm, .key_bytes = options_.session_keys.key_bytes});
}

void SessionKeys::failed(const Error& why) {
  if (leads_) next_ = turn_.now() + kRetry;
  if (!failing_) failing_ = Stage{.component = "session key", .doing = {}, .since_ms = turn_.now().time_since_epoch().count()};
  const std::string doing = "trying to make a session key for the workers' requests to one another: " + why.message();
  if (std::exchange(failing_->doing, doing) != doing) turn_.note(LogLevel::Warn, "", doing + "; tried again every second");
}

std::optional<Stage> SessionKeys::stage() const { return failing_ ? failing_ : questions_.oldest("session key"); }

void SessionKeys::on_time() {
  if (leads_ && next_ && *next_ <= turn_.now()) make();
}

Result<std::optional<SignedRequest>> SessionKeys::sign(protocol::ConnectProtocol protocol, const std::string& body) const {
  if (protocol != protocol::ConnectProtocol::Sessioned) return std::optional<SignedRequest>();
  if (!configs_.session_key()) {
    return failure(ErrorKind::Unavailable,
                   "no session key has been read from the config topic yet, so a request to the leader cannot be signed");
  }
  const std::string& algorithm = options_.session_keys.signature_algorithm;
  FENCEPOST_TRY(std::string mac, protocol::sign(*configs_.session_key(), algorithm, body));
  return std::optional(SignedRequest{.algorithm = algorithm, .mac_base64 = std::move(mac)});
}

Result<void> SessionKeys::verify(protocol::ConnectProtocol protocol, const Signature& signature) const {
  return protocol::verify(protocol, {.signature = signature.mac_base64, .algorithm = signature.algorithm, .body = signature.body},
                          options_.session_keys.verification_algorithms, configs_.session_key());
}

}  // namespace fencepost::herder
