#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace spdlog {
class logger;
}

namespace fencepost {

enum class LogLevel : unsigned char { Trace, Debug, Info, Warn, Error };

/// Where log lines go. Cheap to copy; each copy carries its context, which stands in front of its lines as Connect's
/// MDC does: "[orders|task-0] ...". Lines are composed with fmt::format by the caller; secrets are the caller's to leave out.
///
/// Threads: any.
class Log {
 public:
  /// Writes nothing: for tests, and wherever nobody listens.
  Log();
  explicit Log(std::shared_ptr<spdlog::logger> sink, std::string context = {});

  /// The same destination with another context: "orders|task-0" gives "[orders|task-0] " before each line.
  [[nodiscard]] Log with_context(std::string context) const;

  void write(LogLevel level, std::string_view message) const;
  void trace(std::string_view message) const { write(LogLevel::Trace, message); }
  void debug(std::string_view message) const { write(LogLevel::Debug, message); }
  void info(std::string_view message) const { write(LogLevel::Info, message); }
  void warn(std::string_view message) const { write(LogLevel::Warn, message); }
  void error(std::string_view message) const { write(LogLevel::Error, message); }
  /// Whether a line of this level would be written: ask before composing costly ones.
  [[nodiscard]] bool enabled(LogLevel level) const;

 private:
  std::shared_ptr<spdlog::logger> sink_;
  std::string context_;
};

enum class LogFormat : unsigned char { Text, Json };

/// A log to standard output. In JSON each line is {"time":..,"level":..,"context":..,"message":..}.
[[nodiscard]] Log make_console_log(LogLevel level, LogFormat format);

}  // namespace fencepost
