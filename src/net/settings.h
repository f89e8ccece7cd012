#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/endpoint.h"
#include "base/error.h"
#include "base/properties.h"
#include "base/time.h"

namespace fencepost::net {

using fencepost::Endpoint;

enum class SecurityProtocol : std::uint8_t { Plaintext, Ssl, SaslPlaintext, SaslSsl };

[[nodiscard]] constexpr bool uses_tls(SecurityProtocol p) { return p == SecurityProtocol::Ssl || p == SecurityProtocol::SaslSsl; }
[[nodiscard]] constexpr bool uses_sasl(SecurityProtocol p) {
  return p == SecurityProtocol::SaslPlaintext || p == SecurityProtocol::SaslSsl;
}

/// Files and texts are PEM, the keystore is PKCS12. Of a pair (location, pem) at most one is given.
struct TlsSettings {
  std::string ca_location;  ///< empty together with ca_pem: the system's certificates
  std::string ca_pem;
  std::string certificate_location;
  std::string certificate_pem;
  std::string key_location;
  std::string key_pem;
  std::string key_password;
  std::string keystore_location;
  std::string keystore_password;
  std::string cipher_suites;  ///< OpenSSL's list; empty: its default
  bool verify_peer = true;
  bool verify_hostname = true;  ///< ssl.endpoint.identification.algorithm=https
};

struct SaslSettings {
  std::string mechanism;  ///< PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, GSSAPI
  std::string username;
  std::string password;
  std::string kerberos_service = "kafka";
};

/// How to reach a Kafka cluster. Printed by nobody: it holds passwords.
struct Settings {
  std::vector<Endpoint> bootstrap;
  SecurityProtocol security = SecurityProtocol::Plaintext;
  TlsSettings tls;
  SaslSettings sasl;
  std::string client_id = "fencepost";
  Duration connect_timeout{10'000};  ///< from the first packet to the last answer of SASL
  Duration request_timeout{40'000};
  Duration reconnect_backoff{50};
  Duration reconnect_backoff_max{1'000};
  Duration retry_backoff{100};
  Duration metadata_max_age{300'000};
  std::size_t frame_bytes_max = 100 * 1024 * 1024;  ///< of an answer; a longer one ends the connection
};

/// From settings under librdkafka's names (bootstrap.servers, security.protocol, ssl.*, sasl.*), so that one translation of
/// Java's settings serves both clients. Names that mean nothing here are passed over.
[[nodiscard]] Result<Settings> settings_from(const Properties& librdkafka);
/// Its part about TLS.
[[nodiscard]] TlsSettings tls_settings_from(const Properties& librdkafka);

}  // namespace fencepost::net
