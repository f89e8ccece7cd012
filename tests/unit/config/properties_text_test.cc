#include "config/properties_text.h"

#include <gtest/gtest.h>

namespace fencepost::config {
namespace {

Properties read(std::string_view text) { return parse_properties(text).value(); }

TEST(ParseProperties, KnowsTheThreeSeparators) {
  EXPECT_EQ(read("a=1\nb: 2\nc 3\nd = : 4\ne\n  f\t=5"),
            (Properties{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", ": 4"}, {"e", ""}, {"f", "5"}}));
}

TEST(ParseProperties, SkipsCommentsAndEmptyLines) {
  EXPECT_EQ(read("# a=1\n\n  ! b=2\\\nc=3 # no comment\n"), (Properties{{"c", "3 # no comment"}}));
}

TEST(ParseProperties, JoinsContinuedLines) {
  EXPECT_EQ(read("a=1,\\\n   2,\\\n\t#3\nb=x\\\\\nc=y\\"), (Properties{{"a", "1,2,#3"}, {"b", "x\\"}, {"c", "y"}}));
}

TEST(ParseProperties, ResolvesEscapes) {
  EXPECT_EQ(read("a\\ b\\=c=\\t\\n\\z\\u00fc\\ud83d\\ude00"), (Properties{{"a b=c", "\t\nz\xc3\xbc\xf0\x9f\x98\x80"}}));
}

TEST(ParseProperties, KeepsBlanksAtTheEndAsJavaDoes) { EXPECT_EQ(read("a= 1 \r\nb=2"), (Properties{{"a", "1 "}, {"b", "2"}})); }

TEST(ParseProperties, ReadsUtf8AndLatin1) {
  EXPECT_EQ(read("a=\xc3\xbc"), (Properties{{"a", "\xc3\xbc"}}));
  EXPECT_EQ(read("a=\xfc"), (Properties{{"a", "\xc3\xbc"}}));
}

TEST(ParseProperties, NamesTheLineOfADamagedEscape) {
  const auto result = parse_properties("a=1\nb=\\u12x4\n");
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message().starts_with("line 2:"));
}

TEST(ParseProperties, LetsTheLastValueWin) { EXPECT_EQ(read("a=1\na=2"), (Properties{{"a", "2"}})); }

}  // namespace
}  // namespace fencepost::config
