#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "herder/actions.h"
#include "part.h"
#include "source_task.h"

namespace fencepost::simulation {

/// The connectors and tasks that run in one worker, as src/runtime runs them.
class Runtime : public Part {
 public:
  Runtime(Simulation& world, Process& process, std::string worker, Tell tell)
      : Part(world, process, std::move(worker), std::move(tell)) {}

  void start();
  /// Tasks that run here now, with how many runs each has.
  [[nodiscard]] std::map<TaskId, int> live_tasks() const;
  [[nodiscard]] std::vector<std::string> live_connectors() const;
  /// Of this task a transactional run is up and to be RUNNING.
  [[nodiscard]] bool works(const TaskId& task) const;

  void perform(const herder::StartConnector& a);
  void perform(const herder::StopConnector& a);
  void perform(const herder::ChangeConnectorTarget& a);
  void perform(const herder::GenerateTaskConfigs& a);
  void perform(const herder::StartTask& a);
  void perform(const herder::StopTask& a);
  void perform(const herder::ChangeTaskTarget& a);
  void perform(const herder::HoldTask&) {}
  void perform(const herder::AnswerOwnership& a);

 private:
  struct Connector {
    RunId run;
    herder::TargetState target;
    Time line{};  ///< its reports come in their order
  };
  struct PlainTask {
    RunId run;
    herder::TargetState target;
    Time line{};
  };
  void report_connector(const std::string& name);
  void report_plain(const TaskId& task, Duration wait);
  void check_fence_before(const herder::StartTask& a);
  [[nodiscard]] SourceTask* source_task(const TaskId& task, RunId run) const;
  void start_source_task(const herder::StartTask& a);

  std::uint64_t last_question_ = 0;
  std::map<std::string, Connector> connectors_;
  std::map<TaskId, std::map<RunId, std::shared_ptr<SourceTask>>> tasks_;
  std::map<TaskId, PlainTask> plain_tasks_;
};

}  // namespace fencepost::simulation
