#include "vectors.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "json_filler.h"
#include "wire/apis.h"
#include "wire/decoder.h"
#include "wire/encoder.h"

namespace fencepost::wire {
namespace {

using testing::from_hex;
using testing::Json;
using testing::to_hex;
using testing::vectors;

/// The vectors of one message.
std::vector<Json> cases_of(std::string_view message) {
  static const Json all = vectors("wire.json");
  std::vector<Json> out;
  for (const Json& entry : all.at("messages")) {
    if (entry.at("message") == message) out.push_back(entry);
  }
  return out;
}

template <class Message>
void agrees_with_java() {
  const std::string name(Message::kApi.name);
  const auto cases = cases_of(name);
  EXPECT_FALSE(cases.empty()) << name;
  std::map<int, int> seen;
  for (const Json& entry : cases) {
    const auto version = entry.at("version").get<std::int16_t>();
    SCOPED_TRACE(name + " version " + std::to_string(version));
    ++seen[version];
    const auto message = from_json<Message>(entry.at("fields"));
    const auto encoded = encode(message, version);
    ASSERT_TRUE(encoded.has_value()) << encoded.error().message();
    EXPECT_EQ(to_hex(*encoded), entry.at("bytes").get<std::string>());
    const auto decoded = decode<Message>(from_hex(entry.at("bytes")), version);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
    EXPECT_EQ(*decoded, message);
  }
  for (int version = Message::kApi.versions.first; version <= Message::kApi.versions.last; ++version) {
    EXPECT_EQ(seen[version], 2) << name << " has vectors missing for version " << version;
  }
}

TEST(WireVectors, EveryVersionOfEveryMessageHasTheBytesThatJavaWrites) {
  for_each_request([]<class Request>() {
    agrees_with_java<Request>();
    agrees_with_java<typename Request::Response>();
  });
}

// Whoever cuts a frame short, at any byte, is told so; nothing is read beyond the end.
template <class Message>
void survives_cuts() {
  for (const Json& entry : cases_of(Message::kApi.name)) {
    const std::string bytes = from_hex(entry.at("bytes"));
    const auto version = entry.at("version").get<std::int16_t>();
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
      const std::string part = bytes.substr(0, cut);  // a copy of its own, so that the sanitizer sees its end
      const auto decoded = decode<Message>(part, version);
      ASSERT_FALSE(decoded.has_value()) << Message::kApi.name << " version " << version << " cut at " << cut;
      EXPECT_EQ(decoded.error().kind(), ErrorKind::Corrupt);
    }
    EXPECT_FALSE(decode<Message>(bytes + '\0', version).has_value()) << "a byte is left over";
  }
}

TEST(WireVectors, MessagesCutAtAnyByteAreCorrupt) {
  for_each_request([]<class Request>() {
    survives_cuts<Request>();
    survives_cuts<typename Request::Response>();
  });
}

// Every byte is replaced by values that make lengths huge, negative or null. It may decode to something else, but must end.
template <class Message>
void survives_lies() {
  for (const Json& entry : cases_of(Message::kApi.name)) {
    const std::string bytes = from_hex(entry.at("bytes"));
    const auto version = entry.at("version").get<std::int16_t>();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int lie : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
        std::string lying = bytes;
        lying[at] = static_cast<char>(lie);
        const auto decoded = decode<Message>(lying, version);
        if (decoded) continue;
        EXPECT_EQ(decoded.error().kind(), ErrorKind::Corrupt);
      }
    }
  }
}

TEST(WireVectors, LyingLengthsNeverReadBeyondTheEnd) {
  for_each_request([]<class Request>() {
    survives_lies<Request>();
    survives_lies<typename Request::Response>();
  });
}

}  // namespace
}  // namespace fencepost::wire
