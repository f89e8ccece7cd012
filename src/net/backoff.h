#pragma once

#include "base/time.h"

namespace fencepost::net {

/// How long to wait before the n-th attempt in a row: doubled each time up to a bound, and spread by a fifth so that workers
/// which lost the same broker do not return in step.
class Backoff {
 public:
  Backoff(Duration first, Duration max) : first_(first), max_(max) {}
  /// `chance` is in [0, 1).
  [[nodiscard]] Duration next(double chance);
  void reset() { failures_ = 0; }
  [[nodiscard]] int failures() const { return failures_; }

 private:
  Duration first_;
  Duration max_;
  int failures_ = 0;
};

}  // namespace fencepost::net
