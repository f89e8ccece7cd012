#include "protocol/config_state.h"

#include "json/parse.h"
#include "json/writer.h"
#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::Json;

std::string names(const std::vector<TaskId>& tasks) {
  std::string out;
  for (const TaskId& task : tasks) out += (out.empty() ? "" : ", ") + task.to_string();
  return "[" + out + "]";
}

/// An event as the vectors spell it; nothing for events that Java's listeners do not have.
std::string spelled(const ConfigEvent& event, const ConfigState& state) {
  if (const auto* e = std::get_if<ConnectorConfigUpdated>(&event)) return "connector-config-updated " + e->connector;
  if (const auto* e = std::get_if<ConnectorConfigRemoved>(&event)) return "connector-config-removed " + e->connector;
  if (const auto* e = std::get_if<TaskConfigsUpdated>(&event)) return "task-configs-updated " + names(e->tasks);
  if (const auto* e = std::get_if<TargetStateChanged>(&event)) return "target-state-changed " + e->connector;
  if (const auto* e = std::get_if<LoggerLevelUpdated>(&event)) return "logger " + e->logger + " " + e->level;
  if (const auto* e = std::get_if<RestartRequested>(&event)) {
    return "restart-requested " + e->request.connector + " onlyFailed=" + (e->request.only_failed ? "true" : "false") +
           " includeTasks=" + (e->request.include_tasks ? "true" : "false");
  }
  if (std::holds_alternative<SessionKeyUpdated>(event)) {
    return "session-key-updated " + state.session_key()->algorithm + " " +
           std::to_string(state.session_key()->created.time_since_epoch().count());
  }
  return {};
}

