#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/properties.h"
#include "json/value.h"
#include "protocol/config_records.h"
#include "protocol/session_key.h"

namespace fencepost::protocol {

// What a record of the config topic means to the worker. While a log is read for the first time (until its end at that
// moment) these are history, not news: a restart asked for yesterday must not happen again.

struct ConnectorConfigUpdated {
  std::string connector;
  friend bool operator==(const ConnectorConfigUpdated&, const ConnectorConfigUpdated&) = default;
};
struct ConnectorConfigRemoved {
  std::string connector;
  friend bool operator==(const ConnectorConfigRemoved&, const ConnectorConfigRemoved&) = default;
};
/// A commit was read. No tasks: the commit was for none, or incomplete.
struct TaskConfigsUpdated {
  std::string connector;
  std::vector<TaskId> tasks;
  friend bool operator==(const TaskConfigsUpdated&, const TaskConfigsUpdated&) = default;
};
struct TargetStateChanged {
  std::string connector;
  friend bool operator==(const TargetStateChanged&, const TargetStateChanged&) = default;
};
/// The producers of the connector's tasks were fenced (KIP-618).
struct TaskCountRecorded {
  std::string connector;
  friend bool operator==(const TaskCountRecorded&, const TaskCountRecorded&) = default;
};
struct SessionKeyUpdated {
  friend bool operator==(const SessionKeyUpdated&, const SessionKeyUpdated&) = default;
};
struct RestartRequested {
  RestartRequest request;
  friend bool operator==(const RestartRequested&, const RestartRequested&) = default;
};
struct LoggerLevelUpdated {
  std::string logger;
  std::string level;
  friend bool operator==(const LoggerLevelUpdated&, const LoggerLevelUpdated&) = default;
};
using ConfigEvent = std::variant<ConnectorConfigUpdated, ConnectorConfigRemoved, TaskConfigsUpdated, TargetStateChanged,
                                 TaskCountRecorded, SessionKeyUpdated, RestartRequested, LoggerLevelUpdated>;

/// What came of one record: an event, a warning for the log, or neither.
struct ConfigRead {
  std::optional<ConfigEvent> event;
  /// Why the record was skipped, without its place in the topic. Empty if nothing is wrong.
  std::string warning;
};

/// What the log says on one connector.
struct ConnectorInfo {
  /// Nothing once it is deleted. What is below may outlive it: a connector of the same name may be made again.
  std::optional<Properties> config;
  std::optional<TargetState> target_state;
  std::int32_t task_count = 0;               ///< of the last commit, complete or not
  std::map<std::int32_t, Properties> tasks;  ///< of the last complete commit
  bool inconsistent = false;                 ///< the last commit was incomplete: there are no tasks to run
  std::optional<Properties> applied_config;  ///< the config at the last complete commit
  /// Counts complete commits from 0. It moves whenever somebody has new tasks in mind.
  std::optional<std::int32_t> task_config_generation;
  std::optional<std::int32_t> task_count_record;  ///< how many transactional ids may be in use; nothing: never any
  bool pending_fencing = false;                   ///< a commit is newer than the task-count record
  LogPosition committed_at = kNoPosition;         ///< of the last commit
  LogPosition task_count_recorded_at = kNoPosition;
};

/// The cluster's configuration, as the records of the config topic give it in their order. A value: copy it to keep how it
/// was. Queries are map look-ups and copy nothing; what they point to lives until the next read().
class ConfigState {
 public:
  /// The next record. Anything malformed or foreign leaves the state as it is and gives a warning.
  ConfigRead read(LogPosition position, std::optional<std::string_view> key, std::optional<std::string_view> value);

  /// The end of the log has been read. Compaction may have moved a connector's config behind the commit of its tasks
  /// (KAFKA-17719): these come into force now, and the connector should be asked whether they still hold, for nobody knows from
  /// which config they were made (applied_config is nothing). Task configs of connectors that are not there are those of
  /// deleted ones, and none of them is taken for one that is made later (KAFKA-16838). Returned are the connectors that got
  /// tasks.
  std::vector<std::string> end_reached();

