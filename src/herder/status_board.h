#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "herder/events.h"
#include "herder/options.h"
#include "herder/requests.h"
#include "herder/turn.h"
#include "protocol/config_state.h"
#include "protocol/status_state.h"

namespace fencepost::herder {

/// What the status topic says, and what this worker writes to it. The topic alone is the truth: a status that was ordered is seen
/// once it has been read back.
class StatusBoard {
 public:
  /// `leads`: whether this worker may remove what others have written.
  StatusBoard(Turn& turn, const Options& options, const protocol::ConfigState& configs, std::function<bool()> leads)
      : turn_(turn), options_(options), configs_(configs), leads_(std::move(leads)) {}

  void on(const StatusRecordsRead& e);

  /// Written in any case, or (safe) not over what another worker says in a newer generation.
  void write(const protocol::StatusOwner& owner, protocol::RunState state, const std::string& trace, Generation generation,
             protocol::StatusWrites mode);
  void write_topic(const TaskId& task, const std::string& topic);
  /// Tombstones for all that is known of a connector that is deleted; late statuses of it are removed when they are read.
  void connector_removed(const std::string& connector);
  void connector_made(const std::string& connector) { removed_.erase(connector); }
  /// Tombstones for tasks that the connector no longer has.
  void tasks_changed(const std::string& connector);
  void reset_topics(const std::string& connector);

  [[nodiscard]] const protocol::StatusState& state() const { return state_; }
  [[nodiscard]] std::optional<ConnectorStatus> status(const std::string& connector) const;
  [[nodiscard]] std::optional<TaskStateInfo> status(const TaskId& task) const;
  [[nodiscard]] bool uses_topic(const std::string& connector, const std::string& topic) const;
  [[nodiscard]] ConnectorKind kind_of(const std::string& connector) const;
  /// Names of connectors whose status changed since the last call.
  [[nodiscard]] std::set<std::string> take_changed();

 private:
  void order(const protocol::Record& record);
  void remove_if_late(const std::string& connector);

  Turn& turn_;
  const Options& options_;
  const protocol::ConfigState& configs_;
  std::function<bool()> leads_;
  protocol::StatusState state_;
  std::set<std::string> removed_;
  std::set<std::string> changed_;
};

[[nodiscard]] StateInfo state_info(const protocol::Status& status);

}  // namespace fencepost::herder
