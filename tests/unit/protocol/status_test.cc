#include <algorithm>
#include <map>

#include "protocol/status_state.h"
#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::Json;

Status status(RunState state, std::string worker = "127.0.0.1:8083", std::int32_t generation = 3) {
  return {state, std::nullopt, std::move(worker), Generation(generation), std::nullopt};
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

/// Writes as the shell does, with each record read back at once.
std::vector<Record> written(const std::vector<std::tuple<StatusOwner, Status, StatusWrites>>& writes) {
  StatusState state;
  std::vector<Record> out;
  for (const auto& [owner, content, mode] : writes) {
    const auto write = state.begin_write(owner, content, mode);
    if (!write) continue;
    out.push_back(write->record);
    EXPECT_EQ(state.read(write->record.key, view(write->record.value)), "");
  }
  return out;
}

std::vector<Record> case_of(const std::string& about) {
  const TaskId task{"c", 0};
  constexpr auto kAlways = StatusWrites::Always;
  constexpr auto kSafe = StatusWrites::Safe;
  for (const auto state : {RunState::Unassigned, RunState::Running, RunState::Paused, RunState::Failed, RunState::Destroyed,
                           RunState::Restarting, RunState::Stopped}) {
    if (about == "write: connector " + std::string(to_string(state))) return written({{"c", status(state), kAlways}});
    if (about == "write: task " + std::string(to_string(state))) return written({{task, status(state), kAlways}});
  }
  const TopicStatus topic{"t", task, Time(Duration(1))};
  const Status w2 = status(RunState::Running, "w2:1", 5);
  Status traced = status(RunState::Failed);
  traced.trace = "java.lang.RuntimeException: \"bad\"\n\tat X.y(Z.java:1)\n";
  traced.version = "4.3.1";
  Status versioned = status(RunState::Running);
  versioned.version = "4.3.1";
  const Status boom{RunState::Failed, "boom\n", "w:1", Generation(7), "1.0"};
  const std::map<std::string, std::vector<Record>> cases{
      {"write: connector RUNNING with its version", written({{"c", versioned, kAlways}})},
      {"write: connector FAILED with a trace", written({{"c", traced, kAlways}})},
      {"write: task FAILED with a trace and version", written({{task, boom, kAlways}})},
      {"write: task of a connector whose name has hyphens and unicode",
       written({{TaskId{"ü-1", 12}, status(RunState::Running, "w:1", 0), kAlways}})},
      {"write: topic status", {topic_status_record({"my.topic", task, Time(Duration(1700000000000))})}},
      {"write: topic status: names with separators", {topic_status_record({"t:connector-x", {"a-b", 2}, Time(Duration(1))})}},
      {"write: delete a topic status: tombstone", {topic_status_record(topic), topic_status_tombstone("c", "t")}},
      {"write: safe write of an older generation by another worker is dropped",
       written({{task, w2, kAlways}, {task, status(RunState::Failed, "w1:1", 4), kSafe}})},
      {"write: safe write of an older generation by the same worker is written",
       written({{task, status(RunState::Running, "w1:1", 5), kAlways}, {task, status(RunState::Failed, "w1:1", 4), kSafe}})},
      {"write: safe write of the same generation by another worker",
       written({{task, w2, kAlways}, {task, status(RunState::Unassigned, "w1:1", 5), kSafe}})},
      {"write: an unsafe write of an older generation by another worker is written",
       written({{task, w2, kAlways}, {task, status(RunState::Failed, "w1:1", 4), kAlways}})}};
  const auto at = cases.find(about);
  return at == cases.end() ? std::vector<Record>{} : at->second;
}

TEST(StatusRecords, AreTheBytesThatJavaWrites) {
  for (const Json& c : testing::vectors("status_records.json")) {
    if (!c.contains("steps")) continue;
    SCOPED_TRACE(c["about"].get<std::string>());
    std::vector<Record> expected;
    for (const Json& step : c["steps"]) {
      Record record{testing::from_hex(step["key_hex"]), std::nullopt};
      if (step["value_hex"].is_string()) record.value = testing::from_hex(step["value_hex"]);
      expected.push_back(std::move(record));
    }
    EXPECT_EQ(case_of(c["about"]), expected);
  }
}

Json to_json(const Status& s) {
  return {{"state", to_string(s.state)},
          {"trace", s.trace ? Json(*s.trace) : Json(nullptr)},
          {"worker_id", s.worker_id},
          {"generation", s.generation.value},
          {"version", s.version ? Json(*s.version) : Json(nullptr)}};
}

Json to_json(const StatusState& state, const std::string& connector) {
  Json out = Json::object();
  if (const Status* own = state.find(connector)) out["connector"] = to_json(*own);
  for (const auto& [task, content] : state.tasks(connector)) out["task " + std::to_string(task)] = to_json(content);
  for (const auto& [topic, content] : state.topics(connector)) {
    out["topics"].push_back({{"topic", content.topic},
                             {"connector", content.task.connector},
                             {"task", content.task.task},
                             {"discovered", content.discovered.time_since_epoch().count()}});
  }
  return out;
}

TEST(StatusState, ReadsWhatJavaReads) {
  std::size_t read = 0;
  for (const char* file : {"status_records.json", "status_records_edges.json"}) {
    for (const Json& c : testing::vectors(file)) {
      if (!c.contains("records")) continue;
      SCOPED_TRACE(c["about"].get<std::string>());
      StatusState state;
      for (const Json& record : c["records"]) {
        const std::string key = record["key"];
        const auto value = record["value"].is_null() ? std::nullopt : std::optional(record["value"].get<std::string>());
        state.read(key, view(value));
      }
      EXPECT_EQ(Json(state.connectors()), c["connectors"]);
      for (const std::string connector : {"a", "b", "c", "d", "e", "a-1"}) {
        EXPECT_EQ(to_json(state, connector), c["state"].value(connector, Json::object())) << connector;
      }
      ++read;
    }
  }
  EXPECT_EQ(read, 13U);
}

TEST(StatusState, SaysWhatIsWrongWithARecord) {
  StatusState state;
  EXPECT_EQ(state.read("status-connector-a", "{"),
            "the value of key 'status-connector-a' is not JSON: the text ends inside an object (byte 1)");
  EXPECT_EQ(state.read("status-connector-a", "{}"),
            "the value of key 'status-connector-a' lacks a known 'state' or a whole number 'generation'");
  EXPECT_EQ(state.read("status-task-x", "{}"), "key 'status-task-x' names no task");
  EXPECT_EQ(state.read("status-topic-t", "{}"), "key 'status-topic-t' names no topic and connector");
  EXPECT_EQ(state.read("other", "{}"), "key 'other' is of no kind that this worker knows");
  EXPECT_EQ(state.read(std::nullopt, "{}"), "the key is null");
}

TEST(StatusState, RetriesOnlyTheNewestWrite) {
  StatusState state;
  const auto first = state.begin_write("c", status(RunState::Running, "w1:1", 5), StatusWrites::Always);
  EXPECT_TRUE(state.may_retry(*first));
  const auto second = state.begin_write("c", status(RunState::Paused, "w1:1", 5), StatusWrites::Always);
  EXPECT_FALSE(state.may_retry(*first));
  EXPECT_TRUE(state.may_retry(*second));
  const auto of_another = state.begin_write("d", status(RunState::Running, "w1:1", 6), StatusWrites::Always);
  EXPECT_FALSE(state.may_retry(*second)) << "the generation has moved on";
  EXPECT_TRUE(state.may_retry(*of_another));
}

TEST(StatusState, DoesNotRetryASafeWriteOverANewerOwner) {
  StatusState state;
  const auto write = state.begin_write(TaskId{"c", 0}, status(RunState::Failed, "w1:1", 5), StatusWrites::Safe);
  const Record newer = status_record(TaskId{"c", 0}, status(RunState::Running, "w2:1", 6));
  state.read(newer.key, view(newer.value));
  EXPECT_FALSE(state.may_retry(*write));
}

TEST(StatusState, DoesNotRetryAWriteOfADeletedConnector) {
  StatusState state;
  const auto write = state.begin_write("c", status(RunState::Running), StatusWrites::Always);
  state.read(write->record.key, view(write->record.value));
  state.read("status-connector-c", std::nullopt);
  EXPECT_FALSE(state.may_retry(*write));
}

TEST(StatusState, NamesAllThatADeletionMustRemove) {
  StatusState state;
  for (const Record& record :
       {status_record("c", status(RunState::Running)), status_record(TaskId{"c", 1}, status(RunState::Running)),
        topic_status_record({"t", {"c", 1}, Time{}}), status_record("other", status(RunState::Running))}) {
    state.read(record.key, view(record.value));
  }
  EXPECT_EQ(state.deletion_of("c"),
            (std::vector<Record>{topic_status_tombstone("c", "t"), status_tombstone(TaskId{"c", 1}), status_tombstone("c")}));
  EXPECT_TRUE(state.deletion_of("unknown").empty());
}

}  // namespace
}  // namespace fencepost::protocol
