#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"
#include "protocol/record.h"

/// The records of the status topic (`status.storage.topic`).
namespace fencepost::protocol {

enum class RunState : std::uint8_t { Unassigned, Running, Paused, Failed, Destroyed, Restarting, Stopped };

/// "UNASSIGNED", "RUNNING", ...
[[nodiscard]] std::string_view to_string(RunState state);
/// Nothing for another text.
[[nodiscard]] std::optional<RunState> parse_run_state(std::string_view text);

/// How a connector or task is, as the worker that runs it says.
struct Status {
  RunState state{};
  std::optional<std::string> trace;
  std::string worker_id;  ///< "host:port" of its advertised URL
  Generation generation = kNoGeneration;
  std::optional<std::string> version;  ///< of the plugin; absent in logs of older workers

  friend bool operator==(const Status&, const Status&) = default;
};

/// That a connector uses a topic, and which of its tasks was the first to (`topic.tracking.enable`).
struct TopicStatus {
  std::string topic;
  TaskId task;
  Time discovered{};

  friend bool operator==(const TopicStatus&, const TopicStatus&) = default;
};

/// A connector, or one of its tasks.
struct StatusOwner {
  std::string connector;
  std::optional<std::int32_t> task;

  StatusOwner(std::string connector_name) : connector(std::move(connector_name)) {}
  StatusOwner(const char* connector_name) : connector(connector_name) {}
  StatusOwner(const TaskId& id) : connector(id.connector), task(id.task) {}
  friend auto operator<=>(const StatusOwner&, const StatusOwner&) = default;
};

/// RunState::Destroyed becomes a tombstone.
[[nodiscard]] Record status_record(const StatusOwner& owner, const Status& status);
[[nodiscard]] Record status_tombstone(const StatusOwner& owner);
[[nodiscard]] Record topic_status_record(const TopicStatus& status);
[[nodiscard]] Record topic_status_tombstone(std::string_view connector, std::string_view topic);

}  // namespace fencepost::protocol
