#include "json/parse.h"

#include <cmath>

#include "json/writer.h"
#include "vectors.h"

namespace fencepost::json {
namespace {

std::string again(std::string_view text, const ParseOptions& options = {}) {
  const auto value = parse(text, options);
  return value ? write(*value) : value.error().message();
}

TEST(JsonParse, KeepsTheOrderOfMembersAndTheSpellingOfNumbers) {
  EXPECT_EQ(again(R"( {"z" : 1.50, "a":[1e3 ,-0.0, 12345678901234567890, -0],"n":null,"t":true,"f":false } )"),
            R"({"z":1.50,"a":[1e3,-0.0,12345678901234567890,-0],"n":null,"t":true,"f":false})");
}

TEST(JsonParse, LetsTheLastOfDoubledNamesWinInTheFirstOnesPlace) {
  EXPECT_EQ(again(R"({"a":1,"b":2,"a":3})"), R"({"a":3,"b":2})");
  std::string text = "{";
  for (int i = 0; i < 100; ++i) text += "\"k" + std::to_string(i % 50) + "\":" + std::to_string(i) + ",";
  text.back() = '}';
  const auto value = parse(text);
  ASSERT_TRUE(value);
  EXPECT_EQ(value->as_object()->size(), 50U);
  EXPECT_EQ(value->find("k0")->as_int64(), 50);
}

TEST(JsonParse, ReadsAByteOrderMarkAndEveryEscape) {
  EXPECT_EQ(*parse("\xEF\xBB\xBF\"\\u0041\\n\\t\\/\\\\\\\"\\b\\f\\r\\u00e9\\uD83D\\uDE00\"")->as_string(),
            "A\n\t/\\\"\b\f\r\u00e9\U0001F600");
}

TEST(JsonParse, KeepsLoneSurrogatesAsJavaStringsDo) {
  EXPECT_EQ(again(R"(["\uD800","\uDE00x","\uD800\uD83D\uDE00","\uD800\n"])"),
            R"(["\uD800","\uDE00x","\uD800\uD83D\uDE00","\uD800\n"])");
}

TEST(JsonParse, RefusesWhatIsNotJson) {
  for (const char* text : {"",           " ",       "{",        "[1,",          "[1,]",
                           "{\"a\":1,}", "{a:1}",   "'a'",      "01",           "-",
                           "1.",         ".5",      "+1",       "1e",           "nul",
                           "nulls",      "[truex]", "NaN",      "\"a",          "\"\\x\"",
                           "\"\\u12\"",  "\"\n\"",  "\"\x80\"", "\"\xC0\x80\"", "\"\xF5\x80\x80\x80\"",
                           "{\"a\" 1}",  "[1 2]",   "{} {}",    "1x",           "/* c */ 1",
                           "}"}) {
    const auto value = parse(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().kind(), ErrorKind::Corrupt);
  }
}

TEST(JsonParse, NeverQuotesTheTextInItsErrors) {
  EXPECT_EQ(parse(R"({"password":hunter2})").error().message(), "not JSON: a value was expected (byte 12)");
}

TEST(JsonParse, IgnoresTextAfterTheValueOnRequest) {
  EXPECT_EQ(again(R"({"a":1} {"b":2})", kConverterOptions), R"({"a":1})");
  EXPECT_EQ(again("\"x\"y", kConverterOptions), "\"x\"");
  EXPECT_FALSE(parse("1x", kConverterOptions));
}

TEST(JsonParse, ReadsLeadingZerosOnRequest) { EXPECT_EQ(again("[007,-00.5,000,0e1]", kConverterOptions), "[7,-0.5,0,0e1]"); }

TEST(JsonParse, BoundsDepthAndTheLengthOfNumbers) {
  EXPECT_TRUE(parse(std::string(1000, '[') + std::string(1000, ']')));
  EXPECT_FALSE(parse(std::string(1001, '[') + std::string(1001, ']')));
  EXPECT_FALSE(parse(std::string(1'000'000, '[')));
  EXPECT_TRUE(parse(std::string(1000, '1')));
  EXPECT_FALSE(parse(std::string(1001, '1')));
}

TEST(JsonParse, ReadsNumbersAsLongsAndDoubles) {
  EXPECT_EQ(parse("-9223372036854775808")->as_int64(), INT64_MIN);
  EXPECT_EQ(parse("9223372036854775808")->as_int64(), std::nullopt);
  EXPECT_EQ(parse("1.0")->as_int64(), std::nullopt);
  EXPECT_EQ(parse("\"1\"")->as_int64(), std::nullopt);
  EXPECT_EQ(parse("0.1")->as_double(), 0.1);
  EXPECT_EQ(parse("1e400")->as_double(), HUGE_VAL);
  EXPECT_EQ(parse("-1e400")->as_double(), -HUGE_VAL);
  EXPECT_EQ(parse("1e-400")->as_double(), 0.0);
}

TEST(JsonParse, GivesNothingForValuesOfAnotherKind) {
  const Value value = *parse(R"({"a":[1]})");
  EXPECT_EQ(value.as_string(), nullptr);
  EXPECT_EQ(value.find("b"), nullptr);
  EXPECT_EQ(value.find("a")->find("x"), nullptr);
  EXPECT_EQ(value.find("a")->kind(), "array");
}

TEST(JsonParse, RewritesWhatJavaWroteByteForByte) {
  std::size_t texts = 0;
  const auto check = [&](const testing::Json& record) {
    for (const char* part : {"key", "value"}) {
      if (!record.contains(part) || !record[part].is_string()) continue;
      const std::string text = record[part];
      if (text[0] != '{' && text[0] != '[') continue;
      EXPECT_EQ(again(text), text);
      ++texts;
    }
  };
  for (const auto& c : testing::vectors("config_records.json")) {
    for (const auto& step : c["steps"]) {
      if (step.is_object()) check(step);
    }
  }
  for (const auto& c : testing::vectors("status_records.json")) {
    for (const auto& step : c.value("steps", testing::Json::array())) check(step);
  }
  for (const auto& c : testing::vectors("offset_records.json")) {
    for (const auto& step : c.value("records", testing::Json::array())) check(step);
  }
  EXPECT_GT(texts, 50U);
}

}  // namespace
}  // namespace fencepost::json
