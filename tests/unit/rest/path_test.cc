#include "rest/path.h"

#include <gtest/gtest.h>

namespace fencepost::rest {
namespace {

using Segments = std::vector<std::string>;

TEST(Paths, AreSplitBeforeTheyAreDecodedAndDotsStayAsTheyAre) {
  EXPECT_EQ(*split_path("/"), Segments());
  EXPECT_EQ(*split_path("/connectors/a%2Fb%25/"), (Segments{"connectors", "a/b%"}));
  EXPECT_EQ(*split_path("/./../..."), (Segments{".", "..", "..."}));
  EXPECT_EQ(*split_path("/a+b;c=d,e/%F0%9F%98%80"), (Segments{"a+b;c=d,e", "😀"}));
}

TEST(Paths, ThatAreDamagedAreNone) {
  for (const char* path :
       {"", "x", "//", "//x", "/x//", "/%", "/%4", "/%4g", "/%ff", "/%C0%80", "/%ED%A0%80", "/%00", "/%0A", "/%7F", "/\x80"}) {
    EXPECT_FALSE(split_path(path)) << path;
  }
}

TEST(Names, AreEncodedSoThatTheyAreReadBack) {
  for (const char* name :
       {"a/b", "50%", "%41", "my conn", "x?y#z", "a+b", "\"q\"", "[x]^`|<y>", "名前", "..", "{x}", "a\\b", "~t!$'()*@:"}) {
    EXPECT_EQ(split_path("/" + encode_segment(name))->front(), name);
    EXPECT_EQ(split_path("/" + encode_strictly(name))->front(), name);
  }
}

TEST(Queries, AreReadInOrderWithBlanksAndEscapes) {
  EXPECT_EQ(parse_query("a=1&b&&c=x%26y+z&a=%zz&=v"), (Query{{"a", "1"}, {"b", ""}, {"c", "x&y z"}, {"a", "%zz"}, {"", "v"}}));
  EXPECT_TRUE(query_flag(parse_query("x=TRUE&x=false"), "x", false));
  EXPECT_FALSE(query_flag(parse_query("x=1"), "x", true));
  EXPECT_TRUE(query_flag(parse_query(""), "x", true));
}

}  // namespace
}  // namespace fencepost::rest
