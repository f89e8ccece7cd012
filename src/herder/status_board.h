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
  void reset_topics(const std::string& connector);

  /// What is known of this connector, or of some of its tasks, may be of something that is configured no more.
  void suspect(const std::string& connector);
  void suspect_all();
  /// Whether the config topic should be read to its end, then sweep() be called.
  [[nodiscard]] bool suspects_any() const { return !suspects_.empty(); }
  /// Tombstones for the suspects that have no config. Only who has just read the config topic to its end may judge: one that was
  /// paused would remove the statuses of a connector that was made anew meanwhile.
  void sweep();

  [[nodiscard]] const protocol::StatusState& state() const { return state_; }
  [[nodiscard]] std::optional<ConnectorStatus> status(const std::string& connector) const;
  [[nodiscard]] std::optional<TaskStateInfo> status(const TaskId& task) const;
  [[nodiscard]] bool uses_topic(const std::string& connector, const std::string& topic) const;
  /// The newest status of it, if another worker wrote it; or null.
  [[nodiscard]] const protocol::Status* last_of_another(const protocol::StatusOwner& owner) const;
  [[nodiscard]] ConnectorKind kind_of(const std::string& connector) const;
  /// Names of connectors whose status changed since the last call.
  [[nodiscard]] std::set<std::string> take_changed();
  /// Names of connectors of which a status was removed since the last call.
  [[nodiscard]] std::set<std::string> take_removed();

 private:
  void order(const protocol::Record& record);
  [[nodiscard]] bool holds_leftovers(const std::string& connector) const;

  Turn& turn_;
  const Options& options_;
  const protocol::ConfigState& configs_;
  std::function<bool()> leads_;
  protocol::StatusState state_;
  std::set<std::string> suspects_;
  std::set<std::string> changed_;
  std::set<std::string> removed_;
};

/// Whether it is configured, so that it may have a status. Tasks of which half was written are not: nobody owns them, and who ran
/// them may have died with RUNNING as its last word, or may have no say any more.
[[nodiscard]] bool has_config(const protocol::ConfigState& configs, const protocol::StatusOwner& owner);

[[nodiscard]] StateInfo state_info(const protocol::Status& status);

}  // namespace fencepost::herder
