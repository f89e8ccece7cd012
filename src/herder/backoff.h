#pragma once

#include <algorithm>

#include "base/time.h"

namespace fencepost::herder {

/// Waits that double from a quarter of a second to a bound.
class Backoff {
 public:
  [[nodiscard]] Duration next() {
    const Duration wait = wait_;
    wait_ = std::min(wait_ * 2, kLongest);
    return wait;
  }
  void reset() { wait_ = kFirst; }

 private:
  static constexpr Duration kFirst{250};
  static constexpr Duration kLongest{10'000};
  Duration wait_ = kFirst;
};

}  // namespace fencepost::herder
