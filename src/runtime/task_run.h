#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/log.h"
#include "exactly_once/source_task_start.h"
#include "herder/actions.h"
#include "herder/events.h"
#include "runtime/actor.h"
#include "runtime/ports.h"
#include "runtime/transaction_board.h"

namespace fencepost::runtime {

using Report = std::function<void(herder::Event)>;

/// What each run of a connector or task is given. The references outlive it.
struct RunSurroundings {
  const WorkerOptions& options;
  const WorkerPorts& ports;
  Scheduler& scheduler;
  TransactionBoard& transactions;
  Log log;
  const Report& report;
};

/// One run of a task on this worker, from StartTask to TaskEnded.
///
/// Threads: public functions from any thread; everything else happens in turns.
class TaskRun : public Actor {
 public:
  TaskRun(herder::StartTask order, RunSurroundings surroundings);

  [[nodiscard]] const TaskId& task() const { return order_.task; }
  [[nodiscard]] RunId run() const { return order_.run; }
  /// After it: no state is reported any more. Ends in TaskEnded.
  void stop();
  void change_target(herder::TargetState target);
  /// A new plan for the task is on its way. A sink goes on: what it is given stands in Kafka for its successor too. Any thread.
  virtual void hold() {}
  void answer_ownership(RequestId request, exactly_once::OwnershipAnswered answer);
  /// The time for an orderly end is nearly over: calls that wait for a broker are given up. Any thread.
  virtual void hurry() noexcept = 0;
  /// The time for an orderly end is over: TaskEnded is reported although a plugin still blocks; what it does then is not heard.
  void give_up();
  [[nodiscard]] bool ended() const { return ended_; }

 protected:
  /// Interrupts a plugin or a client that blocks. Any thread; called once.
  virtual void interrupt() noexcept = 0;

  [[nodiscard]] bool stopping() const { return stopping_; }
  [[nodiscard]] herder::TargetState target() const { return target_; }
  void report_state(herder::RunState state, std::string trace = {});
  void report_topic(const std::string& topic);
  /// The run is over and holds no client.
  void end();
  /// `then` gets the herder's answer in a turn.
  void ask_ownership(std::function<void(exactly_once::OwnershipAnswered)> then);

  [[nodiscard]] const herder::StartTask& order() const { return order_; }
  [[nodiscard]] const RunSurroundings& surroundings() const { return surroundings_; }
  [[nodiscard]] const Log& log() const { return surroundings_.log; }

 private:
  const herder::StartTask order_;
  const RunSurroundings surroundings_;
  std::atomic<herder::TargetState> target_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> ended_ = false;
  std::uint64_t questions_ = 0;
  std::map<RequestId, std::function<void(exactly_once::OwnershipAnswered)>> asked_;
  std::map<std::string, Steady::time_point, std::less<>> topics_reported_;
};

}  // namespace fencepost::runtime
