#include "rest/bodies.h"

#include <gtest/gtest.h>

namespace fencepost::rest {
namespace {

TEST(CreateBody, TurnsScalarsIntoTextAsTheyAreSpelledAndAddsTheTrimmedName) {
  const auto request = read_create(
      "\xef\xbb\xbf{\"name\":\" c \",\"config\":{\"a\":1.50,\"b\":1e3,\"c\":12345678901234567890,\"d\":-0.0,\"e\":false,"
      "\"f\":null,\"g\":\"1\",\"g\":\"2\"}} \r\n\t ");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->name, "c");
  EXPECT_EQ(request->config, (Properties{{"a", "1.50"},
                                         {"b", "1e3"},
                                         {"c", "12345678901234567890"},
                                         {"d", "-0.0"},
                                         {"e", "false"},
                                         {"f", std::nullopt},
                                         {"g", "2"},
                                         {"name", "c"}}));
}

TEST(CreateBody, ThatCannotBeReadIs500) {
  for (const char* body : {"{",
                           "[]",
                           "\"x\"",
                           "",
                           "null",
                           "  ",
                           "7",
                           "true",
                           R"({"name":"x"})",
                           R"({"name":"x","config":null})",
                           R"({"name":"x","config":[]})",
                           R"({"name":"x","config":{},"extra":1})",
                           R"({"name":"x","config":{"a":{"b":1}}})",
                           R"({"name":"x","config":{"a":["b"]}})",
                           R"({"name":{},"config":{}})",
                           R"({"name":"x","config":{}}{})",
                           R"({"name":"x","config":{}} x)",
                           "{'name':'x','config':{}}",
                           R"(/* c */ {"name":"x","config":{}})",
                           R"({"name":"x","config":{"a":NaN}})",
                           R"({"name":"x","config":{"a":01}})",
                           "{\"name\":\"x\",\"config\":{\"a\":\"\t\"}}",
                           "{\"name\":\"x\xff\",\"config\":{}}",
                           R"({"name":"x",})"}) {
    const auto request = read_create(body);
    ASSERT_FALSE(request) << body;
    EXPECT_EQ(request.error().status, 500) << body;
  }
  EXPECT_NE(read_create(R"({"config":{},"foo":1})").error().message.find("foo"), std::string::npos);
}

TEST(CreateBody, WithATextLongerThanJacksonReadsIs500) {
  const auto request = read_create(R"({"name":"x","config":{"a":")" + std::string(20'000'001, 'y') + R"("}})");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().status, 500);
}

TEST(CreateBody, ReadsTheInitialStateInAnyCaseAndRefusesOthersByTheirValue) {
  const auto state_of = [](const std::string& given) {
    return read_create(R"({"name":"x","config":{},"initial_state":)" + given + "}");
  };
  EXPECT_EQ(state_of("\"STOPPED\"")->initial_state, herder::TargetState::Stopped);
  EXPECT_EQ(state_of("\"paused\"")->initial_state, herder::TargetState::Paused);
  EXPECT_EQ(state_of("\"Running\"")->initial_state, herder::TargetState::Started);
  EXPECT_EQ(state_of("null")->initial_state, std::nullopt);
  for (const char* bad : {"\"sleeping\"", "7", "\"\"", "\" RUNNING\"", "[\"PAUSED\"]", "true", "\"UNASSIGNED\""}) {
    const auto request = state_of(bad);
    ASSERT_FALSE(request) << bad;
    EXPECT_EQ(request.error().status, 400);
  }
  EXPECT_NE(state_of("\"sleeping\"").error().message.find("sleeping"), std::string::npos);
}

TEST(CreateBody, WithTwoNamesIs400AndNamesBoth) {
  const auto request = read_create(R"({"name":"x","config":{"name":"other"}})");
  ASSERT_FALSE(request);
  EXPECT_EQ(request.error().status, 400);
  EXPECT_EQ(request.error().message, "Connector name configuration (other) doesn't match connector name in the URL (x)");
  EXPECT_TRUE(read_create(R"({"name":"x","config":{"name":"x"}})"));
  EXPECT_FALSE(read_create(R"({"config":{"name":"x"}})"));
}

TEST(OffsetsBody, IsPassedOnAsItIsUnderstood) {
  EXPECT_EQ(*read_offsets(R"({"offsets":[{"partition":{"f":"x"},"offset":{"p":1.50}},{"partition":null,"offset":null}]})"),
            R"([{"partition":{"f":"x"},"offset":{"p":1.50}},{"partition":null,"offset":null}])");
}

TEST(OffsetsBody, OfTheWrongShapeIs500AndWithoutOffsets400) {
  for (const char* body :
       {"", "null", "{", "[]", R"({"offsets":{}})", R"({"offsets":[null]})", R"({"offsets":[7]})",
        R"({"offsets":[{"partition":{},"offset":{},"q":1}]})", R"({"offsets":[{"partition":7}]})", R"({"offsets":[],"x":1})"}) {
    ASSERT_FALSE(read_offsets(body)) << body;
    EXPECT_EQ(read_offsets(body).error().status, 500) << body;
  }
  for (const char* body : {"{}", R"({"offsets":[]})", R"({"offsets":null})"}) {
    ASSERT_FALSE(read_offsets(body)) << body;
    EXPECT_EQ(read_offsets(body).error().status, 400) << body;
    EXPECT_NE(read_offsets(body).error().message.find("Partitions / offsets need to be provided"), std::string::npos);
  }
}

}  // namespace
}  // namespace fencepost::rest
