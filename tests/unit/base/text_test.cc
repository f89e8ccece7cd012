#include "base/text.h"

#include <gtest/gtest.h>

namespace fencepost {
namespace {

TEST(TextOfStrangers, IsShownAsItIsWhenItIsPrintable) {
  EXPECT_EQ(shown("status-connector-größe €, 😀 \"x\""), "status-connector-größe €, 😀 \"x\"");
}

TEST(TextOfStrangers, ShowsBytesThatAreNoCharactersAndControlsAsNumbers) {
  EXPECT_EQ(shown(std::string_view("a\0b\x1b[31m\n\x7f", 10)), "a\\x00b\\x1b[31m\\x0a\\x7f");
  EXPECT_EQ(shown("\xff\xc0\xaf\xed\xa0\x80\xf5\xc3"), "\\xff\\xc0\\xaf\\xed\\xa0\\x80\\xf5\\xc3");
  EXPECT_EQ(shown("\xc2\x9b"
                  "1m"),
            "\\xc2\\x9b1m");
  EXPECT_EQ(shown("\xe2\x82"), "\\xe2\\x82");
}

TEST(TextOfStrangers, IsCutAtACharacterWithItsLengthTold) {
  EXPECT_EQ(shown(std::string(1000, 'x'), 3), "xxx... (1000 bytes)");
  EXPECT_EQ(shown("aé", 2), "aé");
  EXPECT_EQ(shown("éa", 1), "é... (3 bytes)");
}

TEST(LogText, CannotPassForALineOfItsOwn) {
  EXPECT_EQ(log_text("name\n[2026-01-01] I forged"), "name\n\t[2026-01-01] I forged");
  EXPECT_EQ(log_text("trace\n\tat x\n\tat y"), "trace\n\tat x\n\tat y");
  EXPECT_EQ(log_text("a\r\x1b[2Jb\xff"), "a\\x0d\\x1b[2Jb\\xff");
}

}  // namespace
}  // namespace fencepost
