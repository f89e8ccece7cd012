#include <gtest/gtest.h>

#include "fencepost/data.h"

namespace fencepost {
namespace {

std::string bytes_of(const Decimal& number) { return std::string(number.unscaled().view()); }

TEST(Decimal, KeepsTheFewestBytesAsBigIntegerDoes) {
  EXPECT_EQ(bytes_of(Decimal(0, 0)), std::string("\0", 1));
  EXPECT_EQ(bytes_of(Decimal(127, 0)), "\x7f");
  EXPECT_EQ(bytes_of(Decimal(128, 0)), std::string("\0\x80", 2));
  EXPECT_EQ(bytes_of(Decimal(-128, 0)), "\x80");
  EXPECT_EQ(bytes_of(Decimal(-129, 0)), "\xff\x7f");
  EXPECT_EQ(bytes_of(Decimal(-1, 0)), "\xff");
  EXPECT_EQ(bytes_of(Decimal(256, 0)), std::string("\x01\0", 2));
  EXPECT_EQ(bytes_of(Decimal(-256, 0)), std::string("\xff\0", 2));
}

TEST(Decimal, ReadsBackWhatItWroteForAllNumbersOfTwoBytesAndMore) {
  for (std::int64_t number = -70'000; number <= 70'000; number += 7) {
    EXPECT_EQ(Decimal(number, 0).unscaled_digits(), std::to_string(number));
  }
  const std::string huge = "123456789012345678901234567890123456789012345678901234567890";
  EXPECT_EQ(Decimal::from_digits(huge, 0).unscaled_digits(), huge);
  EXPECT_EQ(Decimal::from_digits("-" + huge, 0).unscaled_digits(), "-" + huge);
}

TEST(Decimal, PrintsAsBigDecimalDoes) {
  EXPECT_EQ(Decimal(12340, 3).to_string(), "12.340");
  EXPECT_EQ(Decimal(-5, 3).to_string(), "-0.005");
  EXPECT_EQ(Decimal(5, 7).to_string(), "5E-7");
  EXPECT_EQ(Decimal(15, 8).to_string(), "1.5E-7");
  EXPECT_EQ(Decimal(1, -3).to_string(), "1E+3");
  EXPECT_EQ(Decimal(12, -3).to_plain_string(), "12000");
  EXPECT_EQ(Decimal(5, 7).to_plain_string(), "0.0000005");
  EXPECT_EQ(Decimal(0, 2).to_string(), "0.00");
}

TEST(Decimal, ReadsPlainAndScientificTextAndNothingElse) {
  EXPECT_EQ(Decimal::parse("12.340"), Decimal(12340, 3));
  EXPECT_EQ(Decimal::parse("-1.5E+3"), Decimal(-15, -2));
  EXPECT_EQ(Decimal::parse("+7"), Decimal(7, 0));
  EXPECT_EQ(Decimal::parse(".5"), Decimal(5, 1));
  for (const char* text : {"", "-", "+-1", "1.2.3", "1e", "e5", "0x1", " 1", "1-", "1e99999999999"}) {
    EXPECT_THROW((void)Decimal::parse(text), DataError) << text;
  }
}

TEST(Decimal, ComparesNumberAndScale) {
  EXPECT_FALSE(Decimal(10, 1) == Decimal(1, 0));
  EXPECT_TRUE(Decimal(Bytes(std::string_view("\0\0\x01", 3)), 0) == Decimal(1, 0));
}

TEST(Decimal, RefusesToWriteOutWhatWouldFillTheMemory) {
  EXPECT_THROW((void)Decimal(1, -2'000'000'000).to_plain_string(), DataError);
  EXPECT_EQ(Decimal(1, -400).to_double(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Decimal(1, 400).to_double(), 0.0);
}

}  // namespace
}  // namespace fencepost
