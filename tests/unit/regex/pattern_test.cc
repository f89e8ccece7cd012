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

}  // namespace
}  // namespace fencepost::regex
