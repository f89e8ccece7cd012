#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "breaches.h"
#include "exactly_once/fenced_verdict.h"
#include "exactly_once/source_task_start.h"
#include "faults.h"
#include "herder/actions.h"
#include "herder/events.h"
#include "schedule.h"
#include "target.h"

namespace fencepost::simulation {

/// What a task sees of its world.
struct TaskWorld {
  Schedule& schedule;
  Chance& chance;
  Target& target;
  const Faults& faults;
  const Breaches& breaches;
  Counters& counters;
  /// Later, if the worker's process still lives; while it is paused, when it goes on.
  std::function<void(Duration, std::function<void()>)> in;
  std::function<void(const herder::Event&)> report;
  std::function<RequestId()> next_request;
  std::string worker;
};

/// The runtime's part of an exactly-once source task, driven by the real machines: it fences its id, asks, loads offsets, polls
/// ranges of its source partitions and commits them with their offsets.
class SourceTask : public std::enable_shared_from_this<SourceTask> {
 public:
  static constexpr Duration kTransactionTimeout = std::chrono::seconds(60);

  SourceTask(TaskWorld world, herder::StartTask order, const std::string& group);
  void start();
  void stop();
  void set_target(herder::TargetState target);
  void ownership_answered(const herder::AnswerOwnership& answer);
  [[nodiscard]] bool running() const { return running_; }
  /// It is to be RUNNING, has begun, and has something to read: it must commit again and again.
  [[nodiscard]] bool polling() const { return running_ && polling_ && !stopping_ && !positions_.empty(); }

 private:
  void begin_start();
  void perform(const exactly_once::StartActions& actions);
  void tell_machine(const exactly_once::StartEvent& event);
  void ask(std::function<void(const herder::AnswerOwnership&)> then);
  void poll();
  void commit();
  void fenced();
  void end();
  void fail(const std::string& trace);
  void later(Duration wait, void (SourceTask::*what)());
  [[nodiscard]] std::vector<std::string> partitions() const;
  [[nodiscard]] std::map<std::string, std::int64_t> committed() const;

  TaskWorld world_;
  herder::StartTask order_;
  std::string id_;
  herder::TargetState target_;
  std::optional<exactly_once::SourceTaskStart> start_;
  std::optional<exactly_once::FirstBatch> first_batch_;
  std::function<void(const herder::AnswerOwnership&)> asked_;
  std::optional<RequestId> question_;
  std::optional<std::int64_t> epoch_;  ///< of the client; nothing: none is kept
  std::map<std::string, std::int64_t> positions_;
  std::vector<Target::Commit> open_;
  std::optional<Time> open_since_;
  int restarts_ = 0;
  exactly_once::LateFences late_fences_;
  bool polling_ = false;
  bool running_ = false;
  bool stopping_ = false;
  bool over_ = false;
};

}  // namespace fencepost::simulation
