#include "exactly_once/fenced_verdict.h"

namespace fencepost::exactly_once {

namespace {

std::string seconds(Duration d) {
  const auto ms = d.count();
  if (ms % 1000 == 0) return std::to_string(ms / 1000) + " s";
  return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

}  // namespace

bool ran_into_timeout(const FencedFacts& facts) {
  // The broker begins to count later than we do, so it never ends a transaction before our own count is over.
  return facts.open_for && *facts.open_for >= facts.transaction_timeout;
}

FencedVerdict judge_fenced(const FencedFacts& facts) {
  if (facts.superseded) return EndSilently{"fenced by a newer generation: " + *facts.superseded};
  if (facts.aborted_by_operator) return RestartFromCommitted{.note = *facts.aborted_by_operator};
  if (ran_into_timeout(facts)) {
    const std::string what = "transaction of producer " + facts.transactional_id + " timed out after " +
                             seconds(facts.transaction_timeout) + " (it was open for " + seconds(*facts.open_for) +
                             ", its longest poll took " + seconds(facts.slowest_poll) +
                             "; raise transaction.timeout.ms or lower transaction.boundary.interval.ms and the size of batches)";
    if (facts.restarts < kTimeoutRestartsMax) {
      return RestartFromCommitted{.note = what + "; going on from the last committed offsets"};
    }
    return FailTask{what + "; given up after " + std::to_string(facts.restarts) + " restarts without a commit"};
  }
  if (facts.late_fence_possible && facts.late_fences < kLateFencesMax) {
    return RestartFromCommitted{
        .note = "the transactional id " + facts.transactional_id +
                " was taken by another client, although this worker still owns the task: probably by a worker of this group that "
                "was paused and had not noticed yet that it lost the task (" +
                std::to_string(facts.late_fences + 1) + " of at most " + std::to_string(kLateFencesMax) + " times within " +
                seconds(kLateFencesWithin) + "); going on from the last committed offsets",
        .late_fence = true};
  }
  return FailTask{"fenced by a foreign producer: another client took the transactional id " + facts.transactional_id +
                  " (the producer epoch is no longer ours), although this worker still owns the task; make sure that no other "
                  "cluster or program uses this id, then restart the task"};
}

}  // namespace fencepost::exactly_once
