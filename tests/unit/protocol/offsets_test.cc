#include "protocol/offsets.h"

#include <limits>
#include <map>

#include "json/parse.h"
#include "json/writer.h"
#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::Json;

/// "Long:8" as the vectors spell Java values. Nothing for those that no offset may hold.
std::optional<OffsetValue> value_from(const Json& json) {
  if (json.is_null()) return OffsetValue();
  if (!json.is_string()) return std::nullopt;
  const std::string text = json;
  const auto colon = text.find(':');
  const std::string type = text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (type == "Integer" || type == "Long" || type == "Short" || type == "Byte")
    return OffsetValue(std::int64_t{std::stoll(rest)});
  if (type == "Double" && rest == "4.9E-324") return OffsetValue(std::numeric_limits<double>::denorm_min());
  if (type == "Double") return OffsetValue(std::stod(rest));
  if (type == "Float") return OffsetValue(std::stof(rest));
  if (type == "Boolean") return OffsetValue(rest == "true");
  if (type == "bytes") return OffsetValue(Bytes{testing::from_hex(rest)});
  if (colon != std::string::npos && type != "x\"y\\z/é\U0001F600") return std::nullopt;
  return OffsetValue(text);
}

std::optional<OffsetMap> map_from(const Json& json) {
  OffsetMap out;
  for (const auto& [field, value] : json.items()) {
    const auto converted = value_from(value);
    if (!converted) return std::nullopt;
    out.set(field, *converted);
  }
  return out;
}

TEST(OffsetRecords, AreTheBytesThatJavaWrites) {
  std::size_t written = 0;
  for (const Json& c : testing::vectors("offset_records.json")) {
    if (!c.contains("records") || c.contains("error")) continue;
    SCOPED_TRACE(c["about"].get<std::string>());
    const auto partition = map_from(c["partition_java"]);
    ASSERT_TRUE(partition);
    const auto offset = c["offset_java"].is_null() ? std::nullopt : map_from(c["offset_java"]);
    const Record record = offset_record(c["connector"].get<std::string>(), *partition, offset);
    EXPECT_EQ(testing::to_hex(record.key), c["records"][0]["key_hex"]);
    ASSERT_EQ(record.value.has_value(), c["records"][0]["value_hex"].is_string());
    if (!record.value) continue;
    EXPECT_EQ(testing::to_hex(*record.value), c["records"][0]["value_hex"]);
    EXPECT_EQ(json::write(to_json(*offset)), *record.value);
    ++written;
  }
  EXPECT_EQ(written, 10U);
}

TEST(OffsetMaps, RefuseWhatIsNested) {
  EXPECT_EQ(offset_map_of(*json::parse(R"({"a":1,"n":{"x":1}})")).error().message(),
            "field 'n' holds an object; partitions and offsets hold null, booleans, numbers, text and bytes");
  EXPECT_EQ(offset_map_of(*json::parse("[1]")).error().kind(), ErrorKind::InvalidConfig);
  EXPECT_EQ(offset_map_of(*json::parse(R"({"l":12345678901234567890})")).error().message(),
            "field 'l' holds 12345678901234567890, which does not fit into 64 bits");
  EXPECT_EQ(*offset_map_of(*json::parse(R"({"a":1,"b":1.50,"c":null,"d":"x","e":true})")),
            (OffsetMap{{"a", std::int64_t{1}}, {"b", 1.5}, {"c", std::monostate()}, {"d", std::string("x")}, {"e", true}}));
}

TEST(OffsetState, KnowsThePartitionsThatJavaFinds) {
  // As Java prints the set of maps that it knows.
  const std::map<std::string, std::string> spelled{{R"({"filename":"a"})", "{c=[{filename=a}]}"},
                                                   {R"({"n":{"x":1}})", "{c=[{n={x=1}}]}"},
                                                   {R"({"z":1,"a":2})", "{c=[{a=2, z=1}]}"}};
  for (const Json& c : testing::vectors("offset_records.json")) {
    if (!c.contains("partitions")) continue;
    SCOPED_TRACE(c["key"].dump());
    OffsetState state;
    state.read(R"(["c",{"filename":"a"}])", c["value"].is_null() ? std::optional<std::string_view>("{}") : std::nullopt);
    const auto key = c["key"].is_null() ? std::nullopt : std::optional(c["key"].get<std::string>());
    const auto value = c["value"].is_null() ? std::nullopt : std::optional(c["value"].get<std::string>());
    const std::string warning = state.read(key ? std::optional<std::string_view>(*key) : std::nullopt,
                                           value ? std::optional<std::string_view>(*value) : std::nullopt);
    const auto& partitions = state.partitions("c");
    if (c["partitions"] == "{}" || c["partitions"] == "{c=[]}") {
      EXPECT_TRUE(partitions.empty());
      EXPECT_EQ(warning.empty(), c["partitions"] == "{c=[]}");
    } else {
      ASSERT_EQ(partitions.size(), 1U);
      EXPECT_EQ(spelled.at(json::write(partitions.begin()->second.partition)), c["partitions"]);
      EXPECT_EQ(warning, "");
    }
  }
}

TEST(OffsetState, FindsTheNewestOffset) {
  OffsetState state;
  const OffsetMap partition{{"filename", std::string("f")}};
  for (const std::int64_t position : {8, 15}) {
    const Record record = offset_record("c", partition, OffsetMap{{"position", position}});
    EXPECT_EQ(state.read(record.key, *record.value), "");
  }
  EXPECT_EQ(state.offset("c", partition), (OffsetMap{{"position", std::int64_t{15}}}));
  EXPECT_EQ(state.offset("other", partition), std::nullopt);
  EXPECT_EQ(state.read(offset_key("c", partition), std::nullopt), "");
  EXPECT_EQ(state.offset("c", partition), std::nullopt);
  EXPECT_TRUE(state.partitions("c").empty());
}

// One rubbish record must not cost anybody else the offsets.
TEST(OffsetState, SkipsMalformedRecordsAndSaysWhy) {
  OffsetState state;
  EXPECT_EQ(state.read(R"(["c",{"filename":"f"}])", R"({"position":8})"), "");
  EXPECT_EQ(state.read("rubbish", "{}"), "the key: not JSON: a value was expected (byte 0)");
  EXPECT_EQ(state.read(R"(["c"])", "{}"), R"(the key is not of the form ["connector",{"field":value}])");
  EXPECT_EQ(state.read(R"(["c",{"filename":"f"}])", "[1]"), "the offset of connector 'c': an object was expected, not array");
  EXPECT_EQ(state.read(std::nullopt, "{}"), "the key is null");
  EXPECT_NE(state.read(std::string(1'000'000, '\xFE'), "{}"), "");
  EXPECT_EQ(state.offset("c", {{"filename", std::string("f")}}), (OffsetMap{{"position", std::int64_t{8}}}));
}

}  // namespace
}  // namespace fencepost::protocol
