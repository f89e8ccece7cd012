#pragma once

#include <chrono>

#include "base/time.h"

namespace fencepost::daemon {

/// The time that events carry: the wall clock when the worker started plus a steady clock since then. It never runs backwards,
/// so no deadline of the herder is lost when somebody sets the machine's clock.
class Clock {
 public:
  [[nodiscard]] Time now() const {
    return wall_ + std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - steady_);
  }
  [[nodiscard]] std::chrono::steady_clock::time_point steady(Time at) const { return steady_ + (at - wall_); }

 private:
  Time wall_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  std::chrono::steady_clock::time_point steady_ = std::chrono::steady_clock::now();
};

/// What people call the time; for what is shown to them.
[[nodiscard]] inline Time wall_clock() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace fencepost::daemon
