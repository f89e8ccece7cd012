#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/ids.h"
#include "base/properties.h"
#include "protocol/record.h"
#include "protocol/session_key.h"

/// The records of the config topic (`config.storage.topic`), one kind a function. Which of them go into one transaction is
/// for the caller: a connector with its initial state (the state first), the two tombstones of a deletion, all tasks of a
/// connector. The commit is a transaction of its own, after the tasks were read back.
namespace fencepost::protocol {

/// What a user wants a connector to do.
enum class TargetState : std::uint8_t { Started, Paused, Stopped };

/// "STARTED", "PAUSED", "STOPPED".
[[nodiscard]] std::string_view to_string(TargetState state);
/// Nothing for another text; the case matters.
[[nodiscard]] std::optional<TargetState> parse_target_state(std::string_view text);

/// Restart of a connector and, on request, of its tasks, or only of what has failed.
struct RestartRequest {
  std::string connector;
  bool only_failed = false;
  bool include_tasks = false;

  friend bool operator==(const RestartRequest&, const RestartRequest&) = default;
};

[[nodiscard]] Record connector_record(std::string_view connector, const Properties& config);
[[nodiscard]] Record connector_tombstone(std::string_view connector);
[[nodiscard]] Record task_record(const TaskId& task, const Properties& config);
/// Makes the tasks written since the last commit the connector's tasks 0 to `tasks` - 1.
[[nodiscard]] Record commit_record(std::string_view connector, std::int32_t tasks);
/// Readers before 3.5 do not know STOPPED and see PAUSED.
[[nodiscard]] Record target_state_record(std::string_view connector, TargetState state);
[[nodiscard]] Record target_state_tombstone(std::string_view connector);
/// How many transactional ids may be in use from now on (KIP-618).
[[nodiscard]] Record task_count_record(std::string_view connector, std::int32_t tasks);
[[nodiscard]] Record session_key_record(const SessionKey& key);
[[nodiscard]] Record restart_record(const RestartRequest& request);
/// The level in the case in which it was requested.
[[nodiscard]] Record logger_level_record(std::string_view logger, std::string_view level);

/// What a key of the config topic speaks of.
struct ConfigKey {
  enum class Kind : std::uint8_t { Connector, Task, Commit, TargetState, TaskCount, SessionKey, Restart, LoggerLevel };

  Kind kind{};
  std::string_view name;   ///< the connector or logger; empty for a session key
  std::int32_t task = -1;  ///< of Kind::Task

  friend bool operator==(const ConfigKey&, const ConfigKey&) = default;
};

/// Corrupt for a key that is none of these. The result points into the key's text.
[[nodiscard]] Result<ConfigKey> parse_config_key(std::string_view key);

}  // namespace fencepost::protocol