  /// One past the last record read; what the group's members compare. A record that is not JSON does not count, as with
  /// Java, or a leader in Java would stay behind for ever.
  [[nodiscard]] LogPosition offset() const { return offset_; }

  /// All connectors that have a config, by name.
  [[nodiscard]] std::vector<std::string> connectors() const;
  [[nodiscard]] bool contains(std::string_view connector) const { return config(connector) != nullptr; }
  /// Null pointer for a connector of which the log says nothing at all. One that is known may have no config.
  [[nodiscard]] const ConnectorInfo* find(std::string_view connector) const;
  /// Every connector of which the log says anything.
  [[nodiscard]] const std::map<std::string, ConnectorInfo, std::less<>>& all() const { return connectors_; }

  /// The connector's config as it was written (references unresolved); null pointer if there is none.
  [[nodiscard]] const Properties* config(std::string_view connector) const;
  [[nodiscard]] const Properties* applied_config(std::string_view connector) const;
  [[nodiscard]] std::optional<TargetState> target_state(std::string_view connector) const;
  /// The tasks that may run; none of an inconsistent connector.
  [[nodiscard]] std::vector<TaskId> tasks(std::string_view connector) const;
  /// The same as a count, for the assignor.
  [[nodiscard]] std::int32_t runnable_task_count(std::string_view connector) const;
  [[nodiscard]] const Properties* task_config(const TaskId& task) const;
  /// Whether it is one of tasks(): an inconsistent connector keeps configs of tasks that it does not have.
  [[nodiscard]] bool has_task(const TaskId& task) const;
  /// Connectors with a config whose last commit was incomplete: they must be asked for task configs again.
  [[nodiscard]] std::vector<std::string> inconsistent_connectors() const;
  /// Task configs were written after the last commit, and no commit followed: a writer was lost half-way. Once the topic is
  /// compacted, they stand in the place of those that the commit had put into force.
  [[nodiscard]] bool has_uncommitted_tasks(std::string_view connector) const;
  [[nodiscard]] std::optional<std::int32_t> task_count_record(std::string_view connector) const;
  [[nodiscard]] std::optional<std::int32_t> task_config_generation(std::string_view connector) const;
  [[nodiscard]] bool pending_fencing(std::string_view connector) const;
  [[nodiscard]] const std::optional<SessionKey>& session_key() const { return session_key_; }

 private:
  struct Waiting {
    std::map<std::int32_t, Properties> tasks;
  };

  /// A commit of complete task configs for which no connector stood before it in the log.
  struct Orphans {
    std::map<std::int32_t, Properties> tasks;
    LogPosition committed_at = kNoPosition;
  };

  ConfigRead apply(LogPosition position, const ConfigKey& key, const json::Value& value);
  ConfigRead on_connector(LogPosition position, std::string_view name, const json::Value& value);
  ConfigRead on_task(const ConfigKey& key, const json::Value& value);
  ConfigRead on_commit(LogPosition position, std::string_view name, const json::Value& value);
  ConfigRead on_target_state(std::string_view name, const json::Value& value);
  ConfigRead on_task_count(LogPosition position, std::string_view name, const json::Value& value);
  ConfigRead on_session_key(const json::Value& value);
  ConnectorInfo& info(std::string_view connector);
  void forget_config(std::string_view connector);
  /// Whether compaction may have taken away the config of a connector of that name which was made after the deletion.
  [[nodiscard]] bool may_have_a_successor(std::string_view deleted) const;

  std::map<std::string, ConnectorInfo, std::less<>> connectors_;
  /// Tasks since the last commit. An entry, even an empty one, says that the connector has had tasks.
  std::map<std::string, Waiting, std::less<>> waiting_;
  std::map<std::string, LogPosition, std::less<>> deleted_;  ///< where the newest tombstone of its config stood
  std::map<std::string, Orphans, std::less<>> orphans_;      ///< only until end_reached()
  std::optional<SessionKey> session_key_;
  LogPosition offset_ = kNoPosition;
  LogPosition hole_before_ = kNoPosition;  ///< the newest position that did not follow the one before: all between is unknown
};

}  // namespace fencepost::protocol
