#include "base/properties.h"

#include <gtest/gtest.h>

namespace fencepost {
namespace {

TEST(Properties, KeepsTheOrderInWhichKeysCameAndReplacesInPlace) {
  Properties p{{"b", "1"}, {"a", std::nullopt}};
  p.set("b", "2");
  std::vector<std::string> keys;
  for (const auto& [key, value] : p) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(p.get("b"), "2");
}

TEST(Properties, TellsNullFromAbsent) {
  const Properties p{{"null", std::nullopt}};
  EXPECT_TRUE(p.contains("null"));
  EXPECT_FALSE(p.contains("absent"));
  EXPECT_EQ(p.get("null"), std::nullopt);
}

TEST(Properties, EqualityIgnoresTheOrderButNotTheValues) {
  EXPECT_EQ((Properties{{"a", "1"}, {"b", "2"}}), (Properties{{"b", "2"}, {"a", "1"}}));
  EXPECT_NE((Properties{{"a", "1"}}), (Properties{{"a", "2"}}));
  EXPECT_NE((Properties{{"a", "1"}}), (Properties{{"a", "1"}, {"b", "2"}}));
}

TEST(Properties, TakesThePrefixOffAndSkipsTheBarePrefix) {
  const Properties p{{"producer.", "x"}, {"producer.acks", "all"}, {"consumer.x", "y"}};
  EXPECT_EQ(p.with_prefix("producer."), (Properties{{"acks", "all"}}));
}

}  // namespace
}  // namespace fencepost
