#include "builtin/converters/json_converter.h"

#include <gtest/gtest.h>

#include "json/parse.h"
#include "neutral_values.h"
#include "vectors.h"

namespace fencepost::builtin {
namespace {

using testing::Json;

void configure(JsonConverter& converter, const Json& settings) {
  ConfigMap config;
  for (const auto& [name, value] : settings.items()) config.emplace(name, value.get<std::string>());
  converter.configure(config, false);
}

JsonConverter converter_of(const Json& settings) {
  JsonConverter converter;
  configure(converter, settings);
  return converter;
}

std::string shown(const SchemaAndValue& data) {
  return data.value.to_display() + " of kind " + std::string(to_string(data.value.kind())) +
         (data.schema ? " with schema " + std::string(to_string(data.schema->type())) : "");
}

/// Parameters stand in the order of Java's HashMap, which means nothing; everything else is the same byte by byte.
void expect_same_json(const std::string& found, const std::string& wanted, const std::string& about) {
  if (found == wanted) return;
  const bool only_order = wanted.find("\"parameters\"") != std::string::npos && json::parse(found) == json::parse(wanted);
  EXPECT_TRUE(only_order) << about << "\n  wrote  " << found << "\n  wanted " << wanted;
}

/// Java's converters throw for values that have no counterpart among ours.
bool has_no_counterpart(const Json& value) { return value.dump().find("java:") != std::string::npos; }

void check_write(const Json& c) {
  if (has_no_counterpart(c["value"])) return;
  const std::string about = c["about"].get<std::string>() + " " + c["config"].dump() + " " + c["value"].dump();
  JsonConverter converter = converter_of(c["config"]);
  const SchemaPtr schema = testing::neutral_schema(c["schema"]);
  Headers headers;
  if (c.contains("error")) {
    EXPECT_THROW((void)converter.from_connect("t", headers, schema, testing::neutral_value(c["value"], schema)), DataError)
        << about;
    return;
  }
  const auto bytes = converter.from_connect("t", headers, schema, testing::neutral_value(c["value"], schema));
  ASSERT_EQ(bytes.has_value(), !c["bytes"].is_null()) << about;
  if (bytes) expect_same_json(std::string(bytes->view()), testing::from_hex(c["bytes"]), about);

  const SchemaAndValue back = converter.to_connect("t", headers, bytes);
  const SchemaPtr back_schema = testing::neutral_schema(c["read_back"]["schema"]);
  EXPECT_TRUE(same_schema(back.schema, back_schema)) << about;
  // Java's node for -0.0 is a decimal, which has no negative zero.
  if (c["text"] == "-0.0" || (bytes && bytes->view().find(":-0.0") != std::string_view::npos)) return;
  EXPECT_TRUE(back.value == testing::neutral_value(c["read_back"]["value"], back_schema))
      << about << " came back as " << shown(back);
}

void check_read(const Json& c) {
  const std::string about = c["about"].get<std::string>() + " " + c["config"].dump() + " " + c["text"].dump();
  JsonConverter converter = converter_of(c["config"]);
  const std::optional<Bytes> bytes = c["bytes"].is_null() ? std::nullopt : std::optional(Bytes(testing::from_hex(c["bytes"])));
  // Twice: the second time, the schema's text is known.
  for (int round = 0; round < 2; ++round) {
    if (c.contains("error")) {
      EXPECT_THROW((void)converter.to_connect("t", {}, bytes), DataError) << about;
      continue;
    }
    const SchemaPtr schema = testing::neutral_schema(c["schema"]);
    const SchemaAndValue found = converter.to_connect("t", {}, bytes);
    EXPECT_TRUE(same_schema(found.schema, schema)) << about;
    EXPECT_TRUE(found.value == testing::neutral_value(c["value"], schema)) << about << " became " << shown(found);
  }
}

TEST(JsonConverter, WritesWhatJavasWritesAndReadsItBack) {
  for (const Json& c : testing::vectors("json_converter.json")) {
    if (c["direction"] == "from_connect") check_write(c);
  }
}

TEST(JsonConverter, ReadsWhatJavasReads) {
  for (const Json& c : testing::vectors("json_converter.json")) {
    if (c["direction"] == "to_connect") check_read(c);
  }
}

TEST(JsonConverter, KnowsASchemaAgainOnlyWhereTheRestIsInOrder) {
  JsonConverter converter = converter_of(Json::object());
  const auto read = [&](const std::string& text) { return converter.to_connect("t", {}, Bytes(text)); };
  const std::string start = R"({"schema":{"type":"int32","doc":"}\"{"},"payload":)";
  EXPECT_EQ(read(start + "1}").value, Value(1));
  EXPECT_EQ(read(start + "2}").value, Value(2));
  EXPECT_EQ(read(start + "3} trailing").value, Value(3));
  EXPECT_THROW((void)read(start + "4"), DataError);
  EXPECT_THROW((void)read(start + "5,\"more\":1}"), DataError);
  EXPECT_THROW((void)read(start + "6,\"payload2\":{}}"), DataError);
  // A doubled member: the last wins, as in the full reader.
  EXPECT_EQ(read(start + "7,\"payload\":8}").value, Value(8));
}

TEST(JsonConverter, TakesTheSchemaFromItsSettingsWhereRecordsCarryNone) {
  JsonConverter converter = converter_of(Json{{"schema.content", R"({"type":"int8"})"}});
  const SchemaAndValue found = converter.to_connect("t", {}, Bytes("7"));
  EXPECT_TRUE(same_schema(found.schema, Schema::int8()));
  EXPECT_EQ(found.value, Value(std::int8_t{7}));
  JsonConverter wrong;
  EXPECT_THROW(configure(wrong, Json{{"schema.content", "{"}}), ConfigError);
}

TEST(JsonConverter, KeepsNoMoreSchemasThanItIsTold) {
  JsonConverter converter = converter_of(Json{{"schemas.cache.size", "1"}});
  Headers headers;
  for (int i = 0; i < 3; ++i) {
    for (const SchemaPtr& schema : {Schema::int32(), Schema::optional_int32()}) {
      const auto bytes = converter.from_connect("t", headers, schema, i);
      EXPECT_TRUE(same_schema(converter.to_connect("t", headers, bytes).schema, schema));
    }
  }
}

TEST(JsonConverter, SurvivesNumbersOfHostileSize) {
  JsonConverter converter = converter_of(Json{{"schemas.enable", "false"}});
  EXPECT_NO_THROW((void)converter.to_connect("t", {}, Bytes("1e999999999")));
  JsonConverter with_schema = converter_of(Json::object());
  EXPECT_EQ(with_schema.to_connect("t", {}, Bytes(R"({"schema":{"type":"int64"},"payload":1e999999999})")).value,
            Value(std::int64_t{0}));
}

// Small texts share memory that goes with the last of them; large ones have their own.
TEST(JsonConverter, LeavesWhatItWroteAloneWhenItWritesMoreAndWhenItIsGone) {
  std::vector<std::pair<std::string, Bytes>> written;
  {
    JsonConverter converter = converter_of({{"schemas.enable", "false"}});
    Headers headers;
    for (std::size_t i = 0; i < 400; ++i) {
      const std::string text(i % 50 == 49 ? 20'000 : i, static_cast<char>('a' + i % 26));
      written.emplace_back('"' + text + '"', converter.from_connect("t", headers, nullptr, Value(text)).value());
    }
  }
  for (const auto& [wanted, bytes] : written) EXPECT_EQ(bytes.view(), wanted);
}

}  // namespace
}  // namespace fencepost::builtin
