#pragma once

#include <functional>
#include <optional>

#include "base/log.h"

namespace fencepost {

/// A log whose level may change while it is written to.
struct AdjustableLog {
  Log log;
  /// For all copies of it: lines below this are left out from now on; nothing: all lines are. Threads: any.
  std::function<void(std::optional<LogLevel>)> set_level;
};

/// make_console_log, with that.
[[nodiscard]] AdjustableLog make_adjustable_console_log(LogLevel level, LogFormat format);

}  // namespace fencepost
