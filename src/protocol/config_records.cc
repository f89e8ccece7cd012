#include "protocol/config_records.h"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "json/base64.h"
#include "json/writer.h"

namespace fencepost::protocol {
namespace {

using Kind = ConfigKey::Kind;

constexpr std::string_view kSessionKey = "session-key";
/// No prefix is the beginning of another one.
constexpr std::array<std::pair<std::string_view, Kind>, 7> kPrefixes{{{"connector-", Kind::Connector},
                                                                      {"task-", Kind::Task},
                                                                      {"commit-", Kind::Commit},
                                                                      {"target-state-", Kind::TargetState},
                                                                      {"tasks-fencing-", Kind::TaskCount},
                                                                      {"restart-connector-", Kind::Restart},
                                                                      {"logger-cluster-", Kind::LoggerLevel}}};

std::string key_of(Kind kind, std::string_view name) {
  for (const auto& [prefix, its_kind] : kPrefixes) {
    if (its_kind == kind) return std::string(prefix).append(name);
  }
  return std::string(kSessionKey);
}

std::string properties_value(const Properties& config) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("properties").begin_object();
  for (const auto& [key, value] : config) {
    writer.key(key);
    if (value) {
      writer.string(*value);
    } else {
      writer.null();
    }
  }
  writer.end_object().end_object();
  return out;
}

std::string count_value(std::string_view field, std::int32_t count) {
  std::string out;
  json::Writer(out).begin_object().key(field).integer(count).end_object();
  return out;
}

/// "NAME-3": the number is what follows the last hyphen.
Result<ConfigKey> parse_task_key(std::string_view key, std::string_view rest) {
  const std::size_t hyphen = rest.rfind('-');
  std::int32_t number = -1;
  if (hyphen != std::string_view::npos) {
    const std::string_view digits = rest.substr(hyphen + 1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) number = -1;
  }
  if (number < 0) return failure(ErrorKind::Corrupt, fmt::format("key '{}' does not end in a task number", shown(key)));
  return ConfigKey{Kind::Task, rest.substr(0, hyphen), number};
}

}  // namespace

std::string_view to_string(TargetState state) {
  switch (state) {
    case TargetState::Started:
      return "STARTED";
    case TargetState::Paused:
      return "PAUSED";
    case TargetState::Stopped:
      break;
  }
  return "STOPPED";
}

std::optional<TargetState> parse_target_state(std::string_view text) {
  for (const auto state : {TargetState::Started, TargetState::Paused, TargetState::Stopped}) {
    if (to_string(state) == text) return state;
  }
  return std::nullopt;
}

Record connector_record(std::string_view connector, const Properties& config) {
  return {key_of(Kind::Connector, connector), properties_value(config)};
}

Record connector_tombstone(std::string_view connector) { return {key_of(Kind::Connector, connector), std::nullopt}; }

Record task_record(const TaskId& task, const Properties& config) {
  return {key_of(Kind::Task, task.to_string()), properties_value(config)};
}

Record commit_record(std::string_view connector, std::int32_t tasks) {
  return {key_of(Kind::Commit, connector), count_value("tasks", tasks)};
}

Record target_state_record(std::string_view connector, TargetState state) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("state").string(to_string(state == TargetState::Stopped ? TargetState::Paused : state));
  writer.key("state.v2").string(to_string(state)).end_object();
  return {key_of(Kind::TargetState, connector), std::move(out)};
}

Record target_state_tombstone(std::string_view connector) { return {key_of(Kind::TargetState, connector), std::nullopt}; }

Record task_count_record(std::string_view connector, std::int32_t tasks) {
  return {key_of(Kind::TaskCount, connector), count_value("task-count", tasks)};
}

Record session_key_record(const SessionKey& key) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("key").bytes(key.secret).key("algorithm").string(key.algorithm);
  writer.key("creation-timestamp").integer(key.created.time_since_epoch().count()).end_object();
  return {std::string(kSessionKey), std::move(out)};
}

Record restart_record(const RestartRequest& request) {
  std::string out;
  json::Writer writer(out);
  writer.begin_object().key("include-tasks").boolean(request.include_tasks);
  writer.key("only-failed").boolean(request.only_failed).end_object();
  return {key_of(Kind::Restart, request.connector), std::move(out)};
}

Record logger_level_record(std::string_view logger, std::string_view level) {
  std::string out;
  json::Writer(out).begin_object().key("level").string(level).end_object();
  return {key_of(Kind::LoggerLevel, logger), std::move(out)};
}

Result<ConfigKey> parse_config_key(std::string_view key) {
  if (key == kSessionKey) return ConfigKey{Kind::SessionKey, {}, -1};
  for (const auto& [prefix, kind] : kPrefixes) {
    if (!key.starts_with(prefix)) continue;
    const std::string_view rest = key.substr(prefix.size());
    if (kind == Kind::Task) return parse_task_key(key, rest);
    return ConfigKey{kind, rest, -1};
  }
  return failure(ErrorKind::Corrupt, fmt::format("key '{}' is of no kind that this worker knows", shown(key)));
}

}  // namespace fencepost::protocol
