#pragma once

#include <cstdint>
#include <string_view>

namespace fencepost {

enum class Severity : std::uint8_t { Trace, Debug, Info, Warn, Error };

/// The worker's log. Lines carry the context of the connector and task that writes them: "[orders|task-0] ...".
/// Threads: any.
class PluginLog {
 public:
  virtual ~PluginLog() = default;
  virtual void write(Severity severity, std::string_view line) const = 0;

  void debug(std::string_view line) const { write(Severity::Debug, line); }
  void info(std::string_view line) const { write(Severity::Info, line); }
  void warn(std::string_view line) const { write(Severity::Warn, line); }
  void error(std::string_view line) const { write(Severity::Error, line); }
};

}  // namespace fencepost
