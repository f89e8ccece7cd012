#include "exactly_once/source_task_start.h"

#include <utility>

#include "base/assert.h"

namespace fencepost::exactly_once {

namespace {

/// A start that ends in "fenced" was not ended by a successor: the config log was asked, and named none.
Error explained(const Error& error) {
  if (error.kind() != ErrorKind::Fenced) return error;
  return {
      ErrorKind::Fenced,
      "fenced by a foreign producer: each time that this task took its transactional id, another client took it away, although "
      "this worker still owns the task; make sure that no other cluster or program uses this id, then restart the task: " +
          error.message()};
}

}  // namespace

StartActions SourceTaskStart::apply(const StartEvent& event) {
  if (over()) return {};  // a late answer to what was given up
  return std::visit([this](const auto& e) { return on(e); }, event);
}

StartActions SourceTaskStart::on(const StartOrdered&) {
  FENCEPOST_ASSERT(state_ == State::New, "a start is ordered once");
  state_ = State::Fencing;
  return {FenceOwnId{}};
}

StartActions SourceTaskStart::on(const StepDone&) {
  if (state_ == State::Fencing) {
    state_ = State::Asking;
    return {AskOwnership{}};
  }
  FENCEPOST_ASSERT(state_ == State::Loading, "only the fence and the offsets are done in steps");
  state_ = State::Polling;
  return {StartPolling{}};
}

StartActions SourceTaskStart::on(const StepFailed& e) {
  if (++attempts_ >= kStartAttemptsMax) return fail(explained(e.error));
  if (e.error.kind() == ErrorKind::Fenced && state_ == State::Fencing) {
    // Somebody took the id while we did: only the config log can tell whether that was our successor.
    fenced_ = e.error;
    state_ = State::AskingAfterFenced;
    return {AskOwnership{}};
  }
  if (!e.error.retriable()) return fail(explained(e.error));
  switch (state_) {
    case State::Fencing:
      return {FenceOwnId{}};
    case State::Loading:
      return {LoadOffsets{}};
    default:
      return {AskOwnership{}};
  }
}

StartActions SourceTaskStart::on(const OwnershipAnswered& e) {
  if (e.superseded) return abandon(*e.superseded);
  if (state_ == State::AskingAfterFenced) {
    state_ = State::Fencing;
    return {FenceOwnId{}};
  }
  FENCEPOST_ASSERT(state_ == State::Asking, "an answer follows a question");
  state_ = State::Loading;
  return {LoadOffsets{}};
}

StartActions SourceTaskStart::on(const OffsetsCompared&) {
  FENCEPOST_ASSERT(false, "a start loads its offsets, it compares none");
  return {};
}

StartActions SourceTaskStart::on(const StopOrdered&) { return abandon("stopped while starting"); }

StartActions SourceTaskStart::abandon(std::string reason) {
  state_ = State::Over;
  return {AbandonStart{std::move(reason)}};
}

StartActions SourceTaskStart::fail(Error error) {
  state_ = State::Over;
  return {FailStart{std::move(error)}};
}

StartActions FirstBatch::apply(const StartEvent& event) {
  if (state_ == State::Begun || state_ == State::Over) return {};
  return std::visit([this](const auto& e) { return on(e); }, event);
}

StartActions FirstBatch::on(const StartOrdered&) {
  FENCEPOST_ASSERT(state_ == State::New, "a first batch comes once");
  state_ = State::AskingBefore;
  return {AskOwnership{}};
}

StartActions FirstBatch::on(const StepDone&) {
  FENCEPOST_ASSERT(state_ == State::Initialising, "only the producer is made in a step");
  state_ = State::AskingAfter;
  return {AskOwnership{}};
}

StartActions FirstBatch::on(const StepFailed& e) {
  const bool may_repeat = e.error.retriable() || (e.error.kind() == ErrorKind::Fenced && state_ == State::Initialising);
  if (++attempts_ >= kStartAttemptsMax || !may_repeat) {
    state_ = State::Over;
    return {FailStart{explained(e.error)}};
  }
  if (state_ == State::Comparing) return {CompareOffsets{}};
  if (state_ == State::Initialising && e.error.kind() != ErrorKind::Fenced) return {InitProducer{}};
  if (state_ == State::Initialising) state_ = State::AskingBefore;  // who took the id?
  return {AskOwnership{}};
}

StartActions FirstBatch::on(const OwnershipAnswered& e) {
  if (e.superseded) {
    state_ = State::Over;
    return {AbandonStart{*e.superseded}};
  }
  if (state_ == State::AskingBefore) {
    state_ = State::Initialising;
    return {InitProducer{}};
  }
  FENCEPOST_ASSERT(state_ == State::AskingAfter, "an answer follows a question");
  state_ = State::Comparing;
  return {CompareOffsets{}};
}

StartActions FirstBatch::on(const OffsetsCompared& e) {
  FENCEPOST_ASSERT(state_ == State::Comparing, "offsets are compared when that was asked for");
  if (!e.unchanged) {
    state_ = State::Over;
    return {StartAnew{"another run of this task committed offsets while this one was idle"}};
  }
  state_ = State::Begun;
  return {BeginTransaction{}};
}

StartActions FirstBatch::on(const StopOrdered&) {
  state_ = State::Over;
  return {AbandonStart{"stopped before its first batch"}};
}

std::string describe(const StartAction& action) {
  struct Describe {
    std::string operator()(const FenceOwnId&) const { return "FenceOwnId"; }
    std::string operator()(const AskOwnership&) const { return "AskOwnership"; }
    std::string operator()(const LoadOffsets&) const { return "LoadOffsets"; }
    std::string operator()(const StartPolling&) const { return "StartPolling"; }
    std::string operator()(const InitProducer&) const { return "InitProducer"; }
    std::string operator()(const CompareOffsets&) const { return "CompareOffsets"; }
    std::string operator()(const BeginTransaction&) const { return "BeginTransaction"; }
    std::string operator()(const AbandonStart& a) const { return "AbandonStart(" + a.reason + ")"; }
    std::string operator()(const StartAnew& a) const { return "StartAnew(" + a.reason + ")"; }
    std::string operator()(const FailStart& a) const { return "FailStart(" + a.error.message() + ")"; }
  };
  return std::visit(Describe{}, action);
}

}  // namespace fencepost::exactly_once
