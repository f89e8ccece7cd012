#include "protocol/signature.h"

#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::Json;

const std::vector<std::string> kAllowed{"HmacSHA256"};

TEST(Signatures, AreThoseOfJava) {
  std::size_t checked = 0;
  for (const Json& c : testing::vectors("signatures.json")) {
    SCOPED_TRACE(c.value("about", ""));
    if (c.contains("signature_header")) {
      EXPECT_EQ(kSignatureHeader, c["signature_header"]);
      EXPECT_EQ(kSignatureAlgorithmHeader, c["algorithm_header"]);
      continue;
    }
    const SessionKey key{testing::from_hex(c["key"]), "HmacSHA256", {}};
    const std::string algorithm = c["algorithm"];
    const std::string body = testing::from_hex(c["body"]);
    const std::string signature = c["header_X-Connect-Authorization"];
    const bool accepted = c["accepted"];
    EXPECT_EQ(*sign(key, algorithm, body) == signature, accepted);
    const auto verdict = verify(ConnectProtocol::Sessioned, {signature, algorithm, body}, {algorithm}, key);
    EXPECT_EQ(verdict.has_value(), accepted);
    if (!accepted) {
      EXPECT_EQ(verdict.error(), Error(ErrorKind::Forbidden, "Internal request contained invalid signature."));
    }
    ++checked;
  }
  EXPECT_EQ(checked, 36U);
}

/// The answers of a live Java worker to requests with and without valid signatures.
TEST(Signatures, AreRefusedAsALiveWorkerRefusesThem) {
  std::size_t refused = 0;
  for (const Json& c : testing::vectors("live_rest.json")) {
    const std::string path = c.value("path", "");
    const int code = c.value("status", 0);
    const bool internal =
        c.value("method", "") == "PUT" ? path.ends_with("/fence") : path.ends_with("/tasks") && c.value("method", "") == "POST";
    if (!internal || code == 404 || c.value("about", "") == "fence of a sink") continue;
    SCOPED_TRACE(c.value("about", ""));
    const Json headers = c.value("request_headers", Json::object());
    const std::string signature = headers.value(std::string(kSignatureHeader), "");
    const std::string algorithm = headers.value(std::string(kSignatureAlgorithmHeader), "");
    const std::string body = c.value("body_text", "");
    SignedRequest request{std::nullopt, std::nullopt, body};
    if (!signature.empty()) request.signature = signature;
    if (!algorithm.empty()) request.algorithm = algorithm;
    const SessionKey key{testing::from_hex(c.value("key", "42")), "HmacSHA256", {}};
    const auto verdict = verify(ConnectProtocol::Sessioned, request, kAllowed, key);
    EXPECT_EQ(verdict.has_value(), code == 204);
    if (verdict) continue;
    EXPECT_EQ(verdict.error().kind() == ErrorKind::Forbidden ? 403 : 400, code);
    const Json object = c.value("response", Json());
    const Json response = object.is_object() ? object : Json::parse(c.value("response_text", ""));
    EXPECT_EQ(verdict.error().message(), response["message"]);
    ++refused;
  }
  EXPECT_EQ(refused, 5U);
}

TEST(Signatures, AreNotAskedForBelowSessioned) {
  EXPECT_TRUE(verify(ConnectProtocol::Compatible, {}, kAllowed, std::nullopt));
  EXPECT_TRUE(verify(ConnectProtocol::Eager, {}, kAllowed, std::nullopt));
}

TEST(Signatures, AreCheckedInOrder) {
  const std::string good = *sign({"secret", "HmacSHA256", {}}, "HmacSHA256", "body");
  const auto kind = [&](std::optional<std::string_view> signature, std::optional<std::string_view> algorithm,
                        const std::vector<std::string>& allowed, const std::optional<SessionKey>& key) {
    return verify(ConnectProtocol::Sessioned, {signature, algorithm, "body"}, allowed, key).error().kind();
  };
  const SessionKey key{"other", "HmacSHA256", {}};
  EXPECT_EQ(kind(std::nullopt, "HmacSHA256", kAllowed, key), ErrorKind::InvalidConfig);
  EXPECT_EQ(kind(good, std::nullopt, kAllowed, key), ErrorKind::InvalidConfig);
  EXPECT_EQ(kind("not base64!", "HmacSHA256", kAllowed, key), ErrorKind::InvalidConfig);
  EXPECT_EQ(kind(good, "HmacSHA1", kAllowed, std::nullopt), ErrorKind::InvalidConfig);
  EXPECT_EQ(kind(good, "HmacSHA256", kAllowed, std::nullopt), ErrorKind::Unavailable);
  EXPECT_EQ(kind(good, "HmacSHA256", kAllowed, key), ErrorKind::Forbidden);
  EXPECT_EQ(kind("", "HmacSHA256", kAllowed, key), ErrorKind::Forbidden);
}

TEST(Signatures, KnowTheAlgorithmsOfJava) {
  for (const char* name : {"HmacSHA1", "HmacSHA224", "HmacSHA256", "HmacSHA384", "HmacSHA512", "HmacMD5", "HmacSHA512/256",
                           "HmacSHA3-256", "hmacsha256"}) {
    EXPECT_TRUE(is_mac_algorithm(name)) << name;
    EXPECT_TRUE(sign({"k", "", {}}, name, "body")) << name;
  }
  EXPECT_FALSE(is_mac_algorithm("HmacNONE"));
  EXPECT_EQ(sign({"k", "", {}}, "HmacNONE", "").error().kind(), ErrorKind::InvalidConfig);
  EXPECT_EQ(default_key_bytes("HmacSHA256"), 32U);
  EXPECT_EQ(default_key_bytes("x"), std::nullopt);
}

}  // namespace
}  // namespace fencepost::protocol
