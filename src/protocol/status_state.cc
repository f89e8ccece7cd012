#include "protocol/status_state.h"

#include <fmt/core.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"
#include "json/parse.h"

namespace fencepost::protocol {
namespace {

constexpr std::string_view kConnectorPrefix = "status-connector-";
constexpr std::string_view kTaskPrefix = "status-task-";
constexpr std::string_view kTopicPrefix = "status-topic-";
constexpr std::string_view kTopicSeparator = ":connector-";

std::optional<std::string> text_of(const json::Value& value, std::string_view field) {
  const json::Value* found = value.find(field);
  return found == nullptr || !found->is_string() ? std::nullopt : std::optional(*found->as_string());
}

std::optional<std::int64_t> number_of(const json::Value& value, std::string_view field) {
  const json::Value* found = value.find(field);
  return found == nullptr ? std::nullopt : found->as_int64();
}

std::optional<std::int32_t> int32_of(const json::Value& value, std::string_view field) {
  const auto number = number_of(value, field);
  if (!number || *number < std::numeric_limits<std::int32_t>::min() || *number > std::numeric_limits<std::int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*number);
}

bool is_text_or_nothing(const json::Value& value, std::string_view field) {
  const json::Value* found = value.find(field);
  return found == nullptr || found->is_null() || found->is_string();
}

/// "NAME-3" of a key. Nothing if there is no name or no number.
std::optional<TaskId> parse_task(std::string_view rest) {
  const std::size_t hyphen = rest.rfind('-');
  if (hyphen == std::string_view::npos || hyphen == 0) return std::nullopt;
  const std::string_view digits = rest.substr(hyphen + 1);
  std::int32_t number = -1;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size() || number < 0) return std::nullopt;
  return TaskId{std::string(rest.substr(0, hyphen)), number};
}

std::optional<Status> parse_status(const json::Value& value) {
  const auto state = text_of(value, "state");
  const auto known = state ? parse_run_state(*state) : std::nullopt;
  const auto generation = int32_of(value, "generation");
  if (!known || !generation) return std::nullopt;
  for (const std::string_view field : {"trace", "worker_id", "version"}) {
    if (!is_text_or_nothing(value, field)) return std::nullopt;
  }
  return Status{*known, text_of(value, "trace"), text_of(value, "worker_id").value_or(""), Generation(*generation),
                text_of(value, "version")};
}

std::optional<TopicStatus> parse_topic_status(const json::Value& value) {
  const json::Value* fields = value.find("topic");
  if (fields == nullptr) return std::nullopt;
  auto topic = text_of(*fields, "name");
  auto connector = text_of(*fields, "connector");
  const auto task = int32_of(*fields, "task");
  const auto discovered = number_of(*fields, "discoverTimestamp");
  if (!topic || !connector || !task || !discovered) return std::nullopt;
  return TopicStatus{*std::move(topic), {*std::move(connector), *task}, Time(Duration(*discovered))};
}

}  // namespace

std::string StatusState::read(std::optional<std::string_view> key, std::optional<std::string_view> value) {
  if (!key) return "the key is null";
  std::optional<json::Value> parsed;
  if (value) {
    auto read = json::parse(*value, json::kConverterOptions);
    if (!read) return fmt::format("the value of key '{}' is {}", shown(*key), read.error().message());
    parsed = *std::move(read);
  }
  const json::Value* content = parsed ? &*parsed : nullptr;
  if (key->starts_with(kConnectorPrefix)) {
    const std::string_view name = key->substr(kConnectorPrefix.size());
    if (name.empty()) return fmt::format("key '{}' names no connector", shown(*key));
    return read_status(StatusOwner(std::string(name)), *key, content);
  }
  if (key->starts_with(kTaskPrefix)) {
    const auto task = parse_task(key->substr(kTaskPrefix.size()));
    if (!task) return fmt::format("key '{}' names no task", shown(*key));
    return read_status(*task, *key, content);
  }
  if (key->starts_with(kTopicPrefix)) return read_topic(*key, key->substr(kTopicPrefix.size()), content);
  return fmt::format("key '{}' is of no kind that this worker knows", shown(*key));
}

std::string StatusState::read_status(const StatusOwner& owner, std::string_view key, const json::Value* value) {
  if (value == nullptr) {
    remove(owner);
    return {};
  }
  auto status = parse_status(*value);
  if (!status) return fmt::format("the value of key '{}' lacks a known 'state' or a whole number 'generation'", shown(key));
  Entry& at = entries_[owner.connector];
  if (owner.task) {
    at.tasks[*owner.task] = *std::move(status);
  } else {
    at.connector = std::move(status);
  }
  return {};
}

