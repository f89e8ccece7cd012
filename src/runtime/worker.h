#pragma once

#include <functional>
#include <memory>

#include "herder/actions.h"
#include "herder/events.h"
#include "runtime/ports.h"
#include "runtime/transaction_board.h"

namespace fencepost::runtime {

/// Runs connectors and tasks as the herder orders, and reports what becomes of them.
///
/// Threads: execute() from one thread; it never blocks. Reports come from the pool's threads, also before execute() returns.
class Worker {
 public:
  using Report = std::function<void(herder::Event)>;

  Worker(WorkerOptions options, WorkerPorts ports, Log log, Report report);
  /// Stops what still runs, waiting at most task.shutdown.graceful.timeout.ms; nothing is reported any more.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// True where the action is one of the runtime's: StartConnector, StopConnector, ChangeConnectorTarget, GenerateTaskConfigs,
  /// StartTask, StopTask, ChangeTaskTarget, HoldTask, AnswerOwnership, ReadOffsets, ChangeOffsets, AnswerOffsetChange.
  /// Others are left to the caller.
  bool execute(const herder::Action& action);

  /// What the tasks' transactions do; it may outlive the worker. Any thread.
  [[nodiscard]] std::shared_ptr<TransactionBoard> transactions() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace fencepost::runtime
