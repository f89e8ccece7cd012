#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"

namespace fencepost::exactly_once {

// May this exactly-once source task start, and in which order (KIP-618)? The herder has had the connector fenced before it orders
// the start; from there one task thread drives this machine: it carries out each action and reports what came of it.
//
//   start:        FenceOwnId -> AskOwnership -> LoadOffsets -> StartPolling
//   first batch:  AskOwnership -> InitProducer -> AskOwnership -> CompareOffsets -> BeginTransaction   (FirstBatch below)

// ---- events ----
struct StartOrdered {
  friend bool operator==(const StartOrdered&, const StartOrdered&) = default;
};
/// The action asked for last was carried out (FenceOwnId, LoadOffsets, InitProducer).
struct StepDone {
  friend bool operator==(const StepDone&, const StepDone&) = default;
};
/// The action asked for last failed.
struct StepFailed {
  Error error;
  friend bool operator==(const StepFailed&, const StepFailed&) = default;
};
/// The herder's answer to AskOwnership: nothing, or who supersedes this run.
struct OwnershipAnswered {
  std::optional<std::string> superseded;
  /// Another worker of the group may fence late what it believes its own (judge_fenced).
  bool late_fence_possible = false;
  friend bool operator==(const OwnershipAnswered&, const OwnershipAnswered&) = default;
};
/// Answer to CompareOffsets: whether the committed offsets still are those that this run started from.
struct OffsetsCompared {
  bool unchanged = true;
  friend bool operator==(const OffsetsCompared&, const OffsetsCompared&) = default;
};
/// The task is to stop; what is under way is given up.
struct StopOrdered {
  friend bool operator==(const StopOrdered&, const StopOrdered&) = default;
};
using StartEvent = std::variant<StartOrdered, StepDone, StepFailed, OwnershipAnswered, OffsetsCompared, StopOrdered>;

// ---- actions ----
/// InitProducerId for the task's own transactional id, by the producer that is kept or by the wire client where none is kept.
/// It aborts what a predecessor left open and bars the predecessor from then on.
struct FenceOwnId {
  friend bool operator==(const FenceOwnId&, const FenceOwnId&) = default;
};
/// herder::OwnershipAsked; the answer must have been made after this was asked.
struct AskOwnership {
  friend bool operator==(const AskOwnership&, const AskOwnership&) = default;
};
/// Read the committed offsets to the end of their topic: what this task committed may stand behind another one's open
/// transaction, where the last stable offset does not tell of it.
struct LoadOffsets {
  friend bool operator==(const LoadOffsets&, const LoadOffsets&) = default;
};
/// Start the connector's task and poll it; it may be reported RUNNING.
struct StartPolling {
  friend bool operator==(const StartPolling&, const StartPolling&) = default;
};
/// Make a transactional client and run init_transactions.
struct InitProducer {
  friend bool operator==(const InitProducer&, const InitProducer&) = default;
};
/// Read the committed offsets again and compare them with those that this run knows -> OffsetsCompared.
struct CompareOffsets {
  friend bool operator==(const CompareOffsets&, const CompareOffsets&) = default;
};
struct BeginTransaction {
  friend bool operator==(const BeginTransaction&, const BeginTransaction&) = default;
};
/// Somebody else owns the task now, or it was stopped: end without any status.
struct AbandonStart {
  std::string reason;
  friend bool operator==(const AbandonStart&, const AbandonStart&) = default;
};
/// The batch in hand is stale: throw it away and start the task anew from the committed offsets.
struct StartAnew {
  std::string reason;
  friend bool operator==(const StartAnew&, const StartAnew&) = default;
};
/// The task fails with this trace.
struct FailStart {
  Error error;
  friend bool operator==(const FailStart&, const FailStart&) = default;
};
using StartAction = std::variant<FenceOwnId, AskOwnership, LoadOffsets, StartPolling, InitProducer, CompareOffsets,
                                 BeginTransaction, AbandonStart, StartAnew, FailStart>;
using StartActions = std::vector<StartAction>;

/// A step that fails with a retriable error, or with Fenced while this run is still the owner, is repeated this often.
inline constexpr int kStartAttemptsMax = 10;

/// The start of one run of a task. The own id is fenced before anything is read, so that no predecessor can commit behind the
/// offsets that are then loaded; the ownership is checked after the fence, so that whoever moved the group or the task configs in
/// between is seen. A stale run that gets past both has fenced its successor, which notices, and has read newer offsets.
class SourceTaskStart {
 public:
  [[nodiscard]] StartActions apply(const StartEvent& event);
  [[nodiscard]] bool over() const { return state_ == State::Polling || state_ == State::Over; }

 private:
  enum class State { New, Fencing, Asking, AskingAfterFenced, Loading, Polling, Over };

  StartActions on(const StartOrdered& e);
  StartActions on(const StepDone& e);
  StartActions on(const StepFailed& e);
  StartActions on(const OwnershipAnswered& e);
  StartActions on(const OffsetsCompared& e);
  StartActions on(const StopOrdered& e);
  StartActions abandon(std::string reason);
  StartActions fail(Error error);

  State state_ = State::New;
  int attempts_ = 0;
  std::optional<Error> fenced_;
};

/// The first batch of a task that keeps no client while it is idle. Between its start and this batch a whole life of a successor
/// may have passed unseen (this worker was paused, and does not know yet that it lost its membership): so once the new client has
/// barred everybody else, the committed offsets must still be those that the run goes on from, else its batch is a repetition.
/// The check before init_transactions only spares a successor from being fenced by a stale run.
class FirstBatch {
 public:
  [[nodiscard]] StartActions apply(const StartEvent& event);

 private:
  enum class State { New, AskingBefore, Initialising, AskingAfter, Comparing, Begun, Over };

  StartActions on(const StartOrdered& e);
  StartActions on(const StepDone& e);
  StartActions on(const StepFailed& e);
  StartActions on(const OwnershipAnswered& e);
  StartActions on(const OffsetsCompared& e);
  StartActions on(const StopOrdered& e);

  State state_ = State::New;
  int attempts_ = 0;
};

[[nodiscard]] std::string describe(const StartAction& action);

}  // namespace fencepost::exactly_once
