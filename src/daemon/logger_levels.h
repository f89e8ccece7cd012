#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/log_control.h"
#include "base/time.h"
#include "rest/port.h"

namespace fencepost::daemon {

/// The levels of loggers as Connect's operators set them (KIP-495, KIP-976). All lines of this worker are of the logger "root";
/// levels of other names, most of them Java classes, are kept and shown, so that what is set in a cluster of both kinds reads the
/// same everywhere.
///
/// Threads: any.
class LoggerLevels {
 public:
  explicit LoggerLevels(AdjustableLog log);

  /// By name.
  [[nodiscard]] std::vector<rest::LoggerLevel> all() const;
  /// Of a logger and those below it; "root" is above all. `level` is one of Java's, in any case; one that is none is passed over.
  /// The names of those whose level has changed.
  std::vector<std::string> set(const std::string& logger, const std::string& level, Time now);

 private:
  struct Level {
    std::string level;
    std::optional<Time> modified;
  };
  AdjustableLog log_;
  mutable std::mutex mutex_;
  std::map<std::string, Level> levels_;
};

}  // namespace fencepost::daemon
