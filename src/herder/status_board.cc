#include "herder/status_board.h"

#include <algorithm>
#include <utility>

namespace fencepost::herder {

using protocol::Status;
using protocol::StatusOwner;
using protocol::StatusWrites;

bool has_config(const protocol::ConfigState& configs, const StatusOwner& owner) {
  return owner.task ? configs.has_task({owner.connector, *owner.task}) : configs.contains(owner.connector);
}

StateInfo state_info(const Status& status) {
  return {.state = std::string(to_string(status.state)),
          .worker_id = status.worker_id,
          .trace = status.trace.value_or(""),
          .version = status.version.value_or("")};
}

namespace {

/// The connector that a key of the status topic speaks of: status-connector-NAME, status-task-NAME-N,
/// status-topic-T:connector-NAME.
std::string connector_of(const std::string& key) {
  const auto after = [&](std::string_view prefix) { return key.substr(prefix.size()); };
  if (key.starts_with("status-connector-")) return after("status-connector-");
  if (key.starts_with("status-task-")) {
    const std::string rest = after("status-task-");
    return rest.substr(0, rest.rfind('-'));
  }
  const auto at = key.find(":connector-");
  return at == std::string::npos ? std::string() : key.substr(at + std::string_view(":connector-").size());
}

}  // namespace

void StatusBoard::on(const StatusRecordsRead& e) {
  for (const TopicRecord& record : e.records) {
    const std::string warning = state_.read(record.key, record.value);
    if (!warning.empty()) {
      turn_.note(LogLevel::Warn, "",
                 "status topic " + options_.status_topic + ", partition " + std::to_string(record.partition) + ", offset " +
                     record.offset.to_string() + ": record skipped: " + warning);
      continue;
    }
    if (!record.key) continue;
    const std::string connector = connector_of(*record.key);
    changed_.insert(connector);
    if (record.value) {
      suspect(connector);
    } else {
      removed_.insert(connector);
    }
  }
}

void StatusBoard::write(const StatusOwner& owner, protocol::RunState state, const std::string& trace, Generation generation,
                        StatusWrites mode) {
  Status status{
      .state = state, .trace = std::nullopt, .worker_id = options_.worker_id, .generation = generation, .version = std::nullopt};
  if (!trace.empty()) status.trace = trace;
  if (const Properties* config = configs_.config(owner.connector)) {
    const std::string version = options_.plugins.version_of(*config);
    if (!version.empty()) status.version = version;
  }
  if (const auto write = state_.begin_write(owner, std::move(status), mode)) order(write->record);
}

void StatusBoard::write_topic(const TaskId& task, const std::string& topic) {
  order(protocol::topic_status_record({.topic = topic, .task = task, .discovered = turn_.now()}));
}

bool StatusBoard::uses_topic(const std::string& connector, const std::string& topic) const {
  return state_.topics(connector).contains(topic);
}

// ---- what is left of what is configured no more ----

bool StatusBoard::holds_leftovers(const std::string& connector) const {
  if (!has_config(configs_, StatusOwner(connector))) {
    return state_.find(StatusOwner(connector)) != nullptr || !state_.tasks(connector).empty() ||
           !state_.topics(connector).empty();
  }
  return std::ranges::any_of(state_.tasks(connector), [&](const auto& task) {
    return !has_config(configs_, TaskId{connector, task.first});
  });
}

void StatusBoard::suspect(const std::string& connector) {
  if (holds_leftovers(connector)) suspects_.insert(connector);
}

void StatusBoard::suspect_all() {
  for (const auto& connector : state_.known()) suspect(connector);
}

// The leader removes for all. A status that a run wrote before it heard of the deletion comes after the leader's tombstones, and
// there may be no leader then: who wrote it takes it back too.
void StatusBoard::sweep() {
  for (const auto& connector : std::exchange(suspects_, {})) {
    const auto mine = [&](const Status* status) {
      return status != nullptr && (leads_() || status->worker_id == options_.worker_id);
    };
    if (!has_config(configs_, StatusOwner(connector))) {
      if (leads_()) reset_topics(connector);
      if (mine(state_.find(StatusOwner(connector)))) order(protocol::status_tombstone(StatusOwner(connector)));
    }
    for (const auto& [number, status] : state_.tasks(connector)) {
      const TaskId task{connector, number};
      if (!has_config(configs_, task) && mine(&status)) order(protocol::status_tombstone(task));
    }
  }
}

void StatusBoard::reset_topics(const std::string& connector) {
  for (const auto& [topic, status] : state_.topics(connector)) order(protocol::topic_status_tombstone(connector, topic));
}

std::optional<ConnectorStatus> StatusBoard::status(const std::string& connector) const {
  const Status* own = state_.find(StatusOwner(connector));
  if (own == nullptr) return std::nullopt;
  ConnectorStatus status{.name = connector, .connector = state_info(*own), .tasks = {}, .kind = kind_of(connector)};
  for (const auto& [number, task] : state_.tasks(connector)) status.tasks.push_back({.task = number, .state = state_info(task)});
  return status;
}

std::optional<TaskStateInfo> StatusBoard::status(const TaskId& task) const {
  const Status* status = state_.find(StatusOwner(task));
  if (status == nullptr) return std::nullopt;
  return TaskStateInfo{.task = task.task, .state = state_info(*status)};
}

const Status* StatusBoard::last_of_another(const StatusOwner& owner) const {
  const Status* last = state_.find(owner);
  return last != nullptr && last->worker_id != options_.worker_id ? last : nullptr;
}

ConnectorKind StatusBoard::kind_of(const std::string& connector) const {
  const Properties* config = configs_.config(connector);
  return config == nullptr ? ConnectorKind::Unknown : options_.plugins.kind_of(*config);
}

std::set<std::string> StatusBoard::take_changed() { return std::exchange(changed_, {}); }

std::set<std::string> StatusBoard::take_removed() { return std::exchange(removed_, {}); }

void StatusBoard::order(const protocol::Record& record) {
  turn_.order(WriteStatusRecord{.key = record.key, .value = record.value});
}

}  // namespace fencepost::herder
