#include "protocol/config_records.h"

#include <map>

#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::Json;

std::map<std::string, std::vector<Record>> written() {
  const SessionKey key{"0123456789abcdef0123456789abcdef", "HmacSHA256", Time(Duration(1700000000000))};
  const Properties strange{
      {"name", "ü \"q\""}, {"a", std::nullopt}, {"b", "line\nfeed\ttab\\ \x01 / </x> \u2028 \U0001F600"}, {"", ""}};
  return {
      {"create a connector without an initial state",
       {connector_record("c", {{"name", "c"}, {"connector.class", "FileStreamSource"}})}},
      {"create a connector STOPPED: the target state goes first, in the same transaction",
       {target_state_record("c", TargetState::Stopped), connector_record("c", {{"name", "c"}})}},
      {"create a connector PAUSED", {target_state_record("c", TargetState::Paused), connector_record("c", {{"name", "c"}})}},
      {"a config with a null value and with characters that JSON escapes", {connector_record("ü \"q\"", strange)}},
      {"delete a connector: two tombstones in one transaction", {connector_tombstone("c"), target_state_tombstone("c")}},
      {"two task configs and the commit",
       {task_record({"c", 0}, {{"task.class", "T"}, {"n", "0"}}), task_record({"c", 1}, {{"task.class", "T"}, {"n", "1"}}),
        commit_record("c", 2)}},
      {"no tasks: only a commit", {commit_record("c", 0)}},
      {"an empty task config", {task_record({"c-1", 0}, {}), commit_record("c-1", 1)}},
      {"target state STARTED", {target_state_record("c", TargetState::Started)}},
      {"target state PAUSED", {target_state_record("c", TargetState::Paused)}},
      {"target state STOPPED: old readers see PAUSED", {target_state_record("c", TargetState::Stopped)}},
      {"task-count record", {task_count_record("c", 3)}},
      {"task-count record of nought", {task_count_record("a-b", 0)}},
      {"session key", {session_key_record(key)}},
      {"restart request, connector only", {restart_record({"c", false, false})}},
      {"restart request with tasks, all", {restart_record({"c", false, true})}},
      {"restart request with tasks, only failed", {restart_record({"c", true, true})}},
      {"logger level in the cluster", {logger_level_record("org.apache.kafka.connect", "DEBUG")}},
      {"root logger", {logger_level_record("root", "WARN")}},
  };
}

TEST(ConfigRecords, AreTheBytesThatJavaWrites) {
  const auto ours = written();
  std::size_t cases = 0;
  for (const Json& c : testing::vectors("config_records.json")) {
    SCOPED_TRACE(c["about"].get<std::string>());
    std::vector<Record> expected;
    for (const Json& step : c["steps"]) {
      if (!step.is_object()) continue;
      Record record{testing::from_hex(step["key_hex"]), std::nullopt};
      if (step["value_hex"].is_string()) record.value = testing::from_hex(step["value_hex"]);
      expected.push_back(std::move(record));
    }
    ASSERT_TRUE(ours.contains(c["about"]));
    EXPECT_EQ(ours.at(c["about"]), expected);
    ++cases;
  }
  EXPECT_EQ(cases, ours.size());
}

TEST(ConfigRecords, HaveKeysThatAreReadBack) {
  using Kind = ConfigKey::Kind;
  EXPECT_EQ(*parse_config_key("connector-a-1"), (ConfigKey{Kind::Connector, "a-1", -1}));
  EXPECT_EQ(*parse_config_key("task-a-1-12"), (ConfigKey{Kind::Task, "a-1", 12}));
  EXPECT_EQ(*parse_config_key("task--0"), (ConfigKey{Kind::Task, "", 0}));
  EXPECT_EQ(*parse_config_key("tasks-fencing-task-1"), (ConfigKey{Kind::TaskCount, "task-1", -1}));
  EXPECT_EQ(*parse_config_key("session-key"), (ConfigKey{Kind::SessionKey, "", -1}));
  for (const char* foreign :
       {"", "connector", "Connector-c", "task-c", "task-c-", "task-c-x", "task-c-99999999999", "session-key-2", "delete-c"}) {
    EXPECT_FALSE(parse_config_key(foreign)) << foreign;
  }
}

}  // namespace
}  // namespace fencepost::protocol
