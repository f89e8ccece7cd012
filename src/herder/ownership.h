#pragma once

#include <functional>
#include <optional>
#include <string>

#include "herder/config_log.h"
#include "herder/events.h"
#include "herder/status_board.h"
#include "herder/turn.h"
#include "herder/workload.h"
#include "protocol/config_state.h"

namespace fencepost::herder {

struct OwnershipHooks {
  std::function<Generation()> generation;
  /// Asks the coordinator whether this worker still is a member.
  std::function<void(Then then)> confirm_membership;
  /// Whether another worker of the group can ever have run this task.
  std::function<bool(const TaskId& task)> others_may_have_run;
};

/// Is this run still the rightful owner of its transactional id? Two things may have happened without this worker noticing: the
/// group gave the task to another (told by the coordinator), or somebody wrote newer task configs (told by the config log). Both
/// are asked after the question came, for the run has fenced its id just before, and who comes later will fence it.
class Ownership {
 public:
  Ownership(Turn& turn, const protocol::ConfigState& configs, const StatusBoard& board, const Workload& workload, ConfigLog& log,
            OwnershipHooks hooks)
      : turn_(turn), configs_(configs), board_(board), workload_(workload), log_(log), hooks_(std::move(hooks)) {}

  void on(const OwnershipAsked& e);

 private:
  void judge(const OwnershipAsked& e);
  void answer(const OwnershipAsked& e, std::optional<std::string> superseded);
  /// "worker-b:8083, generation 14", where the status topic names another worker than this one; or empty.
  [[nodiscard]] std::string successor_of(const TaskId& task) const;

  Turn& turn_;
  const protocol::ConfigState& configs_;
  const StatusBoard& board_;
  const Workload& workload_;
  ConfigLog& log_;
  OwnershipHooks hooks_;
};

}  // namespace fencepost::herder