std::string StatusState::read_topic(std::string_view key, std::string_view rest, const json::Value* value) {
  const std::size_t separator = rest.find(kTopicSeparator);
  if (separator == std::string_view::npos || separator == 0 || separator + kTopicSeparator.size() == rest.size()) {
    return fmt::format("key '{}' names no topic and connector", shown(key));
  }
  const std::string topic(rest.substr(0, separator));
  const std::string_view connector = rest.substr(separator + kTopicSeparator.size());
  if (value == nullptr) {
    if (const auto at = entries_.find(connector); at != entries_.end()) at->second.topics.erase(topic);
    return {};
  }
  auto status = parse_topic_status(*value);
  if (!status) return fmt::format("the value of key '{}' lacks one of name, connector, task and discoverTimestamp", shown(key));
  entries_[std::string(connector)].topics[topic] = *std::move(status);
  return {};
}

void StatusState::remove(const StatusOwner& owner) {
  newest_writes_.erase(owner);
  const auto at = entries_.find(owner.connector);
  if (at == entries_.end()) return;
  if (owner.task) {
    at->second.tasks.erase(*owner.task);
    return;
  }
  // Tasks do not outlive their connector. Its topics go with tombstones of their own.
  for (const auto& [task, status] : at->second.tasks) newest_writes_.erase(TaskId{owner.connector, task});
  at->second.connector.reset();
  at->second.tasks.clear();
}

const StatusState::Entry* StatusState::entry(std::string_view connector) const {
  const auto at = entries_.find(connector);
  return at == entries_.end() ? nullptr : &at->second;
}

const Status* StatusState::find(const StatusOwner& owner) const {
  const Entry* e = entry(owner.connector);
  if (e == nullptr) return nullptr;
  if (!owner.task) return e->connector ? &*e->connector : nullptr;
  const auto at = e->tasks.find(*owner.task);
  return at == e->tasks.end() ? nullptr : &at->second;
}

const std::map<std::int32_t, Status>& StatusState::tasks(std::string_view connector) const {
  static const std::map<std::int32_t, Status> kNone;
  const Entry* e = entry(connector);
  return e == nullptr ? kNone : e->tasks;
}

const std::map<std::string, TopicStatus>& StatusState::topics(std::string_view connector) const {
  static const std::map<std::string, TopicStatus> kNone;
  const Entry* e = entry(connector);
  return e == nullptr ? kNone : e->topics;
}

std::vector<std::string> StatusState::connectors() const {
  std::vector<std::string> out;
  for (const auto& [name, e] : entries_) {
    if (e.connector) out.push_back(name);
  }
  return out;
}

std::vector<std::string> StatusState::known() const {
  std::vector<std::string> out;
  for (const auto& [name, e] : entries_) out.push_back(name);
  return out;
}

bool StatusState::is_safe(const StatusOwner& owner, const Status& status) const {
  const Status* known = find(owner);
  return known == nullptr || known->worker_id == status.worker_id || known->generation <= status.generation;
}

std::optional<StatusWrite> StatusState::begin_write(StatusOwner owner, Status status, StatusWrites mode) {
  newest_generation_ = status.generation;
  if (mode == StatusWrites::Safe && !is_safe(owner, status)) return std::nullopt;
  const std::uint64_t sequence = next_sequence_++;
  newest_writes_[owner] = sequence;
  Record record = status_record(owner, status);
  return StatusWrite{std::move(owner), std::move(status), mode, sequence, std::move(record)};
}

bool StatusState::may_retry(const StatusWrite& write) const {
  const auto newest = newest_writes_.find(write.owner);
  if (newest == newest_writes_.end() || newest->second != write.sequence || write.status.generation != newest_generation_)
    return false;
  return write.mode == StatusWrites::Always || is_safe(write.owner, write.status);
}

std::vector<Record> StatusState::deletion_of(std::string_view connector) const {
  std::vector<Record> out;
  const Entry* e = entry(connector);
  if (e == nullptr) return out;
  for (const auto& [topic, status] : e->topics) out.push_back(topic_status_tombstone(connector, topic));
  for (const auto& [task, status] : e->tasks) out.push_back(status_tombstone(TaskId{std::string(connector), task}));
  if (e->connector) out.push_back(status_tombstone(StatusOwner(std::string(connector))));
  return out;
}

}  // namespace fencepost::protocol
