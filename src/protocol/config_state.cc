#include "protocol/config_state.h"

#include <fmt/core.h>

#include <limits>
#include <utility>

#include "base/text.h"
#include "json/base64.h"
#include "json/parse.h"
#include "json/writer.h"

namespace fencepost::protocol {
namespace {

ConfigRead warning(std::string text) { return {std::nullopt, std::move(text)}; }

/// Java keeps numbers and the like in the map of texts, and fails when one is used; here each becomes its text.
Properties to_properties(const json::Value::Object& members) {
  Properties out;
  for (const auto& [name, value] : members) {
    if (value.is_null()) {
      out.set(name, std::nullopt);
    } else if (const std::string* text = value.as_string()) {
      out.set(name, *text);
    } else {
      out.set(name, json::write(value));
    }
  }
  return out;
}

const json::Value::Object* properties_of(const json::Value& value) {
  const json::Value* properties = value.find("properties");
  return properties == nullptr ? nullptr : properties->as_object();
}

std::optional<std::int32_t> count_of(const json::Value& value, std::string_view field) {
  const json::Value* count = value.find(field);
  const auto number = count == nullptr ? std::nullopt : count->as_int64();
  if (!number || *number < 0 || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return static_cast<std::int32_t>(*number);
}

const std::string* text_of(const json::Value& value, std::string_view field) {
  const json::Value* text = value.find(field);
  return text == nullptr ? nullptr : text->as_string();
}

bool flag_of(const json::Value& value, std::string_view field) {
  const json::Value* flag = value.find(field);
  return flag != nullptr && flag->as_bool() != nullptr && *flag->as_bool();
}

/// Whether all of 0 to count-1 are there. More may be: compaction keeps the last config of a task that a later, smaller set
/// no longer has, and moves it behind the commit that knew it.
bool complete(const std::map<std::int32_t, Properties>& tasks, std::int32_t count) {
  std::int32_t expected = 0;
  for (const auto& [task, config] : tasks) {
    if (expected == count || task != expected) break;
    ++expected;
  }
  return expected == count;
}

/// A complete set without those beyond it.
std::map<std::int32_t, Properties> first_of(std::map<std::int32_t, Properties> tasks, std::int32_t count) {
  tasks.erase(tasks.lower_bound(count), tasks.end());
  return tasks;
}

}  // namespace

ConfigRead ConfigState::read(LogPosition position, std::optional<std::string_view> key, std::optional<std::string_view> value) {
  const LogPosition next(position.value + 1);
  json::Value parsed;
  // No bytes at all are a null to Java's converter, so a tombstone.
  if (value && !value->empty()) {
    auto read = json::parse(*value, json::kConverterOptions);
    if (!read) return warning(fmt::format("the value of key '{}' is {}", shown(key.value_or("null")), read.error().message()));
    parsed = *std::move(read);
  }
  if (position != offset_) hole_before_ = position;
  offset_ = next;
  if (!key) return warning("the key is null");
  const auto known = parse_config_key(*key);
  if (!known) return warning(known.error().message());
  return apply(position, *known, parsed);
}

bool ConfigState::may_have_a_successor(std::string_view deleted) const {
  const auto at = deleted_.find(deleted);
  return at == deleted_.end() || hole_before_ > at->second;
}

ConfigRead ConfigState::apply(LogPosition position, const ConfigKey& key, const json::Value& value) {
  switch (key.kind) {
    case ConfigKey::Kind::Connector:
      return on_connector(position, key.name, value);
    case ConfigKey::Kind::Task:
      return on_task(key, value);
    case ConfigKey::Kind::Commit:
      return on_commit(position, key.name, value);
    case ConfigKey::Kind::TargetState:
      return on_target_state(key.name, value);
    case ConfigKey::Kind::TaskCount:
      return on_task_count(position, key.name, value);
    case ConfigKey::Kind::SessionKey:
      return on_session_key(value);
    case ConfigKey::Kind::Restart:
      if (value.is_null()) return {};
      if (!value.is_object()) return warning(fmt::format("the restart request of connector '{}' is no object", shown(key.name)));
      return {RestartRequested{{std::string(key.name), flag_of(value, "only-failed"), flag_of(value, "include-tasks")}}, {}};
    case ConfigKey::Kind::LoggerLevel:
      break;
  }
  const std::string* level = text_of(value, "level");
  if (value.is_null()) return {};
  if (level == nullptr) return warning(fmt::format("the level of logger '{}' is missing or no text", shown(key.name)));
  return {LoggerLevelUpdated{std::string(key.name), *level}, {}};
}

ConnectorInfo& ConfigState::info(std::string_view connector) {
  const auto at = connectors_.find(connector);
  return at != connectors_.end() ? at->second : connectors_[std::string(connector)];
}

void ConfigState::forget_config(std::string_view connector) {
  waiting_.erase(std::string(connector));
  const auto at = connectors_.find(connector);
  if (at == connectors_.end()) return;
  ConnectorInfo& c = at->second;
  c.config.reset();
  c.applied_config.reset();
  c.tasks.clear();
  c.task_count = 0;
  c.inconsistent = false;
}

ConfigRead ConfigState::on_connector(LogPosition position, std::string_view name, const json::Value& value) {
  if (value.is_null()) {
    forget_config(name);
    orphans_.erase(std::string(name));
    deleted_.insert_or_assign(std::string(name), position);
    return {ConnectorConfigRemoved{std::string(name)}, {}};
  }
  const auto* properties = properties_of(value);
  if (properties == nullptr) return warning(fmt::format("the config of connector '{}' has no object 'properties'", shown(name)));
  ConnectorInfo& c = info(name);
  c.config = to_properties(*properties);
  if (!c.target_state) c.target_state = TargetState::Started;
  return {ConnectorConfigUpdated{std::string(name)}, {}};
}

ConfigRead ConfigState::on_task(const ConfigKey& key, const json::Value& value) {
  const auto* properties = properties_of(value);
  if (properties == nullptr) {
    return warning(fmt::format("the config of task {} of connector '{}' has no object 'properties'", key.task, shown(key.name)));
  }
  waiting_[std::string(key.name)].tasks[key.task] = to_properties(*properties);
  return {};
}

ConfigRead ConfigState::on_commit(LogPosition position, std::string_view name, const json::Value& value) {
  const auto count = count_of(value, "tasks");
  if (!contains(name)) {
    // The connector was deleted while its tasks were being written, or its config comes later.
    const auto tasks = waiting_.find(name);
    orphans_.erase(std::string(name));
    if (may_have_a_successor(name) && count && tasks != waiting_.end() && complete(tasks->second.tasks, *count)) {
      orphans_[std::string(name)] = {.tasks = first_of(std::move(tasks->second.tasks), *count), .committed_at = position};
    }
    forget_config(name);
    return {};
  }
  if (!count)
    return warning(fmt::format("the task commit of connector '{}' has no whole number 'tasks' of 0 to 2147483647", shown(name)));

  ConnectorInfo& c = info(name);
  const auto waiting = waiting_.find(name);
  TaskConfigsUpdated updated{std::string(name), {}};
  static const std::map<std::int32_t, Properties> kNone;
  if (complete(waiting == waiting_.end() ? kNone : waiting->second.tasks, *count)) {
    c.inconsistent = false;
    c.applied_config = c.config;
    c.tasks.clear();
    if (waiting != waiting_.end()) {
      c.tasks = first_of(std::move(waiting->second.tasks), *count);
      c.task_config_generation = c.task_config_generation ? *c.task_config_generation + 1 : 0;
    }
    for (const auto& [task, config] : c.tasks) updated.tasks.push_back({std::string(name), task});
  } else {
    c.inconsistent = true;
  }
  if (waiting != waiting_.end()) waiting->second.tasks.clear();
  c.task_count = *count;
  c.pending_fencing = true;
  c.committed_at = position;
  return {std::move(updated), {}};
}

std::vector<std::string> ConfigState::end_reached() {
  std::vector<std::string> found;
  for (auto& [name, orphans] : std::exchange(orphans_, {})) {
    if (!contains(name)) continue;
    ConnectorInfo& c = info(name);
    // One that is stopped has no tasks: these are of another, deleted one of its name.
    if (c.committed_at > orphans.committed_at || c.target_state == TargetState::Stopped) continue;
    c.tasks = std::move(orphans.tasks);
    c.task_count = static_cast<std::int32_t>(c.tasks.size());
    c.task_config_generation = 0;
    c.committed_at = orphans.committed_at;
    c.pending_fencing = c.task_count_recorded_at < c.committed_at;
    found.push_back(name);
  }
  return found;
}

ConfigRead ConfigState::on_target_state(std::string_view name, const json::Value& value) {
  if (value.is_null()) {
    // Written together with the tombstone of the config, whose event is enough for listeners.
    if (ConnectorInfo& c = info(name); c.config) {
      c.target_state = TargetState::Started;
    } else {
      c.target_state.reset();
    }
    return {};
  }
  const std::string* text = text_of(value, "state.v2");
  if (text == nullptr) text = text_of(value, "state");
  if (text == nullptr)
    return warning(fmt::format("the target state of connector '{}' has no text 'state.v2' or 'state'", shown(name)));
  const auto state = parse_target_state(*text);
  if (!state) {
    return warning(
        fmt::format("the target state of connector '{}' is '{}', not STARTED, PAUSED or STOPPED", shown(name), shown(*text)));
  }
  ConnectorInfo& c = info(name);
  const bool changed = c.target_state != state;
  c.target_state = state;
  if (!c.config || !changed) return {};
  return {TargetStateChanged{std::string(name)}, {}};
}

ConfigRead ConfigState::on_task_count(LogPosition position, std::string_view name, const json::Value& value) {
  const auto count = count_of(value, "task-count");
  if (!count) {
    return warning(
        fmt::format("the task-count record of connector '{}' has no whole number 'task-count' of 0 to 2147483647", shown(name)));
  }
  ConnectorInfo& c = info(name);
  c.task_count_record = *count;
  c.task_count_recorded_at = position;
  c.pending_fencing = false;
  return {TaskCountRecorded{std::string(name)}, {}};
}

ConfigRead ConfigState::on_session_key(const json::Value& value) {
  const std::string* secret = text_of(value, "key");
  const std::string* algorithm = text_of(value, "algorithm");
  const json::Value* created = value.find("creation-timestamp");
  const auto created_ms = created == nullptr ? std::nullopt : created->as_int64();
  if (secret == nullptr || algorithm == nullptr || !created_ms) {
    return warning("the session key lacks a text 'key', a text 'algorithm' or a whole number 'creation-timestamp'");
  }
  auto bytes = json::base64_decode(*secret, json::Base64Padding::Optional);
  if (!bytes || bytes->empty()) return warning("the session key is empty or not Base64");
  session_key_ = SessionKey{*std::move(bytes), *algorithm, Time(Duration(*created_ms))};
  return {SessionKeyUpdated{}, {}};
}

std::vector<std::string> ConfigState::connectors() const {
  std::vector<std::string> out;
  for (const auto& [name, c] : connectors_) {
    if (c.config) out.push_back(name);
  }
  return out;
}

const ConnectorInfo* ConfigState::find(std::string_view connector) const {
  const auto at = connectors_.find(connector);
  return at == connectors_.end() ? nullptr : &at->second;
}

const Properties* ConfigState::config(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c != nullptr && c->config ? &*c->config : nullptr;
}

const Properties* ConfigState::applied_config(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c != nullptr && c->applied_config ? &*c->applied_config : nullptr;
}

std::optional<TargetState> ConfigState::target_state(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c == nullptr ? std::nullopt : c->target_state;
}

std::int32_t ConfigState::runnable_task_count(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c == nullptr || c->inconsistent ? 0 : c->task_count;
}

std::vector<TaskId> ConfigState::tasks(std::string_view connector) const {
  std::vector<TaskId> out;
  const std::int32_t count = runnable_task_count(connector);
  for (std::int32_t i = 0; i < count; ++i) out.push_back({std::string(connector), i});
  return out;
}

const Properties* ConfigState::task_config(const TaskId& task) const {
  const ConnectorInfo* c = find(task.connector);
  if (c == nullptr) return nullptr;
  const auto at = c->tasks.find(task.task);
  return at == c->tasks.end() ? nullptr : &at->second;
}

bool ConfigState::has_task(const TaskId& task) const {
  const ConnectorInfo* c = find(task.connector);
  return c != nullptr && c->config && !c->inconsistent && c->tasks.contains(task.task);
}

bool ConfigState::has_uncommitted_tasks(std::string_view connector) const {
  const auto at = waiting_.find(std::string(connector));
  return at != waiting_.end() && !at->second.tasks.empty();
}

std::vector<std::string> ConfigState::inconsistent_connectors() const {
  std::vector<std::string> out;
  for (const auto& [name, c] : connectors_) {
    if (c.config && c.inconsistent) out.push_back(name);
  }
  return out;
}

std::optional<std::int32_t> ConfigState::task_count_record(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c == nullptr ? std::nullopt : c->task_count_record;
}

std::optional<std::int32_t> ConfigState::task_config_generation(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c == nullptr ? std::nullopt : c->task_config_generation;
}

bool ConfigState::pending_fencing(std::string_view connector) const {
  const ConnectorInfo* c = find(connector);
  return c != nullptr && c->pending_fencing;
}

}  // namespace fencepost::protocol
