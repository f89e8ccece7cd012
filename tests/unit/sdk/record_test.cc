#include "fencepost/record.h"

#include <gtest/gtest.h>

namespace fencepost {
namespace {

TEST(SourceOffset, KeepsOneNumberInPlaceAndShowsItAsFields) {
  const SharedString field("offset");
  const SourceOffset offset(field, 42);
  ASSERT_NE(offset.single(), nullptr);
  EXPECT_EQ(offset.single()->number, 42);
  EXPECT_TRUE(offset.fields() == (FieldMap{{"offset", std::int64_t{42}}}));
  EXPECT_TRUE(offset == SourceOffset(FieldMap{{"offset", std::int64_t{42}}}));
  EXPECT_FALSE(offset == SourceOffset());
  EXPECT_FALSE(SourceOffset().has_value());
}

TEST(SourcePartition, CopiesAreRecognisedWithoutComparingFields) {
  const SourcePartition one(FieldMap{{"filename", "f"}});
  const SourcePartition copy = one;
  const SourcePartition equal(FieldMap{{"filename", "f"}});
  EXPECT_EQ(one.identity(), copy.identity());
  EXPECT_NE(one.identity(), equal.identity());
  EXPECT_TRUE(one == equal);
  EXPECT_FALSE(one == SourcePartition());
}

TEST(Headers, KeepDuplicatesAndFindTheLast) {
  Headers headers;
  headers.add("a", "1").add("b", "2").add("a", "3");
  EXPECT_EQ(headers.last("a")->value, Value("3"));
  EXPECT_EQ(headers.remove("a"), 2U);
  EXPECT_EQ(headers.size(), 1U);
  EXPECT_EQ(headers.last("a"), nullptr);
}

TEST(ConnectRecord, EstimatesWhatItHolds) {
  SourceRecord record;
  const std::size_t empty = record.size_estimate();
  record.value = Value::bytes(std::string(1000, 'x'));
  EXPECT_GE(record.size_estimate(), empty + 1000);
}

}  // namespace
}  // namespace fencepost
