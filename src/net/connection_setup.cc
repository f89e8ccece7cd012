#include <algorithm>
#include <utility>

#include "net/connection.h"
#include "wire/apis.h"
#include "wire/errors.h"

namespace fencepost::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

void Connection::open(Listener listener) {
  listener_ = std::move(listener);
  setup_deadline_ = std::chrono::steady_clock::now() + settings_->connect_timeout;
  arm_deadline(setup_deadline_);
  resolve();
}

void Connection::resolve() {
  resolver_.async_resolve(endpoint_.host, std::to_string(endpoint_.port), tcp::resolver::numeric_service,
                          [self = shared_from_this()](const error_code& error, const tcp::resolver::results_type& addresses) {
                            if (self->stage_ != Stage::Resolving) return;
                            if (error) return self->end({ErrorKind::Unavailable, "cannot resolve the name: " + error.message()});
                            self->connect(addresses);
                          });
}

void Connection::connect(const tcp::resolver::results_type& addresses) {
  stage_ = Stage::Connecting;
  asio::async_connect(transport_->socket(), addresses,
                      [self = shared_from_this()](const error_code& error, const tcp::endpoint&) {
                        if (self->stage_ != Stage::Connecting) return;
                        if (error) return self->end({ErrorKind::Unavailable, "cannot connect: " + error.message()});
                        error_code ignored;
                        self->transport_->socket().set_option(tcp::no_delay(true), ignored);
                        self->transport_->socket().set_option(asio::socket_base::keep_alive(true), ignored);
                        self->handshake();
                      });
}

void Connection::handshake() {
  stage_ = Stage::Handshaking;
  transport_->handshake([self = shared_from_this()](const error_code& error) {
    if (self->stage_ != Stage::Handshaking) return;
    if (error) {
      const std::string refused = self->transport_->verification_failure();
      if (!refused.empty()) return self->end({ErrorKind::Forbidden, "the broker's certificate is not trusted: " + refused});
      return self->end({ErrorKind::Unavailable, "TLS handshake failed: " + error.message()});
    }
    self->stage_ = Stage::AskingVersions;
    self->read();
    self->ask_versions(wire::ApiVersionsRequest::kApi.versions.last);
  });
}

template <class Request>
void Connection::send_setup(Request request, std::int16_t version, std::function<void(const Answer&)> done) {
  Call call = make_call<Request>(std::make_shared<const Request>(std::move(request)), setup_deadline_, {});
  // A failure means that the connection has ended, which has been reported already.
  call.done = [done = std::move(done)](const Result<Answer>& answer) {
    if (answer) done(*answer);
  };
  send_version(std::move(call), version);
}

void Connection::ask_versions(std::int16_t version) {
  send_setup(wire::ApiVersionsRequest{.client_software_name = "fencepost", .client_software_version = "1"}, version,
             [this](const Answer& answer) { versions_answered(answer); });
}

void Connection::versions_answered(const Answer& answer) {
  // A broker that does not know our version answers in version 0 (KIP-511): the code stands first in every version.
  wire::Reader peek(answer.body);
  const auto code = peek.number<std::int16_t>();
  if (code == wire::to_number(wire::ErrorCode::UnsupportedVersion) && answer.version > 0) return ask_versions(0);
  if (code != 0) return end(wire::to_error(code, "asking for its API versions"));
  const auto decoded = wire::decode<wire::ApiVersionsResponse>(answer.body, answer.version);
  if (!decoded) return end(decoded.error());
  for (const auto& range : decoded->api_keys) broker_versions_[range.api_key] = {range.min_version, range.max_version};
  if (uses_sasl(settings_->security)) return start_sasl();
  set_up();
}

void Connection::start_sasl() {
  stage_ = Stage::Authenticating;
  auto exchange = make_sasl_exchange(settings_->sasl, endpoint_.host);
  if (!exchange) return end(exchange.error());
  sasl_ = *std::move(exchange);
  send_setup(wire::SaslHandshakeRequest{.mechanism = settings_->sasl.mechanism}, 1, [this](const Answer& answer) {
    const auto decoded = wire::decode<wire::SaslHandshakeResponse>(answer.body, answer.version);
    if (!decoded) return end(decoded.error());
    if (decoded->error_code != 0) {
      std::string offered;
      for (const std::string& mechanism : decoded->mechanisms) offered += (offered.empty() ? "" : ", ") + mechanism;
      return end(wire::to_error(decoded->error_code, "sasl.mechanism " + settings_->sasl.mechanism, "it offers " + offered));
    }
    auto token = sasl_->start();
    if (!token) return end(token.error());
    sasl_token(*std::move(token));
  });
}

void Connection::sasl_token(std::string token) {
  if (--sasl_steps_left_ < 0) return end({ErrorKind::Corrupt, "the SASL exchange does not come to an end"});
  const auto known = broker_versions_.find(wire::SaslAuthenticateRequest::kApi.key);
  const std::int16_t newest = known == broker_versions_.end() ? std::int16_t{0} : known->second.last;
  send_setup(wire::SaslAuthenticateRequest{.auth_bytes = {std::move(token)}},
             std::min(newest, wire::SaslAuthenticateRequest::kApi.versions.last),
             [this](const Answer& answer) { sasl_answered(answer); });
}

void Connection::sasl_answered(const Answer& answer) {
  auto decoded = wire::decode<wire::SaslAuthenticateResponse>(answer.body, answer.version);
  if (!decoded) return end(decoded.error());
  if (decoded->error_code != 0) {
    return end(wire::to_error(decoded->error_code, "authenticating with SASL " + settings_->sasl.mechanism,
                              decoded->error_message.value_or("")));
  }
  if (!sasl_->complete() || !decoded->auth_bytes.data.empty()) {
    auto token = sasl_->step(decoded->auth_bytes.data);
    if (!token) return end(token.error());
    if (!token->empty() || !sasl_->complete()) return sasl_token(*std::move(token));
  }
  if (decoded->session_lifetime_ms > 0) {
    // Well before the broker's own limit, so that what is under way can end in peace.
    retire_at_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(decoded->session_lifetime_ms / 10 * 8);
  }
  sasl_.reset();
  set_up();
}

void Connection::set_up() {
  stage_ = Stage::Ready;
  log_.debug("connected to " + endpoint_.to_string());
  if (listener_.ready) listener_.ready();
}

}  // namespace fencepost::net
