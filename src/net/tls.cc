#include "net/tls.h"

#include <openssl/err.h>
#include <openssl/pkcs12.h>

#include <cstdio>
#include <string>

namespace fencepost::net {
namespace {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

Failure wrong(std::string_view setting, std::string_view value, const std::string& why) {
  return failure(ErrorKind::InvalidConfig,
                 std::string(setting) + (value.empty() ? "" : ": '" + std::string(value) + "'") + ": " + why);
}

std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

template <class Pointer, void (*free_it)(Pointer*)>
struct Freed {
  void operator()(Pointer* p) const { free_it(p); }
};
using Pkcs12 = std::unique_ptr<PKCS12, Freed<PKCS12, PKCS12_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509, X509_free>>;
struct FreedFile {
  void operator()(FILE* file) const { std::fclose(file); }
};

Result<void> use_keystore(ssl::context& context, const TlsSettings& s) {
  const std::unique_ptr<FILE, FreedFile> file(std::fopen(s.keystore_location.c_str(), "rb"));
  if (!file) return wrong("ssl.keystore.location", s.keystore_location, "cannot be opened");
  const Pkcs12 store(d2i_PKCS12_fp(file.get(), nullptr));
  if (!store)
    return wrong("ssl.keystore.location", s.keystore_location,
                 "is not PKCS12; convert it with keytool -importkeystore -deststoretype PKCS12");
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  STACK_OF(X509)* chain = nullptr;
  if (PKCS12_parse(store.get(), s.keystore_password.c_str(), &key, &certificate, &chain) != 1) {
    return wrong("ssl.keystore.password", {}, "does not open " + s.keystore_location + ": " + openssl_reason());
  }
  const Key owned_key(key);
  const Certificate owned_certificate(certificate);
  SSL_CTX* native = context.native_handle();
  const bool used = key != nullptr && certificate != nullptr && SSL_CTX_use_certificate(native, certificate) == 1 &&
                    SSL_CTX_use_PrivateKey(native, key) == 1;
  for (int i = 0; used && i < sk_X509_num(chain); ++i) SSL_CTX_add1_chain_cert(native, sk_X509_value(chain, i));
  sk_X509_pop_free(chain, X509_free);
  if (!used) return wrong("ssl.keystore.location", s.keystore_location, "holds no private key with its certificate");
  return {};
}

Result<void> trust(ssl::context& context, const TlsSettings& s) {
  error_code error;
  if (!s.ca_pem.empty()) {
    context.add_certificate_authority(boost::asio::buffer(s.ca_pem), error);
    if (error) return wrong("ssl.ca.pem", {}, "holds no certificate in PEM: " + error.message());
  } else if (!s.ca_location.empty()) {
    context.load_verify_file(s.ca_location, error);
    if (error) return wrong("ssl.ca.location", s.ca_location, "holds no certificate in PEM: " + error.message());
  } else {
    context.set_default_verify_paths(error);
    if (error) return wrong("ssl.ca.location", {}, "is not set and the system's certificates cannot be read: " + error.message());
  }
  return {};
}

Result<void> use_own_certificate(ssl::context& context, const TlsSettings& s) {
  error_code error;
  if (!s.certificate_pem.empty()) {
    context.use_certificate_chain(boost::asio::buffer(s.certificate_pem), error);
    if (error) return wrong("ssl.certificate.pem", {}, error.message());
  } else if (!s.certificate_location.empty()) {
    context.use_certificate_chain_file(s.certificate_location, error);
    if (error) return wrong("ssl.certificate.location", s.certificate_location, error.message());
  }
  if (!s.key_pem.empty()) {
    context.use_private_key(boost::asio::buffer(s.key_pem), ssl::context::pem, error);
    if (error) return wrong("ssl.key.pem", {}, error.message());
  } else if (!s.key_location.empty()) {
    context.use_private_key_file(s.key_location, ssl::context::pem, error);
    if (error) return wrong("ssl.key.location", s.key_location, error.message());
  }
  if (!s.keystore_location.empty()) return use_keystore(context, s);
  return {};
}

}  // namespace

Result<std::shared_ptr<ssl::context>> make_tls_context(const TlsSettings& settings) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_client);
  FENCEPOST_CHECK(apply_tls_settings(*context, settings));
  return context;
}

Result<std::shared_ptr<ssl::context>> make_server_tls_context(const TlsSettings& settings, ClientCertificate client) {
  if (settings.certificate_pem.empty() && settings.certificate_location.empty() && settings.keystore_location.empty()) {
    return wrong("ssl.keystore.location", {}, "is missing; a server needs a key with its certificate, as PEM or PKCS12");
  }
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  FENCEPOST_CHECK(apply_tls_settings(*context, settings));
  error_code error;
  const auto mode = client == ClientCertificate::NotAsked    ? ssl::verify_none
                    : client == ClientCertificate::Requested ? ssl::verify_peer
                                                             : ssl::verify_peer | ssl::verify_fail_if_no_peer_cert;
  context->set_verify_mode(mode, error);
  // Without one, OpenSSL refuses to resume the session of a client that has shown a certificate.
  static constexpr unsigned char kSessions[] = "fencepost";
  SSL_CTX_set_session_id_context(context->native_handle(), kSessions, sizeof kSessions - 1);
  return context;
}

Result<void> apply_tls_settings(ssl::context& context, const TlsSettings& settings) {
  error_code error;
  context.set_options(ssl::context::default_workarounds | ssl::context::no_sslv2 | ssl::context::no_sslv3 |
                          ssl::context::no_tlsv1 | ssl::context::no_tlsv1_1,
                      error);
  context.set_password_callback(
      [password = settings.key_password](std::size_t, ssl::context::password_purpose) { return password; });
  if (!settings.cipher_suites.empty() && SSL_CTX_set_cipher_list(context.native_handle(), settings.cipher_suites.c_str()) != 1) {
    return wrong("ssl.cipher.suites", settings.cipher_suites, openssl_reason());
  }
  FENCEPOST_CHECK(trust(context, settings));
  FENCEPOST_CHECK(use_own_certificate(context, settings));
  context.set_verify_mode(settings.verify_peer ? ssl::verify_peer : ssl::verify_none, error);
  return {};
}

}  // namespace fencepost::net
