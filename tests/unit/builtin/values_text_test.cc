#include "builtin/converters/values_text.h"

#include <gtest/gtest.h>

#include "builtin/converters/primitive_converters.h"
#include "builtin/converters/simple_header_converter.h"
#include "neutral_values.h"

namespace fencepost::builtin {
namespace {

using testing::Json;

TEST(ParseValuesText, MakesOfEveryTextWhatJavaMakes) {
  for (const Json& c : testing::vectors("values.json")) {
    if (c["kind"] != "parse" || c["text"].is_null()) continue;
    const SchemaAndValue found = parse_values_text(c["text"].get<std::string>());
    const SchemaPtr schema = testing::neutral_schema(c["schema"]);
    EXPECT_TRUE(same_schema(found.schema, schema)) << c["text"].dump();
    EXPECT_TRUE(found.value == testing::neutral_value(c["value"], schema))
        << c["text"].dump() << " became " << found.value.to_display();
  }
}

TEST(ParseValuesText, SurvivesHostileTexts) {
  for (const std::string& text : {std::string(100'000, '['), std::string(100'000, '{'), std::string("1e99999999"),
                                  std::string(50'000, '9'), std::string(10'000, '\\'), std::string("99999999999999999999-1-1")}) {
    EXPECT_NO_THROW((void)parse_values_text(text));
  }
}

TEST(SimpleHeaderConverter, WritesWhatJavasWrites) {
  SimpleHeaderConverter converter;
  for (const Json& c : testing::vectors("values.json")) {
    if (c["kind"] != "header_write") continue;
    const SchemaPtr schema = testing::neutral_schema(c["schema"]);
    const auto bytes = converter.from_connect_header("t", "h", schema, testing::neutral_value(c["value"], schema));
    ASSERT_EQ(bytes.has_value(), !c["bytes"].is_null()) << c["value"].dump();
    EXPECT_EQ(bytes ? Json(testing::to_hex(std::string(bytes->view()))) : Json(), c["bytes"]) << c["value"].dump();
  }
}

template <class Class>
std::unique_ptr<Converter> make() {
  return std::make_unique<Class>();
}

std::unique_ptr<Converter> converter_named(const std::string& class_name) {
  static const std::map<std::string, std::unique_ptr<Converter> (*)()> makers = {
      {"BooleanConverter", make<BooleanConverter>},     {"ShortConverter", make<ShortConverter>},
      {"IntegerConverter", make<IntegerConverter>},     {"LongConverter", make<LongConverter>},
      {"FloatConverter", make<FloatConverter>},         {"DoubleConverter", make<DoubleConverter>},
      {"ByteArrayConverter", make<ByteArrayConverter>}, {"StringConverter", make<StringConverter>}};
  auto converter = makers.at(class_name.substr(class_name.rfind('.') + 1))();
  converter->configure({}, false);
  return converter;
}

TEST(PrimitiveConverters, ReadAndWriteAsKafkasSerialisersDo) {
  for (const Json& c : testing::vectors("values.json")) {
    if (c["kind"] != "converter_read" && c["kind"] != "converter_write") continue;
    const auto converter = converter_named(c["converter"]);
    const SchemaPtr schema = testing::neutral_schema(c.value("schema", Json()));
    Headers headers;
    if (c["kind"] == "converter_write") {
      const Value value = testing::neutral_value(c["value"], schema);
      if (c.contains("error")) {
        EXPECT_THROW((void)converter->from_connect("t", headers, schema, value), DataError) << c.dump();
        continue;
      }
      const auto bytes = converter->from_connect("t", headers, schema, value);
      EXPECT_EQ(bytes ? Json(testing::to_hex(std::string(bytes->view()))) : Json(), c["bytes"]) << c.dump();
      continue;
    }
    const std::optional<Bytes> bytes = c["bytes"].is_null() ? std::nullopt : std::optional(Bytes(testing::from_hex(c["bytes"])));
    if (c.contains("error")) {
      EXPECT_THROW((void)converter->to_connect("t", headers, bytes), DataError) << c.dump();
      continue;
    }
    const SchemaAndValue found = converter->to_connect("t", headers, bytes);
    EXPECT_TRUE(same_schema(found.schema, schema)) << c.dump();
    EXPECT_TRUE(found.value == testing::neutral_value(c["value"], schema)) << c.dump() << found.value.to_display();
  }
}

}  // namespace
}  // namespace fencepost::builtin
