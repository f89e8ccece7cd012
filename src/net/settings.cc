#include "net/settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace fencepost::net {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Result<SecurityProtocol> parse_security(const std::string& text) {
  const std::string name = lower(text);
  if (name == "plaintext") return SecurityProtocol::Plaintext;
  if (name == "ssl") return SecurityProtocol::Ssl;
  if (name == "sasl_plaintext") return SecurityProtocol::SaslPlaintext;
  if (name == "sasl_ssl") return SecurityProtocol::SaslSsl;
  return failure(ErrorKind::InvalidConfig,
                 "security.protocol: '" + text + "' is none of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL");
}

Result<void> read_duration(const Properties& from, std::string_view key, Duration& into) {
  const auto text = from.get(key);
  if (!text) return {};
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc{} || end != text->data() + text->size() || value < 0) {
    return failure(ErrorKind::InvalidConfig, std::string(key) + ": '" + *text + "' is not a number of milliseconds");
  }
  into = Duration(value);
  return {};
}

}  // namespace

TlsSettings tls_settings_from(const Properties& librdkafka) {
  const Properties& from = librdkafka;
  TlsSettings tls;
  tls.ca_location = from.get_or("ssl.ca.location", "");
  tls.ca_pem = from.get_or("ssl.ca.pem", "");
  tls.certificate_location = from.get_or("ssl.certificate.location", "");
  tls.certificate_pem = from.get_or("ssl.certificate.pem", "");
  tls.key_location = from.get_or("ssl.key.location", "");
  tls.key_pem = from.get_or("ssl.key.pem", "");
  tls.key_password = from.get_or("ssl.key.password", "");
  tls.keystore_location = from.get_or("ssl.keystore.location", "");
  tls.keystore_password = from.get_or("ssl.keystore.password", "");
  tls.cipher_suites = from.get_or("ssl.cipher.suites", "");
  tls.verify_peer = lower(from.get_or("enable.ssl.certificate.verification", "true")) != "false";
  tls.verify_hostname = lower(from.get_or("ssl.endpoint.identification.algorithm", "https")) == "https";
  return tls;
}

Result<Settings> settings_from(const Properties& librdkafka) {
  Settings out;
  auto bootstrap = parse_endpoints(librdkafka.get_or("bootstrap.servers", ""));
  if (!bootstrap) return Failure(std::move(bootstrap).error().while_doing("bootstrap.servers"));
  out.bootstrap = *std::move(bootstrap);
  FENCEPOST_TRY(out.security, parse_security(librdkafka.get_or("security.protocol", "plaintext")));
  out.tls = tls_settings_from(librdkafka);
  out.sasl.mechanism = librdkafka.get_or("sasl.mechanism", librdkafka.get_or("sasl.mechanisms", "GSSAPI"));
  out.sasl.username = librdkafka.get_or("sasl.username", "");
  out.sasl.password = librdkafka.get_or("sasl.password", "");
  out.sasl.kerberos_service = librdkafka.get_or("sasl.kerberos.service.name", "kafka");
  out.client_id = librdkafka.get_or("client.id", out.client_id);
  FENCEPOST_CHECK(read_duration(librdkafka, "socket.connection.setup.timeout.ms", out.connect_timeout));
  FENCEPOST_CHECK(read_duration(librdkafka, "request.timeout.ms", out.request_timeout));
  FENCEPOST_CHECK(read_duration(librdkafka, "reconnect.backoff.ms", out.reconnect_backoff));
  FENCEPOST_CHECK(read_duration(librdkafka, "reconnect.backoff.max.ms", out.reconnect_backoff_max));
  FENCEPOST_CHECK(read_duration(librdkafka, "retry.backoff.ms", out.retry_backoff));
  return out;
}

}  // namespace fencepost::net
