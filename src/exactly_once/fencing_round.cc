#include "exactly_once/fencing_round.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace fencepost::exactly_once {

FencingActions FencingRound::apply(const FencingEvent& event) {
  if (over()) return {};
  return std::visit([this](const auto& e) { return on(e); }, event);
}

FencingActions FencingRound::on(const FenceAsked&) {
  FENCEPOST_ASSERT(state_ == State::New, "a round is asked for once");
  state_ = State::ReadingBefore;
  return {ReadLogToEnd{}};
}

FencingActions FencingRound::on(const LogEndKnown& e) {
  const FencingFacts& facts = e.facts;
  if (!facts.exists) return finish(Error(ErrorKind::NotFound, "Connector " + connector_ + " not found"));
  if (!facts.is_source) return finish(Error(ErrorKind::InvalidConfig, "Connector " + connector_ + " is not a source connector"));

  if (state_ == State::ReadingAfter) {
    // Tasks of the newer configs may have begun before the fence came: they need a round of their own.
    if (facts.task_config_generation != task_config_generation_) {
      return finish(Error(ErrorKind::Conflict, "Fencing of connector " + connector_ +
                                                   " failed because new task configurations were generated for it meanwhile; "
                                                   "the fence must be asked for again"));
    }
    state_ = State::Writing;
    return {WriteTaskCount{facts.tasks}};
  }
  FENCEPOST_ASSERT(state_ == State::ReadingBefore, "the log is read before and after the fence");
  if (!facts.pending) return finish(std::nullopt);
  task_config_generation_ = facts.task_config_generation;
  // Where no task had an id, the first one may still be that of a leader which is late to change the connector's offsets. A
  // single task fences it by its own start.
  const std::int32_t used = facts.task_count_record.value_or(0);
  if ((used <= 1 && facts.tasks == 1) || (used <= 0 && facts.tasks == 0)) {
    state_ = State::Writing;
    return {WriteTaskCount{facts.tasks}};
  }
  ids_ = std::max(used, 1);
  state_ = State::Fencing;
  return {FenceIds{ids_}};
}

FencingActions FencingRound::on(const IdsFenced&) {
  FENCEPOST_ASSERT(state_ == State::Fencing, "ids are fenced when that was asked for");
  state_ = State::ReadingAfter;
  return {ReadLogToEnd{}};
}

FencingActions FencingRound::on(const TaskCountWritten&) {
  FENCEPOST_ASSERT(state_ == State::Writing, "the record is written when that was asked for");
  return finish(std::nullopt);
}

FencingActions FencingRound::on(const FencingFailed& e) { return finish(e.error); }

FencingActions FencingRound::finish(std::optional<Error> error) {
  state_ = State::Over;
  return {FinishFencing{std::move(error)}};
}

std::string FencingRound::doing() const {
  switch (state_) {
    case State::Fencing:
      return "fencing " + connector_ + " (" + std::to_string(ids_) + " transactional ids)";
    case State::Writing:
      return "writing the task count record of " + connector_;
    default:
      return "reading the config topic to its end for the fencing of " + connector_;
  }
}

}  // namespace fencepost::exactly_once
