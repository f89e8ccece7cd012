#include "fencepost/schema.h"

#include <gtest/gtest.h>

namespace fencepost {
namespace {

TEST(Schema, IsEqualByContentNotByIdentity) {
  const auto make = [] {
    return SchemaBuilder::structure()
        .name("User")
        .version(2)
        .doc("d")
        .field("id", Schema::int64())
        .field("name", Schema::optional_string())
        .build();
  };
  EXPECT_NE(make(), make());
  EXPECT_TRUE(same_schema(make(), make()));
  EXPECT_FALSE(same_schema(make(), SchemaBuilder::structure().name("User").build()));
  EXPECT_TRUE(same_schema(nullptr, nullptr));
  EXPECT_FALSE(same_schema(nullptr, Schema::string()));
}

TEST(SchemaBuilder, RefusesContradictions) {
  EXPECT_THROW(SchemaBuilder::structure().field("a", Schema::int8()).field("a", Schema::int8()), DataError);
  EXPECT_THROW(SchemaBuilder(SchemaType::Int32).field("a", Schema::int8()), DataError);
  EXPECT_THROW(SchemaBuilder(SchemaType::Int32).default_value("x"), DataError);
}

TEST(SchemaBuilder, CopiesEverythingOfASchema) {
  const SchemaPtr schema = SchemaBuilder::decimal(2).optional().doc("money").build();
  EXPECT_TRUE(same_schema(SchemaBuilder::copy_of(*schema).build(), schema));
}

TEST(ValidateValue, WantsTheKindThatTheSchemaNames) {
  EXPECT_NO_THROW(validate_value(Schema::int32().get(), 1));
  EXPECT_THROW(validate_value(Schema::int32().get(), std::int64_t{1}), DataError);
  EXPECT_THROW(validate_value(Schema::string().get(), nullptr), DataError);
  EXPECT_NO_THROW(validate_value(Schema::optional_string().get(), nullptr));
  EXPECT_NO_THROW(validate_value(nullptr, 1));
  EXPECT_NO_THROW(validate_value(SchemaBuilder::timestamp().build().get(), Value::date_ms(1)));
  EXPECT_THROW(validate_value(SchemaBuilder::timestamp().build().get(), std::int64_t{1}), DataError);
  EXPECT_NO_THROW(validate_value(SchemaBuilder::decimal(2).build().get(), Decimal(1, 2)));
}

TEST(ValidateValue, LooksIntoCollections) {
  const SchemaPtr map = SchemaBuilder::map(Schema::string(), SchemaBuilder::array(Schema::int8()).build()).build();
  EXPECT_NO_THROW(validate_value(map.get(), ValueMap{{"a", ValueList{std::int8_t{1}}}}));
  EXPECT_THROW(validate_value(map.get(), ValueMap{{"a", ValueList{1}}}), DataError);
  EXPECT_THROW(validate_value(map.get(), ValueMap{{1, ValueList{}}}), DataError);
}

TEST(ValidateValue, TakesAnythingWhereTheSchemaOfItemsIsNotKnown) {
  const SchemaPtr array = SchemaBuilder::array(nullptr).build();
  EXPECT_NO_THROW(validate_value(array.get(), ValueList{1, "a", nullptr}));
  EXPECT_TRUE(same_schema(array, SchemaBuilder::array(nullptr).build()));
}

TEST(ValidateValue, NamesTheField) {
  try {
    validate_value(Schema::int32().get(), "x", "price");
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("\"price\""), std::string::npos);
  }
}

}  // namespace
}  // namespace fencepost
