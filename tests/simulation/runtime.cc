#include "runtime.h"

#include <utility>

#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

namespace {

RunState state_for(TargetState target) {
  return target == TargetState::Started  ? RunState::Running
         : target == TargetState::Paused ? RunState::Paused
                                         : RunState::Stopped;
}

}  // namespace

void Runtime::start() {
  connectors_.clear();
  tasks_.clear();
  plain_tasks_.clear();
}

// ---- connectors ----

void Runtime::report_connector(const std::string& name) {
  Connector& connector = connectors_[name];
  process_.in_line(connector.line, world_.chance.wait(1, 200),
                   [this, name, run = connector.run, state = state_for(connector.target)] {
                     const auto it = connectors_.find(name);
                     if (it == connectors_.end() || it->second.run != run) return;
                     tell(ConnectorStateChanged{.connector = name, .run = run, .state = state, .trace = ""});
                   });
}

void Runtime::perform(const StartConnector& a) {
  if (connectors_.contains(a.connector)) world_.violation(worker_ + " started connector " + a.connector + " beside a run of it");
  connectors_[a.connector] = {.run = a.run, .target = a.target};
  report_connector(a.connector);
}

void Runtime::perform(const StopConnector& a) {
  in(world_.chance.wait(1, 500), [this, a] {
    connectors_.erase(a.connector);
    tell(ConnectorEnded{.connector = a.connector, .run = a.run});
  });
}

void Runtime::perform(const ChangeConnectorTarget& a) {
  connectors_[a.connector].target = a.target;
  report_connector(a.connector);
}

void Runtime::perform(const GenerateTaskConfigs& a) {
  in(world_.chance.wait(1, 300), [this, a] {
    TaskConfigsGenerated generated{.connector = a.connector, .run = a.run, .configs = std::vector<Properties>{}};
    if (world_.chance.happens(world_.faults.fail_generate)) {
      generated.configs = failure(ErrorKind::Failed, "the source system is away");
    } else {
      const std::string tasks = a.config.get_or("tasks.max", "1");
      for (int i = 0; i < std::stoi(tasks); ++i) {
        generated.configs->push_back(
            Properties{{"tasks", tasks}, {"i", std::to_string(i)}, {"v", a.config.get_or("task.setting", "0")}});
      }
    }
    tell(generated);
  });
}

// ---- tasks ----

// Judged by the log itself, as far as this worker has read it: the task count must be recorded after the newest commit of tasks.
void Runtime::check_fence_before(const StartTask& a) {
  const std::string& name = a.task.connector;
  const std::size_t read = world_.config_read_by(worker_);
  if (world_.configs.newest_place("tasks-fencing-" + name, read) < world_.configs.newest_place("commit-" + name, read)) {
    world_.violation(worker_ + " started " + a.task.to_string() + " before its fence");
  }
}

void Runtime::perform(const StartTask& a) {
  ++world_.counters_["task started"];
  if (tasks_.contains(a.task) || plain_tasks_.contains(a.task))
    world_.violation(worker_ + " started task " + a.task.to_string() + " beside a run of it");
  if (a.exactly_once) {
    check_fence_before(a);
    return start_source_task(a);
  }
  plain_tasks_[a.task] = {.run = a.run, .target = a.target};
  report_plain(a.task, world_.chance.wait(5, 500));
}

void Runtime::report_plain(const TaskId& id, Duration wait) {
  PlainTask& task = plain_tasks_[id];
  process_.in_line(task.line, wait, [this, id, run = task.run, state = state_for(task.target)] {
    const auto it = plain_tasks_.find(id);
    if (it == plain_tasks_.end() || it->second.run != run) return;
    tell(TaskStateChanged{.task = id, .run = run, .state = state, .trace = ""});
  });
}

void Runtime::start_source_task(const StartTask& a) {
  TaskWorld world{.schedule = world_.schedule,
                  .chance = world_.chance,
                  .target = world_.target,
                  .faults = world_.faults,
                  .breaches = world_.breaches,
                  .counters = world_.counters_,
                  .in = [this](Duration wait, std::function<void()> what) { in(wait, std::move(what)); },
                  .report =
                      [this](const Event& event) {
                        if (const auto* ended = std::get_if<TaskEnded>(&event)) {
                          auto& runs = tasks_[ended->task];
                          runs.erase(ended->run);
                          if (runs.empty()) tasks_.erase(ended->task);
                        }
                        in(Duration(0), [this, event] { tell(event); });
                      },
                  .next_request = [this] { return RequestId{2'000'000'000 + ++last_question_}; },
                  .worker = worker_};
  const auto task = std::make_shared<SourceTask>(std::move(world), a, world_.options_of(worker_).group_id);
  tasks_[a.task][a.run] = task;
  task->start();
}

SourceTask* Runtime::source_task(const TaskId& task, RunId run) const {
  const auto runs = tasks_.find(task);
  if (runs == tasks_.end()) return nullptr;
  const auto it = runs->second.find(run);
  return it == runs->second.end() ? nullptr : it->second.get();
}

void Runtime::perform(const StopTask& a) {
  if (SourceTask* source = source_task(a.task, a.run)) return source->stop();
  if (const auto it = plain_tasks_.find(a.task); it == plain_tasks_.end() || it->second.run != a.run) return;
  in(world_.chance.wait(1, 500), [this, a] {
    plain_tasks_.erase(a.task);
    TaskEnded ended;
    ended.task = a.task;
    ended.run = a.run;
    tell(ended);
  });
}

void Runtime::perform(const ChangeTaskTarget& a) {
  if (SourceTask* source = source_task(a.task, a.run)) return source->set_target(a.target);
  const auto it = plain_tasks_.find(a.task);
  if (it == plain_tasks_.end() || it->second.run != a.run) return;
  it->second.target = a.target;
  report_plain(a.task, world_.chance.wait(1, 100));
}

void Runtime::perform(const AnswerOwnership& a) {
  const auto runs = tasks_.find(a.task);
  if (runs == tasks_.end() || !runs->second.contains(a.run)) return;
  in(Duration(0), [task = runs->second.at(a.run), a] { task->ownership_answered(a); });
}

// ---- for judges ----

std::map<TaskId, int> Runtime::live_tasks() const {
  std::map<TaskId, int> live;
  if (!process_.alive()) return live;
  for (const auto& [task, runs] : tasks_) {
    for (const auto& [run, source] : runs) live[task] += source->running() ? 1 : 0;
  }
  for (const auto& [task, plain] : plain_tasks_) ++live[task];
  return live;
}

bool Runtime::works(const TaskId& task) const {
  const auto it = tasks_.find(task);
  return process_.alive() && it != tasks_.end() &&
         std::ranges::any_of(it->second, [](const auto& run) { return run.second->polling(); });
}

std::vector<std::string> Runtime::live_connectors() const {
  std::vector<std::string> names;
  if (!process_.alive()) return names;
  for (const auto& [name, connector] : connectors_) names.push_back(name);
  return names;
}

}  // namespace fencepost::simulation
