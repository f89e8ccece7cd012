#include "daemon/logger_levels.h"

#include <fmt/format.h>

#include <cctype>

namespace fencepost::daemon {
namespace {

constexpr std::string_view kRoot = "root";

/// Java's levels, and from which of ours on a line is written. Nothing of ours is worse than an error.
const std::map<std::string, std::optional<LogLevel>>& java_levels() {
  static const std::map<std::string, std::optional<LogLevel>> levels{
      {"OFF", std::nullopt},    {"FATAL", std::nullopt},    {"ERROR", LogLevel::Error}, {"WARN", LogLevel::Warn},
      {"INFO", LogLevel::Info}, {"DEBUG", LogLevel::Debug}, {"TRACE", LogLevel::Trace}, {"ALL", LogLevel::Trace}};
  return levels;
}

LogLevel finer(LogLevel level) { return static_cast<LogLevel>(static_cast<unsigned char>(level) - 1); }

std::string name_of(const Log& log) {
  for (const auto& [name, ours] : java_levels()) {
    if (ours && name != "ALL" && log.enabled(*ours) && (*ours == LogLevel::Trace || !log.enabled(finer(*ours)))) return name;
  }
  return "OFF";
}

bool is_or_is_below(const std::string& name, const std::string& logger) {
  return logger == kRoot || name == logger || (name.starts_with(logger) && name[logger.size()] == '.');
}

}  // namespace

LoggerLevels::LoggerLevels(AdjustableLog log) : log_(std::move(log)) {
  levels_.emplace(kRoot, Level{name_of(log_.log), std::nullopt});
}

std::vector<rest::LoggerLevel> LoggerLevels::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<rest::LoggerLevel> out;
  for (const auto& [name, level] : levels_) {
    out.push_back({name, level.level, level.modified ? std::optional(level.modified->time_since_epoch().count()) : std::nullopt});
  }
  return out;
}

std::vector<std::string> LoggerLevels::set(const std::string& logger, const std::string& level, Time now) {
  std::string upper = level;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto known = java_levels().find(upper);
  if (known == java_levels().end()) return {};
  std::vector<std::string> changed;
  {
    const std::lock_guard lock(mutex_);
    levels_.try_emplace(logger);
    for (auto& [name, entry] : levels_) {
      if (!is_or_is_below(name, logger) || entry.level == upper) continue;
      entry = Level{upper, now};
      changed.push_back(name);
    }
  }
  if (logger == kRoot) {
    if (log_.set_level) log_.set_level(known->second);
  } else if (!changed.empty()) {
    log_.log.info(fmt::format("the level of logger {} is {}, but this worker has no lines of it; all of its own are of 'root'",
                              logger, upper));
  }
  return changed;
}

}  // namespace fencepost::daemon
