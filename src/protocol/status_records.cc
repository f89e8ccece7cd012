#include "protocol/status_records.h"

#include <array>

#include "json/writer.h"

namespace fencepost::protocol {
namespace {

constexpr std::array<std::string_view, 7> kStateNames{"UNASSIGNED", "RUNNING",    "PAUSED", "FAILED",
                                                      "DESTROYED",  "RESTARTING", "STOPPED"};

std::string key_of(const StatusOwner& owner) {
  if (!owner.task) return "status-connector-" + owner.connector;
  return "status-task-" + TaskId{owner.connector, *owner.task}.to_string();
}

std::string topic_key(std::string_view connector, std::string_view topic) {
  return std::string("status-topic-").append(topic).append(":connector-").append(connector);
}

}  // namespace

std::string_view to_string(RunState state) { return kStateNames[static_cast<std::size_t>(state)]; }

std::optional<RunState> parse_run_state(std::string_view text) {
  for (std::size_t i = 0; i < kStateNames.size(); ++i) {
    if (kStateNames[i] == text) return static_cast<RunState>(i);
  }
  return std::nullopt;
}

Record status_record(const StatusOwner& owner, const Status& status) {
  if (status.state == RunState::Destroyed) return status_tombstone(owner);
  std::string out;
  json::Writer writer(out);
  const auto text_or_null = [&](const std::optional<std::string>& text) {
    if (text) {
      writer.string(*text);
    } else {
      writer.null();
    }
  };
  writer.begin_object().key("state").string(to_string(status.state)).key("trace");
  text_or_null(status.trace);
  writer.key("worker_id").string(status.worker_id).key("generation").integer(status.generation.value).key("version");
  text_or_null(status.version);
  writer.end_object();
  return {key_of(owner), std::move(out)};
}

Record status_tombstone(const StatusOwner& owner) { return {key_of(owner), std::nullopt}; }

Record topic_status_record(const TopicStatus& status) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object()
      .key("topic")
      .begin_object()
      .key("name")
      .string(status.topic)
      .key("connector")
      .string(status.task.connector);
  writer.key("task").integer(status.task.task).key("discoverTimestamp").integer(status.discovered.time_since_epoch().count());
  writer.end_object().end_object();
  return {topic_key(status.task.connector, status.topic), std::move(out)};
}

Record topic_status_tombstone(std::string_view connector, std::string_view topic) {
  return {topic_key(connector, topic), std::nullopt};
}

}  // namespace fencepost::protocol
