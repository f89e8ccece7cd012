#include <gtest/gtest.h>

#include <string>

#include "vectors.h"
#include "wire/apis.h"
#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/errors.h"
#include "wire/frame.h"
#include "wire/print.h"

namespace fencepost::wire {
namespace {

using testing::from_hex;
using testing::to_hex;

HeartbeatRequest heartbeat() { return {.group_id = "g", .generation_id = 3, .member_id = "m", .group_instance_id = {}}; }

TEST(WireFrame, ARequestCarriesItsLengthHeaderAndBody) {
  const auto frame = encode_request(heartbeat(), 0, 7, "me");
  ASSERT_TRUE(frame.has_value());
  //                        length   key  ver  correlation "me"      "g"    generation "m"
  EXPECT_EQ(to_hex(*frame),
            "00000016"
            "000c"
            "0000"
            "00000007"
            "00026d65"
            "000167"
            "00000003"
            "00016d");
}

TEST(WireFrame, AFlexibleHeaderKeepsThePlainClientIdAndAddsTags) {
  const auto frame = encode_request(heartbeat(), 4, 7, "me");
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(to_hex(*frame),
            "00000017"
            "000c"
            "0004"
            "00000007"
            "00026d65"
            "00"
            "0267"
            "00000003"
            "026d"
            "00"
            "00");
}

TEST(WireFrame, TagsInAResponseHeaderArePassedOverExceptForApiVersions) {
  const std::string frame = from_hex(
      "00000007"
      "01"
      "05"
      "02"
      "aabb"
      "cc");
  EXPECT_EQ(response_correlation(frame).value(), 7);
  EXPECT_EQ(to_hex(std::string(response_body(frame, HeartbeatRequest::kApi.key, true).value())), "cc");
  EXPECT_EQ(to_hex(std::string(response_body(frame, HeartbeatRequest::kApi.key, false).value())), "010502aabbcc");
  EXPECT_EQ(to_hex(std::string(response_body(frame, kApiVersionsKey, true).value())), "010502aabbcc");
}

TEST(WireFrame, AHeaderThatIsCutIsCorrupt) {
  EXPECT_FALSE(response_correlation("\0\0\1").has_value());
  EXPECT_FALSE(response_body(from_hex("00000007"
                                      "02"
                                      "05"
                                      "02"
                                      "aabb"),
                             12, true)
                   .has_value());
  EXPECT_FALSE(response_body(from_hex("00000007"
                                      "ffffffffff"),
                             12, true)
                   .has_value());
}

TEST(WireDecoder, AHugeArrayCountIsRefusedBeforeAnythingIsAllocated) {
  const auto plain = decode<MetadataResponse>(from_hex("7fffffff"), 0);
  ASSERT_FALSE(plain.has_value());
  EXPECT_NE(plain.error().message().find("Brokers claims 2147483647 elements"), std::string::npos) << plain.error().message();
  EXPECT_FALSE(decode<MetadataResponse>(from_hex("00000000"
                                                 "ffffffff0f"),
                                        9)
                   .has_value());
}

TEST(WireDecoder, NegativeLengthsAndForbiddenNullsAreCorrupt) {
  EXPECT_FALSE(decode<SaslHandshakeRequest>(from_hex("fffe"), 0).has_value());
  const auto null = decode<SaslHandshakeRequest>(from_hex("ffff"), 0);
  ASSERT_FALSE(null.has_value());
  EXPECT_NE(null.error().message().find("Mechanism is null"), std::string::npos) << null.error().message();
}

TEST(WireDecoder, UnknownTaggedFieldsArePassedOver) {
  const auto decoded = decode<HeartbeatResponse>(from_hex("00000000"
                                                          "001b"
                                                          "01"
                                                          "63"
                                                          "03"
                                                          "010203"),
                                                 4);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message();
  EXPECT_EQ(decoded->error_code, to_number(ErrorCode::RebalanceInProgress));
}

TEST(WireDecoder, TagsOutOfOrderOrTwiceAreCorrupt) {
  EXPECT_FALSE(decode<HeartbeatResponse>(from_hex("00000000"
                                                  "0000"
                                                  "02"
                                                  "05"
                                                  "00"
                                                  "05"
                                                  "00"),
                                         4)
                   .has_value());
  EXPECT_FALSE(decode<HeartbeatResponse>(from_hex("00000000"
                                                  "0000"
                                                  "02"
                                                  "05"
                                                  "00"
                                                  "04"
                                                  "00"),
                                         4)
                   .has_value());
}

TEST(WireDecoder, AVarintOfMoreThan32BitsIsCorrupt) {
  EXPECT_FALSE(decode<HeartbeatResponse>(from_hex("00000000"
                                                  "0000"
                                                  "ffffffff7f"),
                                         4)
                   .has_value());
  EXPECT_FALSE(decode<HeartbeatResponse>(from_hex("00000000"
                                                  "0000"
                                                  "808080808000"),
                                         4)
                   .has_value());
}

TEST(WireEncoder, RefusesWhatTheVersionCannotCarry) {
  EXPECT_EQ(encode(heartbeat(), 5).error().kind(), ErrorKind::Bug);
  HeartbeatRequest long_name = heartbeat();
  long_name.group_id = std::string(40000, 'x');
  EXPECT_FALSE(encode(long_name, 4).has_value());
  MetadataRequest all_topics;
  EXPECT_FALSE(encode(all_topics, 0).has_value());
  EXPECT_TRUE(encode(all_topics, 1).has_value());
}

TEST(WirePrint, ShowsFieldsButNeverSecretsOrBytes) {
  EXPECT_EQ(print(heartbeat()), R"(HeartbeatRequest{GroupId="g", GenerationId=3, MemberId="m", GroupInstanceId=null})");
  EXPECT_EQ(print(SaslAuthenticateRequest{.auth_bytes = {"\0user\0hunter2"}}), "SaslAuthenticateRequest{AuthBytes=[hidden]}");
  JoinGroupRequest join;
  join.protocols.push_back({.name = "sessioned", .metadata = {"12345"}});
  EXPECT_NE(print(join).find("Metadata=<5 bytes>"), std::string::npos);
}

TEST(WirePrint, APeersTextCannotForgeALogLine) {
  HeartbeatRequest request = heartbeat();
  request.group_id = "a\nERROR forged";
  EXPECT_EQ(print(request).find('\n'), std::string::npos);
}

TEST(WireErrors, NamesAreKafkasAndWhatKafkaRetriesIsNeverFinalHere) {
  const auto all = testing::vectors("wire.json").at("errors");
  EXPECT_EQ(all.size(), error_table().size() + 1);
  for (const auto& row : all) {
    const auto code = row.at("code").get<std::int16_t>();
    EXPECT_EQ(error_name(code), row.at("name").get<std::string>());
    if (code == 0) continue;
    const ErrorKind kind = error_kind(code);
    // A missing topic is final for whoever asks once; Kafka's clients retry because it may be on its way.
    if (row.at("retriable").get<bool>() && kind != ErrorKind::NotFound && kind != ErrorKind::Corrupt) {
      EXPECT_TRUE(Error(kind, "").retriable()) << error_name(code);
    }
  }
}

TEST(WireErrors, ACodeFromTheFutureHasANameAndIsNotRetried) {
  EXPECT_EQ(error_name(4711), "error 4711");
  EXPECT_EQ(error_kind(4711), ErrorKind::Failed);
  EXPECT_EQ(to_error(22, "joining group g").message(), "joining group g: ILLEGAL_GENERATION (22)");
}

}  // namespace
}  // namespace fencepost::wire
