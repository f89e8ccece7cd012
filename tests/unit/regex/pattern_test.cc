#include "regex/pattern.h"

#include <gtest/gtest.h>

namespace fencepost::regex {
namespace {

TEST(Pattern, MatchesTheWholeText) {
  const auto pattern = Pattern::compile("orders-[ab]");
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->matches("orders-a"));
  EXPECT_FALSE(pattern->matches("orders-ax"));
  EXPECT_FALSE(pattern->matches("no-orders-a"));
}

TEST(Pattern, TriesEachAlternativeOverTheWholeText) {
  const auto pattern = Pattern::any_of({"a", "ab.*", "c\\.d"});
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->matches("abc"));
  EXPECT_TRUE(pattern->matches("c.d"));
  EXPECT_FALSE(pattern->matches("cxd"));
}

TEST(Pattern, OfNoExpressionMatchesNothing) {
  const auto pattern = Pattern::any_of({});
  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->matches(""));
  EXPECT_FALSE(pattern->matches("a"));
}

TEST(Pattern, RefusesWhatIsNoExpressionNamingIt) {
  const auto pattern = Pattern::any_of({"a", "("});
  ASSERT_FALSE(pattern);
  EXPECT_EQ(pattern.error().kind(), ErrorKind::InvalidConfig);
  EXPECT_NE(pattern.error().message().find("'('"), std::string::npos);
}

std::string replaced(const char* expression, const char* text, const char* replacement) {
  const auto out = Pattern::compile(expression)->replace_first(text, replacement);
  return out ? *out : "error: " + out.error().message();
}

TEST(Replacement, TakesGroupsByNumberAndByName) {
  EXPECT_EQ(replaced("old-(.*)", "old-orders", "new-$1"), "new-orders");
  EXPECT_EQ(replaced("(?<n>my).*", "my-topic", "${n}\\$"), "my$");
  EXPECT_EQ(replaced("a(x)?b", "ab", "[$1]"), "[]");
  EXPECT_EQ(replaced(".*", "t", "pre-$0"), "pre-t");
}

// $12 is group 12 where there are twelve, and group 1 before a 2 where there are not.
TEST(Replacement, ReadsAsManyDigitsAsThereAreGroups) {
  EXPECT_EQ(replaced("(a)(b)", "ab", "$12"), "a2");
  EXPECT_EQ(replaced("(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)", "abcdefghijkl", "$12"), "l");
}

TEST(Replacement, ReplacesTheFirstMatchEvenWhereTheWholeTextMatches) {
  EXPECT_EQ(replaced("a|ab", "ab", "x"), "xb");
  EXPECT_EQ(replaced("b", "abcb", "x"), "axcb");
  EXPECT_EQ(replaced("z", "abc", "$9"), "abc");
}

TEST(Replacement, IsRefusedWhereItNamesNothing) {
  EXPECT_NE(replaced("(.*)", "t", "$2").find("No group 2"), std::string::npos);
  EXPECT_NE(replaced("(.*)", "t", "${n}").find("No group with name {n}"), std::string::npos);
  for (const char* wrong : {"$", "$x", "\\", "${", "${}", "${n"}) {
    EXPECT_NE(replaced("(.*)", "t", wrong).find("error: "), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace fencepost::regex
