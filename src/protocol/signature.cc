#include "protocol/signature.h"

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>

#include "json/base64.h"

namespace fencepost::protocol {
namespace {

struct Algorithm {
  std::string_view name;
  const EVP_MD* (*digest)();
  std::size_t key_bytes;
};

constexpr std::array<Algorithm, 12> kAlgorithms{{{"HmacSHA256", EVP_sha256, 32},
                                                 {"HmacSHA512", EVP_sha512, 64},
                                                 {"HmacSHA384", EVP_sha384, 48},
                                                 {"HmacSHA224", EVP_sha224, 28},
                                                 {"HmacSHA1", EVP_sha1, 64},
                                                 {"HmacMD5", EVP_md5, 64},
                                                 {"HmacSHA512/224", EVP_sha512_224, 28},
                                                 {"HmacSHA512/256", EVP_sha512_256, 32},
                                                 {"HmacSHA3-224", EVP_sha3_224, 28},
                                                 {"HmacSHA3-256", EVP_sha3_256, 32},
                                                 {"HmacSHA3-384", EVP_sha3_384, 48},
                                                 {"HmacSHA3-512", EVP_sha3_512, 64}}};

bool same_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto at =
      std::find_if(kAlgorithms.begin(), kAlgorithms.end(), [&](const Algorithm& a) { return same_but_for_case(a.name, name); });
  return at == kAlgorithms.end() ? nullptr : at;
}

Result<std::string> mac(const SessionKey& key, std::string_view algorithm, std::string_view body) {
  const Algorithm* known = find_algorithm(algorithm);
  if (known == nullptr) return failure(ErrorKind::InvalidConfig, fmt::format("Algorithm {} not available", algorithm));
  std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
  unsigned size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(body.data());
  const unsigned char* done =
      HMAC(known->digest(), key.secret.data(), static_cast<int>(key.secret.size()), bytes, body.size(), out.data(), &size);
  // Digests can be switched off in OpenSSL's own configuration (MD5 under FIPS).
  if (done == nullptr)
    return failure(ErrorKind::InvalidConfig, fmt::format("OpenSSL does not provide {} on this machine", algorithm));
  return std::string(reinterpret_cast<const char*>(out.data()), size);
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

}  // namespace

bool is_mac_algorithm(std::string_view algorithm) { return find_algorithm(algorithm) != nullptr; }

std::optional<std::size_t> default_key_bytes(std::string_view algorithm) {
  const Algorithm* known = find_algorithm(algorithm);
  return known == nullptr ? std::nullopt : std::optional(known->key_bytes);
}

Result<std::string> sign(const SessionKey& key, std::string_view algorithm, std::string_view body) {
  FENCEPOST_TRY(const std::string bytes, mac(key, algorithm, body));
  return json::base64_encode(bytes);
}

Result<void> verify(ConnectProtocol protocol, const SignedRequest& request, const std::vector<std::string>& allowed,
                    const std::optional<SessionKey>& key) {
  if (protocol < ConnectProtocol::Sessioned) return {};
  if (!request.signature || !request.algorithm) {
    return failure(ErrorKind::InvalidConfig, "Internal request missing required signature");
  }
  if (!is_mac_algorithm(*request.algorithm)) {
    return failure(ErrorKind::InvalidConfig, fmt::format("Algorithm {} not available", *request.algorithm));
  }
  const auto signature = json::base64_decode(*request.signature, json::Base64Padding::Optional);
  if (!signature) return failure(ErrorKind::InvalidConfig, "Internal request contained a signature that is not Base64");
  if (std::find(allowed.begin(), allowed.end(), *request.algorithm) == allowed.end()) {
    return failure(
        ErrorKind::InvalidConfig,
        fmt::format("This worker does not support the '{}' key signing algorithm used by other workers. This worker is "
                    "currently configured to use: [{}]. Check that all workers' configuration files permit the same set of "
                    "signature algorithms, and correct any misconfigured worker and restart it.",
                    *request.algorithm, joined(allowed)));
  }
  if (!key) {
    return failure(ErrorKind::Unavailable,
                   "no session key has been read from the config topic yet; the worker is starting, try again");
  }
  FENCEPOST_TRY(const std::string expected, mac(*key, *request.algorithm, request.body));
  if (expected.size() != signature->size() || CRYPTO_memcmp(expected.data(), signature->data(), expected.size()) != 0) {
    return failure(ErrorKind::Forbidden, "Internal request contained invalid signature.");
  }
  return {};
}

}  // namespace fencepost::protocol