/// A config as the vectors show it, where numbers stand for the text that they are to us.
void expect_config(const Json& expected, const Properties* config) {
  ASSERT_EQ(config == nullptr, expected.is_null());
  if (config == nullptr) return;
  Properties out;
  for (const auto& [key, value] : expected.items()) {
    out.set(key, value.is_null() ? Properties::Value() : value.is_string() ? value.get<std::string>() : value.dump());
  }
  EXPECT_EQ(*config, out);
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void expect_connector(const Json& expected, const ConfigState& state, const std::string& name) {
  SCOPED_TRACE(name);
  EXPECT_EQ(state.contains(name), expected["contains"].get<bool>());
  expect_config(expected["config"], state.config(name));
  expect_config(expected["applied_config"], state.applied_config(name));
  const auto target = state.target_state(name);
  EXPECT_EQ(target ? std::string(to_string(*target)) : "null", expected["target_state"]);
  const ConnectorInfo* info = state.find(name);
  EXPECT_EQ(info == nullptr ? 0 : info->task_count, expected["task_count"].get<std::int32_t>());
  EXPECT_EQ(or_null(state.task_count_record(name)), expected["task_count_record"]);
  EXPECT_EQ(or_null(state.task_config_generation(name)), expected["task_config_generation"]);
  EXPECT_EQ(state.pending_fencing(name), expected["pending_fencing"].get<bool>());
  const auto tasks = state.tasks(name);
  EXPECT_EQ(tasks.size(), expected["task_configs"].size());
  for (const TaskId& task : tasks) {
    ASSERT_TRUE(expected["task_configs"].contains(task.to_string()));
    expect_config(expected["task_configs"][task.to_string()], state.task_config(task));
  }
}

void expect_state(const Json& expected, const ConfigState& state) {
  EXPECT_EQ(state.offset().value, expected["offset"].get<std::int64_t>());
  EXPECT_EQ(Json(state.inconsistent_connectors()), expected["inconsistent"]);
  std::vector<std::string> configured;
  for (const auto& [name, connector] : expected["connectors"].items()) {
    expect_connector(connector, state, name);
    if (connector["contains"].get<bool>()) configured.push_back(name);
  }
  EXPECT_EQ(state.connectors(), configured);
  ASSERT_EQ(state.session_key().has_value(), !expected["session_key"].is_null());
  if (state.session_key()) {
    EXPECT_EQ(testing::to_hex(state.session_key()->secret), expected["session_key"]["key"]);
    EXPECT_EQ(state.session_key()->algorithm, expected["session_key"]["algorithm"]);
  }
}

class ConfigReplay : public ::testing::TestWithParam<const char*> {};

TEST_P(ConfigReplay, GivesTheStateAndTheEventsThatJavaGives) {
  for (const Json& c : testing::vectors(GetParam())) {
    SCOPED_TRACE(c["about"].get<std::string>());
    ConfigState state;
    std::vector<std::string> events;
    std::int64_t position = 0;
    std::size_t warnings = 0;
    for (const Json& record : c["records"]) {
      const std::string key = record["key"];
      const std::string value = record["value"].is_null() ? "" : record["value"].get<std::string>();
      const ConfigRead read = state.read(LogPosition(position++), key,
                                         record["value"].is_null() ? std::nullopt : std::optional<std::string_view>(value));
      if (!read.warning.empty()) ++warnings;
      EXPECT_FALSE(read.event && !read.warning.empty());
      if (read.event && !spelled(*read.event, state).empty()) events.push_back(spelled(*read.event, state));
    }
    // Where Java's callback throws, ours warns.
    std::vector<std::string> expected;
    std::size_t exceptions = 0;
    for (const std::string event : c["events"]) {
      if (event.starts_with("exception ")) {
        ++exceptions;
      } else {
        expected.push_back(event);
      }
    }
    EXPECT_EQ(events, expected);
    EXPECT_GE(warnings, exceptions);
    expect_state(c["state"], state);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, ConfigReplay, ::testing::Values("config_replay.json", "config_replay_edges.json"),
                         [](const auto& file) { return std::string(file.param) == "config_replay.json" ? "Main" : "Edges"; });

ConfigRead put(ConfigState& state, const Record& record) {
  return state.read(LogPosition(std::max<std::int64_t>(state.offset().value, 0)), record.key, record.value);
}

TEST(ConfigState, SaysWhatIsWrongWithARecord) {
  ConfigState state;
  EXPECT_EQ(state.read(LogPosition(0), "connector-c", "{").warning,
            "the value of key 'connector-c' is not JSON: the text ends inside an object (byte 1)");
  EXPECT_EQ(state.offset(), kNoPosition);
  EXPECT_EQ(state.read(LogPosition(1), std::nullopt, "{}").warning, "the key is null");
  EXPECT_EQ(state.read(LogPosition(2), "rubbish", "{}").warning, "key 'rubbish' is of no kind that this worker knows");
  EXPECT_EQ(state.read(LogPosition(3), "connector-c", "{}").warning, "the config of connector 'c' has no object 'properties'");
  EXPECT_EQ(state.read(LogPosition(4), "session-key", R"({"key":"hunter2!","algorithm":"x","creation-timestamp":1})").warning,
            "the session key is empty or not Base64");
  EXPECT_EQ(state.offset(), LogPosition(5));
  EXPECT_TRUE(state.all().empty());
}

TEST(ConfigState, RefusesCountsThatAreNoCounts) {
  ConfigState state;
  put(state, connector_record("c", {}));
  for (const char* count : {"-1", "4294967297", "1.0", "\"1\"", "null"}) {
    const std::string value = std::string("{\"tasks\":") + count + "}";
    EXPECT_FALSE(state.read(LogPosition(1), "commit-c", value).warning.empty()) << count;
  }
  EXPECT_FALSE(state.pending_fencing("c"));
  EXPECT_EQ(state.find("c")->committed_at, kNoPosition);
}

TEST(ConfigState, TakesEmptyBytesAndAJsonNullAsTombstones) {
  for (const char* nothing : {"", "null"}) {
    ConfigState state;
    put(state, connector_record("c", {{"name", "c"}}));
    EXPECT_EQ(state.read(LogPosition(1), "connector-c", nothing).event, ConfigEvent(ConnectorConfigRemoved{"c"}));
    EXPECT_FALSE(state.contains("c"));
  }
}

TEST(ConfigState, KeepsTheSpellingOfNumbersInAConfig) {
  ConfigState state;
  state.read(LogPosition(0), "connector-c", R"({"properties":{"a":1.50,"b":12345678901234567890,"c":true,"d":{"x":[1]}}})");
  EXPECT_EQ(*state.config("c"), (Properties{{"a", "1.50"}, {"b", "12345678901234567890"}, {"c", "true"}, {"d", R"({"x":[1]})"}}));
}

// Compaction keeps the last config of task 1, which the later, smaller set of tasks does not have, behind the first commit.
TEST(ConfigState, AppliesACommitInSpiteOfASurplusTaskLeftByCompaction) {
  ConfigState state;
  put(state, connector_record("c", {}));
  put(state, task_record({"c", 1}, {{"t", "old1"}}));
  put(state, task_record({"c", 0}, {{"t", "new0"}}));
  EXPECT_EQ(put(state, commit_record("c", 1)).event, ConfigEvent(TaskConfigsUpdated{"c", {{"c", 0}}}));
  EXPECT_EQ(state.tasks("c"), (std::vector<TaskId>{{"c", 0}}));
  EXPECT_EQ(state.task_config({"c", 1}), nullptr);
}

/// The records in this order, as a worker finds them at its start.
ConfigState replay(const std::vector<Record>& records) {
  ConfigState state;
  for (const Record& record : records) EXPECT_EQ(put(state, record).warning, "");
  (void)state.end_reached();
  return state;
}

const Record kConnector = connector_record("c", {{"name", "c"}});
const Record kTask0 = task_record({"c", 0}, {{"t", "0"}});
const Record kTask1 = task_record({"c", 1}, {{"t", "1"}});
const Record kNoTask = commit_record("c", 0);
const Record kOneTask = commit_record("c", 1);
const Record kTwoTasks = commit_record("c", 2);
const Record kFenced = task_count_record("c", 2);
const Record kStopped = target_state_record("c", TargetState::Stopped);

TEST(ConfigState, KeepsTheTasksOfAConnectorWhoseConfigWasMovedBehindTheirCommitByCompaction) {
  const ConfigState state = replay({kTask0, kTask1, kTwoTasks, kConnector});
  EXPECT_EQ(names(state.tasks("c")), "[c-0, c-1]");
  EXPECT_EQ(state.task_config({"c", 1})->get("t"), "1");
  EXPECT_EQ(state.task_config_generation("c"), 0);
  EXPECT_TRUE(state.pending_fencing("c"));
  EXPECT_EQ(state.applied_config("c"), nullptr) << "nobody knows from which config these were made";
  EXPECT_FALSE(replay({kTask0, kTask1, kTwoTasks, kFenced, kConnector}).pending_fencing("c"));
}

TEST(ConfigState, TakesNoTaskOfADeletedConnectorForOneOfItsName) {
  EXPECT_EQ(names(replay({kTask0, kOneTask, connector_tombstone("c"), kConnector}).tasks("c")), "[]") << "deleted in this log";
  EXPECT_EQ(names(replay({kTask0, kTask1, kTwoTasks, kConnector, kTask0, kOneTask}).tasks("c")), "[c-0]") << "it has newer ones";
  EXPECT_EQ(names(replay({kTask0, kOneTask, kConnector, kStopped}).tasks("c")), "[]") << "stopped, so it has none";
  EXPECT_EQ(names(replay({kTask0, kOneTask, kNoTask, kConnector}).tasks("c")), "[]") << "they were taken back";
  EXPECT_EQ(names(replay({kTask1, kTwoTasks, kConnector}).tasks("c")), "[]") << "never complete";
  ConfigState later = replay({kTask0, kOneTask});
  put(later, kConnector);
  EXPECT_TRUE(later.end_reached().empty());
  EXPECT_EQ(names(later.tasks("c")), "[]") << "made after this worker's start";
}

// Who saw the deletion, and then was away for so long that compaction moved the config of the next one behind its tasks.
TEST(ConfigState, TakesTheTasksOfASuccessorWhoseFirstConfigMayBeLostInAHole) {
  const auto read_from = [](std::int64_t at) {
    ConfigState state;
    put(state, kConnector);
    put(state, connector_tombstone("c"));
    for (const Record& record : {kTask0, kOneTask, kConnector}) state.read(LogPosition(at++), record.key, record.value);
    (void)state.end_reached();
    return state;
  };
  EXPECT_EQ(names(read_from(2).tasks("c")), "[]") << "nothing was between: whoever wrote the tasks had not heard of the deletion";
  EXPECT_EQ(names(read_from(3).tasks("c")), "[c-0]");
}

// Java goes on listing a deleted connector as inconsistent; whoever asks it for task configs would find no config.
TEST(ConfigState, ForgetsThatADeletedConnectorWasInconsistent) {
  ConfigState state;
  put(state, connector_record("c", {}));
  put(state, commit_record("c", 1));
  EXPECT_EQ(state.inconsistent_connectors(), std::vector<std::string>{"c"});
  put(state, connector_tombstone("c"));
  EXPECT_TRUE(state.inconsistent_connectors().empty());
}

TEST(ConfigState, KnowsWhichOfFenceAndTaskConfigsIsNewer) {
  ConfigState state;
  put(state, connector_record("c", {}));
  put(state, task_record({"c", 0}, {}));
  put(state, commit_record("c", 1));
  EXPECT_EQ(put(state, task_count_record("c", 1)).event, ConfigEvent(TaskCountRecorded{"c"}));
  EXPECT_EQ(state.find("c")->committed_at, LogPosition(2));
  EXPECT_EQ(state.find("c")->task_count_recorded_at, LogPosition(3));
}

TEST(ConfigState, IsAValueThatCanBeKept) {
  ConfigState state;
  put(state, connector_record("c", {{"v", "1"}}));
  const ConfigState before = state;
  put(state, connector_record("c", {{"v", "2"}}));
  EXPECT_EQ(before.config("c")->get("v"), "1");
  EXPECT_EQ(state.config("c")->get("v"), "2");
}

}  // namespace
}  // namespace fencepost::protocol
