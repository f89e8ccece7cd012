#include <algorithm>
#include <utility>

#include "simulation.h"

namespace fencepost::simulation {

// Who says RUNNING must also commit.
bool Simulation::all_work(const std::map<std::string, std::uint64_t>& commits_before) const {
  const auto& now = target.commits_of();
  const auto grew = [&](const std::string& partition) {
    const auto it = now.find(partition);
    const auto before = commits_before.find(partition);
    return it != now.end() && it->second > (before == commits_before.end() ? 0 : before->second);
  };
  for (const auto& worker : workers) {
    for (const auto& [task, count] : worker->runtime().live_tasks()) {
      if (worker->runtime().works(task) && !grew(task.connector + "/" + std::to_string(task.task))) return false;
    }
  }
  return true;
}

bool Simulation::come_to_rest(Duration within) {
  const Time end = schedule.now() + within;
  while (schedule.now() < end) {
    schedule.run_until(schedule.now() + std::chrono::seconds(5));
    if (!unrest().empty()) continue;
    const int rebalances = coordinator->rebalances();
    const auto commits = target.commits_of();
    schedule.run_until(schedule.now() + std::chrono::seconds(20));
    if (unrest().empty() && coordinator->rebalances() == rebalances && all_work(commits)) return true;
  }
  return false;
}

std::vector<std::string> Simulation::violations() const {
  std::vector<std::string> all = violations_;
  all.insert(all.end(), target.violations().begin(), target.violations().end());
  return all;
}

// Judged by the topics and by what really runs, not by what a herder believes.
std::vector<std::string> Simulation::unrest() const {
  std::vector<std::string> wrong;
  protocol::ConfigState state;
  for (const auto& r : configs.records()) (void)state.read(r.offset, r.key, r.value);
  protocol::StatusState status;
  for (const auto& r : statuses.records()) (void)status.read(r.key, r.value);

  std::map<TaskId, int> tasks;
  std::map<std::string, int> connectors;
  for (const auto& worker : workers) {
    for (const auto& [task, count] : worker->runtime().live_tasks()) tasks[task] += count;
    for (const auto& name : worker->runtime().live_connectors()) ++connectors[name];
    if (!worker->alive()) wrong.push_back(worker->id() + " is not alive");
  }
  for (const auto& name : status.connectors()) {
    if (!state.contains(name)) wrong.push_back("a status of the deleted connector " + name + " is left");
  }
  for (const auto& [name, count] : connectors) {
    if (!state.contains(name)) wrong.push_back("the deleted connector " + name + " runs");
    if (count != 1) wrong.push_back("connector " + name + " runs " + std::to_string(count) + " times");
  }
  for (const auto& [task, count] : tasks) {
    if (count > 0 && state.task_config(task) == nullptr)
      wrong.push_back("task " + task.to_string() + ", which is not configured, runs");
  }
  for (const auto& name : state.connectors()) {
    if (!connectors.contains(name)) wrong.push_back("connector " + name + " runs nowhere");
    const auto more = unrest_of(name, state, status, tasks);
    wrong.insert(wrong.end(), more.begin(), more.end());
  }
  if (wrong.empty()) wrong = unevenness(shares(state, status), coordinator->protocol());
  return wrong;
}

bool Simulation::reads_whole_now(const std::string& connector) const {
  protocol::ConfigState now;
  for (const auto& r : configs.read(0, configs.size())) (void)now.read(r.offset, r.key, r.value);
  (void)now.end_reached();
  const auto* info = now.find(connector);
  return info != nullptr && !info->inconsistent && !info->tasks.empty();
}

std::vector<std::string> Simulation::unrest_of(const std::string& name, const protocol::ConfigState& state,
                                               const protocol::StatusState& status, const std::map<TaskId, int>& tasks) const {
  std::vector<std::string> wrong;
  const auto runs_of = [&](const TaskId& task) {
    const auto it = tasks.find(task);
    return it == tasks.end() ? 0 : it->second;
  };
  const auto wanted = state.target_state(name).value_or(protocol::TargetState::Started);
  const auto run_state = wanted == protocol::TargetState::Started  ? protocol::RunState::Running
                         : wanted == protocol::TargetState::Paused ? protocol::RunState::Paused
                                                                   : protocol::RunState::Stopped;
  const auto* own = status.find(name);
  if (own == nullptr || own->state != run_state) {
    wrong.push_back("connector " + name + " is to be " + std::string(to_string(run_state)) + " and is shown as " +
                    (own == nullptr ? "nothing" : std::string(to_string(own->state))));
  }
  const auto* info = state.find(name);
  if (info->inconsistent && wanted == protocol::TargetState::Started)
    wrong.push_back("the task configs of " + name + " are incomplete");
  if (wanted == protocol::TargetState::Started &&
      static_cast<int>(info->tasks.size()) != std::stoi(info->config->get_or("tasks.max", "1"))) {
    wrong.push_back("connector " + name + " has " + std::to_string(info->tasks.size()) + " tasks instead of " +
                    info->config->get_or("tasks.max", "1"));
  }
  // Task configs of which half was written count as none until the connector is resumed. A commit without them may be whole again
  // where the log was compacted: then workers do not agree on what there is until it is resumed, and write it anew.
  if (info->inconsistent && wanted != protocol::TargetState::Started && reads_whole_now(name)) return wrong;
  if (wanted != protocol::TargetState::Stopped && status.tasks(name).size() != state.tasks(name).size()) {
    wrong.push_back("connector " + name + " has " + std::to_string(state.tasks(name).size()) + " tasks and statuses of " +
                    std::to_string(status.tasks(name).size()));
  }
  for (const TaskId& task : state.tasks(name)) {
    if (wanted == protocol::TargetState::Stopped) {
      // Task configs that came between the two records of a stop: they lie there, and nothing of them runs.
      if (runs_of(task) != 0) wrong.push_back("task " + task.to_string() + " of a stopped connector runs");
      continue;
    }
    const auto* s = status.find(task);
    if (s != nullptr && s->state == protocol::RunState::Failed && s->trace && runs_of(task) == 0) continue;
    if (s == nullptr || s->state != run_state) {
      wrong.push_back("task " + task.to_string() + " is to be " + std::string(to_string(run_state)) + " and is shown as " +
                      (s == nullptr ? "nothing" : std::string(to_string(s->state))));
    }
    if (runs_of(task) != 1) wrong.push_back("task " + task.to_string() + " runs " + std::to_string(runs_of(task)) + " times");
  }
  return wrong;
}

// A task that has failed stays with its worker; one of which nobody can say whose it is makes the count of tasks worthless.
std::vector<Share> Simulation::shares(const protocol::ConfigState& state, const protocol::StatusState& status) const {
  std::vector<Share> all;
  std::size_t owned = 0;
  for (const auto& worker : workers) {
    Share share{.worker = worker->id(), .connectors = worker->runtime().live_connectors().size(), .tasks = 0};
    const auto live = worker->runtime().live_tasks();
    for (const auto& name : state.connectors()) {
      for (const TaskId& task : state.tasks(name)) {
        const auto run = live.find(task);
        const auto* last = status.find(task);
        const bool failed_here = last != nullptr && last->state == protocol::RunState::Failed && last->worker_id == worker->id();
        if ((run != live.end() && run->second > 0) || failed_here) ++share.tasks;
      }
    }
    owned += share.tasks;
    all.push_back(share);
  }
  std::size_t configured = 0;
  for (const auto& name : state.connectors()) configured += state.tasks(name).size();
  if (owned != configured) return {};
  return all;
}

}  // namespace fencepost::simulation
