#include "fencepost/data.h"

#include <gtest/gtest.h>

#include <limits>

#include "fencepost/schema.h"

namespace fencepost {
namespace {

TEST(Value, IsSmallEnoughToLieInRecordsByValue) { EXPECT_LE(sizeof(Value), 32U); }

TEST(Value, SharesBytesWithTheirOwnerInsteadOfCopyingThem) {
  const auto owner = std::make_shared<const std::string>("payload");
  Value value = Value::bytes(Bytes(owner, *owner));
  const Value copy = value;
  EXPECT_EQ(copy.as_bytes().data(), owner->data());
  EXPECT_EQ(owner.use_count(), 3);
  const Value moved = std::move(value);
  EXPECT_EQ(owner.use_count(), 3);
  EXPECT_TRUE(value.is_null());  // NOLINT: a moved value is null, not dangling
}

TEST(Value, TextOutlivesWhatItWasMadeFrom) {
  Value value;
  {
    const std::string text = "a text that is too long for any small buffer";
    value = text;
  }
  EXPECT_EQ(value.as_string(), "a text that is too long for any small buffer");
}

TEST(Value, RefusesToBeReadAsAnotherKind) {
  EXPECT_THROW((void)Value(7).as_int64(), DataError);
  EXPECT_THROW((void)Value("7").as_int32(), DataError);
  EXPECT_EQ(Value(std::int16_t{7}).as_integer(), 7);
  EXPECT_THROW((void)Value(7.0).as_integer(), DataError);
}

TEST(Value, ComparesAsJavaDoes) {
  EXPECT_FALSE(Value(1) == Value(std::int64_t{1}));
  EXPECT_TRUE(Value(std::numeric_limits<double>::quiet_NaN()) == Value(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Value(0.0) == Value(-0.0));
  EXPECT_FALSE(Value("a") == Value::bytes("a"));
  EXPECT_TRUE(Value(ValueMap{{"a", 1}, {"b", 2}}) == Value(ValueMap{{"b", 2}, {"a", 1}}));
  EXPECT_FALSE(Value(ValueList{1, 2}) == Value(ValueList{2, 1}));
}

TEST(Struct, FillsInDefaultsButKeepsWhatWasPut) {
  const SchemaPtr with_default = SchemaBuilder(SchemaType::Int32).optional().default_value(5).build();
  const SchemaPtr schema = SchemaBuilder::structure().field("a", with_default).field("b", Schema::string()).build();
  Struct fields(schema);
  EXPECT_EQ(fields.get("a"), Value(5));
  EXPECT_TRUE(fields.get_without_default("a").is_null());
  EXPECT_THROW(fields.validate(), DataError);
  fields.put("b", "x");
  fields.validate();
  EXPECT_THROW(fields.put("b", 1), DataError);
  EXPECT_THROW(fields.put("c", 1), DataError);
}

TEST(FieldMap, KeepsItsOrderAndIgnoresItInEquality) {
  const FieldMap one{{"topic", "t"}, {"partition", 0}};
  const FieldMap other{{"partition", 0}, {"topic", "t"}};
  EXPECT_EQ(one.begin()->first, "topic");
  EXPECT_TRUE(one == other);
}

}  // namespace
}  // namespace fencepost
