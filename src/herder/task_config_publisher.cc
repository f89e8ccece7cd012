#include "herder/task_config_publisher.h"

#include <utility>

namespace fencepost::herder {

bool task_configs_are_news(const protocol::ConfigState& configs, const std::string& connector,
                           const std::vector<Properties>& generated) {
  const auto* info = configs.find(connector);
  if (info == nullptr || !info->config) return false;
  // Workers that start later may find the uncommitted ones in the place of those that are in force.
  if (configs.has_uncommitted_tasks(connector)) return true;
  // Without any commit yet, even a commit of nothing says that the connector was asked.
  if (info->inconsistent || !info->task_config_generation || info->tasks.size() != generated.size()) return true;
  if (!info->applied_config || !(*info->applied_config == *info->config)) return true;
  std::int32_t number = 0;
  for (const Properties& config : generated) {
    const auto it = info->tasks.find(number++);
    if (it == info->tasks.end() || !(it->second == config)) return true;
  }
  return false;
}

void TaskConfigPublisher::reconfigure(const std::string& connector) {
  const auto [it, added] = jobs_.try_emplace(connector);
  if (!added) {
    it->second.again = true;
    if (it->second.again_at) generate(connector);
    return;
  }
  it->second.since = turn_.now();
  it->second.number = ++last_number_;
  generate(connector);
}

void TaskConfigPublisher::generate(const std::string& connector) {
  Job& job = jobs_.at(connector);
  job.again = false;
  job.again_at.reset();
  job.asked = hooks_.active_run(connector);
  const Properties* config = configs_.config(connector);
  if (!job.asked || config == nullptr) {
    jobs_.erase(connector);
    return;
  }
  turn_.order(GenerateTaskConfigs{.connector = connector, .run = *job.asked, .config = *config});
}

void TaskConfigPublisher::on(const TaskConfigsGenerated& e) {
  const auto it = jobs_.find(e.connector);
  if (it == jobs_.end() || it->second.asked != e.run) return;
  it->second.asked.reset();
  if (hooks_.active_run(e.connector) != e.run || it->second.again) return generate(e.connector);
  if (!e.configs) return retry(e.connector, e.configs.error());
  said_[e.connector] = *e.configs;
  if (!task_configs_are_news(configs_, e.connector, *e.configs)) return finish(e.connector);
  publish(e.connector, *e.configs);
}

void TaskConfigPublisher::publish(const std::string& connector, const std::vector<Properties>& configs) {
  if (!hooks_.settled()) return retry(connector, Error(ErrorKind::Conflict, "the group rebalances"));
  Job& job = jobs_.at(connector);
  job.publishing = true;
  hooks_.publish(connector, configs, [this, connector, number = job.number](const Answer& answer) {
    const auto it = jobs_.find(connector);
    if (it == jobs_.end() || it->second.number != number) return;
    it->second.publishing = false;
    if (!answer) return retry(connector, answer.error());
    finish(connector);
  });
}

void TaskConfigPublisher::finish(const std::string& connector) {
  if (jobs_.at(connector).again) {
    generate(connector);
  } else {
    jobs_.erase(connector);
  }
}

void TaskConfigPublisher::retry(const std::string& connector, const Error& error) {
  Job& job = jobs_.at(connector);
  job.last_error = error.message();
  job.again_at = turn_.now() + job.backoff.next();
  turn_.note(error.kind() == ErrorKind::Conflict || error.retriable() ? LogLevel::Info : LogLevel::Error, connector,
             "task configs could not be published yet, trying again: " + error.message());
}

void TaskConfigPublisher::committed(const std::string& connector) {
  if (!hooks_.active_run(connector)) {
    said_.erase(connector);
    return;
  }
  const auto it = said_.find(connector);
  const auto* info = configs_.find(connector);
  const bool incomplete = info != nullptr && info->inconsistent;
  if (incomplete || (it != said_.end() && task_configs_are_news(configs_, connector, it->second))) reconfigure(connector);
}

void TaskConfigPublisher::settled() {
  std::vector<std::string> waiting;
  for (const auto& [connector, job] : jobs_) {
    if (job.again_at) waiting.push_back(connector);
  }
  for (const auto& connector : waiting) generate(connector);
  // Who joined may have read a compacted topic, and whoever wrote half of the task configs may be gone.
  for (const auto& connector : configs_.connectors()) {
    const bool broken = configs_.find(connector)->inconsistent || configs_.has_uncommitted_tasks(connector);
    if (broken && !jobs_.contains(connector) && hooks_.active_run(connector)) reconfigure(connector);
  }
}

void TaskConfigPublisher::on_time() {
  std::vector<std::string> due;
  for (const auto& [connector, job] : jobs_) {
    if (job.again_at && *job.again_at <= turn_.now()) due.push_back(connector);
  }
  for (const auto& connector : due) generate(connector);
}

std::optional<Time> TaskConfigPublisher::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [connector, job] : jobs_) {
    if (job.again_at && (!next || *job.again_at < *next)) next = job.again_at;
  }
  return next;
}

std::optional<Stage> TaskConfigPublisher::stage() const {
  if (jobs_.empty()) return std::nullopt;
  const auto& [connector, job] = *jobs_.begin();
  std::string text = (job.publishing ? "publishing the task configs of " : "asking for the task configs of ") + connector;
  if (jobs_.size() > 1) text += " and of " + std::to_string(jobs_.size() - 1) + " others";
  if (!job.last_error.empty()) text += " (last error: " + job.last_error + ")";
  return Stage{.component = "task configs", .doing = std::move(text), .since_ms = job.since.time_since_epoch().count()};
}

}  // namespace fencepost::herder
