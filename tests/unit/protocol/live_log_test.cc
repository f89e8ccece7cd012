#include <map>

#include "json/parse.h"
#include "json/writer.h"
#include "protocol/config_state.h"
#include "protocol/offsets.h"
#include "protocol/status_state.h"
#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::Json;

struct LiveRecord {
  std::int64_t offset = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
};

std::optional<std::string> bytes_from(const Json& hex) {
  return hex.is_null() ? std::nullopt : std::optional(testing::from_hex(hex));
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

/// What a live Java worker left in a topic.
std::vector<LiveRecord> live(const std::string& topic) {
  std::vector<LiveRecord> out;
  for (const Json& record : testing::vectors("live_topics.json")) {
    if (record.value("topic", "") != topic || !record.contains("offset")) continue;
    out.push_back({record["offset"].get<std::int64_t>(), bytes_from(record["key"]), bytes_from(record["value"])});
  }
  EXPECT_FALSE(out.empty()) << topic;
  return out;
}

void expect_rewritten(const std::optional<std::string>& value) {
  EXPECT_TRUE(!value || json::write(*json::parse(*value)) == *value);
}

TEST(LiveLogs, OfConfigsAreReadWithoutAWarning) {
  ConfigState state;
  std::int64_t last = -1;
  for (const LiveRecord& record : live("demo-configs")) {
    EXPECT_EQ(state.read(LogPosition(record.offset), view(record.key), view(record.value)).warning, "");
    expect_rewritten(record.value);
    last = record.offset;
  }
  EXPECT_EQ(state.offset(), LogPosition(last + 1));
  EXPECT_FALSE(state.connectors().empty());
  EXPECT_TRUE(state.session_key());
}

TEST(LiveLogs, OfStatusesAreReadWithoutAWarning) {
  StatusState state;
  for (const LiveRecord& record : live("demo-status")) {
    EXPECT_EQ(state.read(view(record.key), view(record.value)), "");
    expect_rewritten(record.value);
  }
  EXPECT_FALSE(state.connectors().empty());
}

TEST(LiveLogs, OfOffsetsAreReadWithoutAWarning) {
  OffsetState state;
  for (const LiveRecord& record : live("demo-offsets")) {
    EXPECT_EQ(state.read(view(record.key), view(record.value)), "");
    expect_rewritten(record.value);
    const auto key = parse_offset_key(*record.key);
    ASSERT_TRUE(key);
    EXPECT_EQ(offset_key(key->connector, *offset_map_of(key->partition)), *record.key);
  }
}

}  // namespace
}  // namespace fencepost::protocol
