#pragma once

#include <map>
#include <string>

#include "assignor/incremental.h"
#include "assignor/work.h"
#include "base/ids.h"
#include "base/time.h"
#include "protocol/config_state.h"
#include "protocol/group.h"

namespace fencepost::assignor {

/// What JoinGroup's answer brings to the worker that the broker made leader.
struct LeaderRound {
  protocol::ConnectProtocol protocol{};
  std::string leader;  ///< this worker's member id
  Time now{};
  Generation generation;
  Generation last_completed_generation = kNoGeneration;
  std::map<std::string, protocol::WorkerMetadata> members;  ///< this worker among them
};

/// The largest config offset that a member has read. A leader that has read less must read its log to the end before it
/// assigns.
[[nodiscard]] LogPosition newest_config_offset(const LeaderRound& round);

/// Connectors with the number of tasks that may run: none of inconsistent ones.
[[nodiscard]] Configured configured_in(const protocol::ConfigState& configs);

/// The assignor of a leader, whichever protocol the group speaks. It lives as long as the worker leads.
class Leader {
 public:
  /// `max_delay` is `scheduled.rebalance.max.delay.ms`.
  explicit Leader(Duration max_delay) : incremental_(max_delay) {}

  /// An assignment for every member. If `configs` is still behind a member, nobody gets anything and all are told so.
  [[nodiscard]] std::map<std::string, protocol::Assignment> assign(const LeaderRound& round,
                                                                   const protocol::ConfigState& configs);
  /// Whether what was dealt last leaves something with a member that is not configured. It counts as load until the next round
  /// revokes it, and nobody but the leader knows that one is needed: Java's leader waits for another reason.
  [[nodiscard]] bool left_deleted_work() const { return left_deleted_work_; }

 private:
  Incremental incremental_;
  bool left_deleted_work_ = false;
};

}  // namespace fencepost::assignor
