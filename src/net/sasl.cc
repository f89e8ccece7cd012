#include "net/sasl.h"

#include <sasl/sasl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace fencepost::net {
namespace {

constexpr std::array<std::string_view, 4> kMechanisms{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI"};

// Cyrus wants to be initialised once a process and is then used by several threads.
int initialise_cyrus() {
  static const int result = sasl_client_init(nullptr);
  return result;
}

// Cyrus keeps callbacks of several signatures as one type and casts them back by their id.
template <class Function>
int (*as_callback(Function* function))() {
  return reinterpret_cast<int (*)()>(reinterpret_cast<void (*)()>(function));
}

class CyrusExchange final : public SaslExchange {
 public:
  explicit CyrusExchange(const SaslSettings& settings) : settings_(settings) {
    // sasl_secret_t ends in an array of one byte that really is as long as the password.
    secret_.resize(sizeof(sasl_secret_t) + settings_.password.size());
    auto* secret = reinterpret_cast<sasl_secret_t*>(secret_.data());
    secret->len = settings_.password.size();
    std::memcpy(secret->data, settings_.password.data(), settings_.password.size());
    callbacks_ = {{{SASL_CB_USER, as_callback(&give_nothing), this},
                   {SASL_CB_AUTHNAME, as_callback(&give_name), this},
                   {SASL_CB_PASS, as_callback(&give_secret), this},
                   {SASL_CB_LIST_END, nullptr, nullptr}}};
  }
  ~CyrusExchange() override {
    if (connection_ != nullptr) sasl_dispose(&connection_);
    std::fill(secret_.begin(), secret_.end(), '\0');
  }
  CyrusExchange(const CyrusExchange&) = delete;
  CyrusExchange& operator=(const CyrusExchange&) = delete;

  Result<void> open(const std::string& host) {
    const std::string service = settings_.mechanism == "GSSAPI" ? settings_.kerberos_service : "kafka";
    const int result = sasl_client_new(service.c_str(), host.c_str(), nullptr, nullptr, callbacks_.data(), 0, &connection_);
    if (result != SASL_OK) return said_no(result);
    // No layer of encryption by SASL: Kafka knows none, TLS is for that.
    sasl_security_properties_t properties{};
    properties.max_ssf = 0;
    sasl_setprop(connection_, SASL_SEC_PROPS, &properties);
    return {};
  }

  Result<std::string> start() override {
    const char* out = nullptr;
    unsigned size = 0;
    const char* chosen = nullptr;
    const int result = sasl_client_start(connection_, settings_.mechanism.c_str(), nullptr, &out, &size, &chosen);
    return finish_step(result, out, size);
  }

  Result<std::string> step(std::string_view challenge) override {
    const char* out = nullptr;
    unsigned size = 0;
    const auto length = static_cast<unsigned>(challenge.size());
    const int result = sasl_client_step(connection_, challenge.data(), length, nullptr, &out, &size);
    return finish_step(result, out, size);
  }

  bool complete() const override { return complete_; }

 private:
  // The authorization id: Kafka allows none but the user's own name, which is what none means.
  static int give_nothing(void*, int, const char** name, unsigned* size) {
    *name = "";
    if (size != nullptr) *size = 0;
    return SASL_OK;
  }
  static int give_name(void* self, int, const char** name, unsigned* size) {
    const std::string& user = static_cast<CyrusExchange*>(self)->settings_.username;
    *name = user.c_str();
    if (size != nullptr) *size = static_cast<unsigned>(user.size());
    return SASL_OK;
  }
  static int give_secret(sasl_conn_t*, void* self, int, sasl_secret_t** secret) {
    *secret = reinterpret_cast<sasl_secret_t*>(static_cast<CyrusExchange*>(self)->secret_.data());
    return SASL_OK;
  }

  Result<std::string> finish_step(int result, const char* out, unsigned size) {
    if (result != SASL_OK && result != SASL_CONTINUE) return said_no(result);
    complete_ = result == SASL_OK;
    return out == nullptr ? std::string{} : std::string(out, size);
  }

  Failure said_no(int result) const {
    std::string why = connection_ != nullptr ? sasl_errdetail(connection_) : sasl_errstring(result, nullptr, nullptr);
    const ErrorKind kind = result == SASL_NOMECH ? ErrorKind::InvalidConfig : ErrorKind::Forbidden;
    if (result == SASL_NOMECH)
      why += " (its Cyrus SASL plugin is not installed: libsasl2-modules, for GSSAPI libsasl2-modules-gssapi-mit)";
    return failure(kind, "SASL " + settings_.mechanism + ": " + why);
  }

  SaslSettings settings_;
  std::vector<char> secret_;
  std::array<sasl_callback_t, 4> callbacks_{};
  sasl_conn_t* connection_ = nullptr;
  bool complete_ = false;
};

}  // namespace

Result<std::unique_ptr<SaslExchange>> make_sasl_exchange(const SaslSettings& settings, const std::string& host) {
  if (std::find(kMechanisms.begin(), kMechanisms.end(), settings.mechanism) == kMechanisms.end()) {
    return failure(ErrorKind::InvalidConfig, "sasl.mechanism: '" + settings.mechanism +
                                                 "' is not supported; use PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or GSSAPI");
  }
  if (settings.mechanism != "GSSAPI" && (settings.username.empty() || settings.password.empty())) {
    return failure(ErrorKind::InvalidConfig, "sasl.mechanism " + settings.mechanism + " needs a user name and a password");
  }
  if (const int result = initialise_cyrus(); result != SASL_OK) {
    return failure(ErrorKind::InvalidConfig, std::string("Cyrus SASL cannot start: ") + sasl_errstring(result, nullptr, nullptr));
  }
  auto exchange = std::make_unique<CyrusExchange>(settings);
  FENCEPOST_CHECK(exchange->open(host));
  return exchange;
}

}  // namespace fencepost::net
