#include "json/writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "json/base64.h"
#include "json/number.h"
#include "json/parse.h"

namespace fencepost::json {
namespace {

std::string java(double value) {
  std::string out;
  append_double(out, value);
  return out;
}

std::string java_float(float value) {
  std::string out;
  append_float(out, value);
  return out;
}

TEST(JsonWriter, PutsCommasByItself) {
  std::string out = "before ";
  Writer w(out);
  w.begin_object().key("a").begin_array().integer(1).string("x").null().end_array().key("b:{").boolean(true);
  w.key("c")
      .begin_object()
      .end_object()
      .key("d")
      .number(1.5)
      .key("e")
      .raw("1e3")
      .key("f")
      .bytes(std::string("\x01\x02\xff", 3))
      .end_object();
  EXPECT_EQ(out, R"(before {"a":[1,"x",null],"b:{":true,"c":{},"d":1.5,"e":1e3,"f":"AQL/"})");
}

TEST(JsonWriter, PutsACommaAfterStringsThatEndInABracket) {
  std::string out;
  Writer(out).begin_array().string("{").string("[").string(":").end_array();
  EXPECT_EQ(out, R"(["{","[",":"])");
}

TEST(JsonWriter, EscapesAsJacksonDoes) {
  std::string out;
  append_quoted(out, "\u00fc \"q\" \n\t\\ \x01\x1f / </x> \u2028 \U0001F600\x7f");
  EXPECT_EQ(out, "\"\u00fc \\\"q\\\" \\n\\t\\\\ \\u0001\\u001F / </x> \u2028 \\uD83D\\uDE00\x7f\"");
}

TEST(JsonWriter, ReplacesBytesThatAreNotUtf8) {
  std::string out;
  append_quoted(out, "a\x80z\xE2\x82");
  EXPECT_EQ(out, "\"a\uFFFDz\uFFFD\uFFFD\"");
}

TEST(JsonWriter, QuotesNumbersThatAreNotFinite) {
  std::string out;
  Writer(out)
      .begin_array()
      .number(std::numeric_limits<double>::quiet_NaN())
      .number(-std::numeric_limits<float>::infinity())
      .end_array();
  EXPECT_EQ(out, R"(["NaN","-Infinity"])");
}

TEST(JsonWriter, BuildsAndComparesValues) {
  Value value = Value::object();
  value.set("a", 1).set("b", "x").set("a", 2.0).set("c", Value::array().push_back(nullptr).push_back(true));
  value.set("d", std::optional<std::string>()).set("e", std::int64_t{1} << 62);
  EXPECT_EQ(write(value), R"({"a":2.0,"b":"x","c":[null,true],"d":null,"e":4611686018427387904})");
  EXPECT_EQ(value, *parse(R"({"e":4611686018427387904,"d":null,"c":[null,true],"b":"x","a":2.0})"));
  EXPECT_FALSE(value == *parse(R"({"a":2.0})"));
}

TEST(JavaNumbers, ArePrintedAsDoubleToStringDoes) {
  EXPECT_EQ(java(100), "100.0");
  EXPECT_EQ(java(1e21), "1.0E21");
  EXPECT_EQ(java(1e-5), "1.0E-5");
  EXPECT_EQ(java(0.001), "0.001");
  EXPECT_EQ(java(9999999), "9999999.0");
  EXPECT_EQ(java(1e7), "1.0E7");
  EXPECT_EQ(java(1.25e10), "1.25E10");
  EXPECT_EQ(java(0), "0.0");
  EXPECT_EQ(java(-0.0), "-0.0");
  EXPECT_EQ(java(-1234.5678), "-1234.5678");
  EXPECT_EQ(java(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(java(std::numeric_limits<double>::denorm_min()), "4.9E-324");
  EXPECT_EQ(java(2e-323), "2.0E-323");
  EXPECT_EQ(java(2e23), "2.0E23");
  EXPECT_EQ(java(std::numeric_limits<double>::max()), "1.7976931348623157E308");
  EXPECT_EQ(java_float(0.1F), "0.1");
  EXPECT_EQ(java_float(1e10F), "1.0E10");
  EXPECT_EQ(java_float(3.4028235e38F), "3.4028235E38");
  EXPECT_EQ(java_float(std::numeric_limits<float>::denorm_min()), "1.4E-45");
}

TEST(Base64, EncodesAndDecodes) {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "fooba", "foobar"})
    EXPECT_EQ(base64_decode(base64_encode(text)), text);
  EXPECT_EQ(base64_encode("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_encode(std::string("\xfb\xff\x00", 3)), "+/8A");
}

TEST(Base64, RefusesDamage) {
  for (const char* text : {"Z", "Zg=", "Zg", "Z===", "Zm9v\n", "Zm9-", "====", "Zg==Zg==", "=m9v"})
    EXPECT_EQ(base64_decode(text), std::nullopt) << text;
  EXPECT_EQ(base64_decode("Zg", Base64Padding::Optional), "f");
  EXPECT_EQ(base64_decode("Zg=", Base64Padding::Optional), std::nullopt);
  EXPECT_EQ(base64_decode("Z", Base64Padding::Optional), std::nullopt);
}

}  // namespace
}  // namespace fencepost::json
