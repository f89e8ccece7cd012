#include "kafka/key_stores.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/x509.h>

#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace fencepost::kafka {
namespace {

enum class StoreFormat : unsigned char { Pem, Pkcs12, Jks };

struct StoreFile {
  std::string path;
  std::string bytes;
  StoreFormat format = StoreFormat::Pem;
};

Result<StoreFile> read_store(const std::string& setting, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("{}: cannot read '{}'; name a file that the worker's user may read", setting, path));
  }
  std::ostringstream text;
  text << in.rdbuf();
  StoreFile store{.path = path, .bytes = text.str()};
  constexpr std::string_view kJks("\xFE\xED\xFE\xED", 4);
  constexpr std::string_view kJceks("\xCE\xCE\xCE\xCE", 4);
  if (store.bytes.starts_with(kJks) || store.bytes.starts_with(kJceks)) {
    store.format = StoreFormat::Jks;
  } else if (store.bytes.find("-----BEGIN ") == std::string::npos) {
    store.format = StoreFormat::Pkcs12;
  }
  return store;
}

Failure refuse_jks(const std::string& setting, const std::string& path) {
  return failure(ErrorKind::InvalidConfig,
                 fmt::format("{}: '{}' is a JKS store, which only Java can read; convert it with: keytool -importkeystore "
                             "-srckeystore {} -destkeystore {}.p12 -deststoretype PKCS12",
                             setting, path, path, path));
}

/// Appends the certificates of a PKCS12 store without keys (a trust store) as PEM.
Result<std::string> trusted_certificates(const StoreFile& store, const std::string& password) {
  const std::string setting = "ssl.truststore.location";
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> in(
      BIO_new_mem_buf(store.bytes.data(), static_cast<int>(store.bytes.size())), &BIO_free_all);
  const std::unique_ptr<PKCS12, decltype(&PKCS12_free)> p12(d2i_PKCS12_bio(in.get(), nullptr), &PKCS12_free);
  if (!p12) {
    ERR_clear_error();
    return failure(ErrorKind::InvalidConfig, fmt::format("{}: '{}' is neither PEM nor PKCS12", setting, store.path));
  }
  EVP_PKEY* key = nullptr;
  X509* own = nullptr;
  STACK_OF(X509)* others = nullptr;
  if (PKCS12_parse(p12.get(), password.c_str(), &key, &own, &others) != 1) {
    ERR_clear_error();
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("{}: '{}' cannot be opened; check ssl.truststore.password", setting, store.path));
  }
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> out(BIO_new(BIO_s_mem()), &BIO_free_all);
  if (own != nullptr) PEM_write_bio_X509(out.get(), own);
  for (int i = 0; others != nullptr && i < sk_X509_num(others); ++i) PEM_write_bio_X509(out.get(), sk_X509_value(others, i));
  EVP_PKEY_free(key);
  X509_free(own);
  sk_X509_pop_free(others, X509_free);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  if (size <= 0) {
    return failure(ErrorKind::InvalidConfig, fmt::format("{}: '{}' holds no certificate", setting, store.path));
  }
  return std::string(data, static_cast<std::size_t>(size));
}

Result<void> translate_trust(const Properties& java, std::map<std::string, std::string>& settings) {
  if (const auto pem = java.get("ssl.truststore.certificates")) settings["ssl.ca.pem"] = *pem;
  const auto path = java.get("ssl.truststore.location");
  if (!path || path->empty()) return {};
  FENCEPOST_TRY(const StoreFile store, read_store("ssl.truststore.location", *path));
  switch (store.format) {
    case StoreFormat::Jks:
      return refuse_jks("ssl.truststore.location", *path);
    case StoreFormat::Pem:
      settings["ssl.ca.location"] = *path;
      return {};
    case StoreFormat::Pkcs12:
      break;
  }
  FENCEPOST_TRY(settings["ssl.ca.pem"], trusted_certificates(store, java.get_or("ssl.truststore.password", "")));
  return {};
}

Result<void> translate_key(const Properties& java, std::map<std::string, std::string>& settings) {
  if (const auto key = java.get("ssl.keystore.key")) settings["ssl.key.pem"] = *key;
  if (const auto chain = java.get("ssl.keystore.certificate.chain")) settings["ssl.certificate.pem"] = *chain;
  if (const auto password = java.get("ssl.key.password")) settings["ssl.key.password"] = *password;
  const auto path = java.get("ssl.keystore.location");
  if (!path || path->empty()) return {};
  FENCEPOST_TRY(const StoreFile store, read_store("ssl.keystore.location", *path));
  switch (store.format) {
    case StoreFormat::Jks:
      return refuse_jks("ssl.keystore.location", *path);
    case StoreFormat::Pem:
      // One file holds the key and its chain, as Java wants it; each reader skips what is not its own.
      settings["ssl.key.location"] = *path;
      settings["ssl.certificate.location"] = *path;
      return {};
    case StoreFormat::Pkcs12:
      break;
  }
  settings["ssl.keystore.location"] = *path;
  settings["ssl.keystore.password"] = java.get_or("ssl.keystore.password", "");
  return {};
}

}  // namespace

Result<void> translate_key_stores(const Properties& java, std::map<std::string, std::string>& settings) {
  FENCEPOST_CHECK(translate_trust(java, settings));
  return translate_key(java, settings);
}

}  // namespace fencepost::kafka
