#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"

namespace fencepost::exactly_once {

/// What the config log says about a connector at its end.
struct FencingFacts {
  bool exists = false;
  bool is_source = false;
  bool pending = false;                           ///< task configs were committed after the last task-count record
  std::optional<std::int32_t> task_count_record;  ///< how many transactional ids may be in use; nothing: none ever was
  std::int32_t tasks = 0;
  std::int64_t task_config_generation = -1;
  friend bool operator==(const FencingFacts&, const FencingFacts&) = default;
};

// ---- events ----
struct FenceAsked {
  friend bool operator==(const FenceAsked&, const FenceAsked&) = default;
};
/// The config log has been read to its end.
struct LogEndKnown {
  FencingFacts facts;
  friend bool operator==(const LogEndKnown&, const LogEndKnown&) = default;
};
/// Every id's epoch was bumped.
struct IdsFenced {
  friend bool operator==(const IdsFenced&, const IdsFenced&) = default;
};
struct TaskCountWritten {
  friend bool operator==(const TaskCountWritten&, const TaskCountWritten&) = default;
};
/// A step failed, or this worker leads no more.
struct FencingFailed {
  Error error;
  friend bool operator==(const FencingFailed&, const FencingFailed&) = default;
};
using FencingEvent = std::variant<FenceAsked, LogEndKnown, IdsFenced, TaskCountWritten, FencingFailed>;

// ---- actions ----
struct ReadLogToEnd {
  friend bool operator==(const ReadLogToEnd&, const ReadLogToEnd&) = default;
};
/// InitProducerId for GROUP-CONNECTOR-0 .. count-1.
struct FenceIds {
  std::int32_t count = 0;
  friend bool operator==(const FenceIds&, const FenceIds&) = default;
};
/// tasks-fencing-CONNECTOR, through the leader's producer -> TaskCountWritten.
struct WriteTaskCount {
  std::int32_t count = 0;
  friend bool operator==(const WriteTaskCount&, const WriteTaskCount&) = default;
};
/// The round is over: nothing, or why the connector could not be fenced.
struct FinishFencing {
  std::optional<Error> error;
  friend bool operator==(const FinishFencing&, const FinishFencing&) = default;
};
using FencingAction = std::variant<ReadLogToEnd, FenceIds, WriteTaskCount, FinishFencing>;
using FencingActions = std::vector<FencingAction>;

/// One round of fencing that the leader runs for a connector (KIP-618, PUT /connectors/C/fence): it ends all transactions of
/// earlier generations of its tasks, then says so in the config log. Who asks while it runs shares its outcome.
class FencingRound {
 public:
  explicit FencingRound(std::string connector) : connector_(std::move(connector)) {}

  [[nodiscard]] FencingActions apply(const FencingEvent& event);
  [[nodiscard]] bool over() const { return state_ == State::Over; }
  /// What it is doing, for a person who waits: "fencing orders (3 transactional ids)".
  [[nodiscard]] std::string doing() const;

 private:
  enum class State { New, ReadingBefore, Fencing, ReadingAfter, Writing, Over };

  FencingActions on(const FenceAsked& e);
  FencingActions on(const LogEndKnown& e);
  FencingActions on(const IdsFenced& e);
  FencingActions on(const TaskCountWritten& e);
  FencingActions on(const FencingFailed& e);
  FencingActions finish(std::optional<Error> error);

  std::string connector_;
  State state_ = State::New;
  std::int64_t task_config_generation_ = -1;
  std::int32_t ids_ = 0;
};

}  // namespace fencepost::exactly_once
