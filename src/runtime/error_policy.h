#pragma once

#include <exception>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/properties.h"
#include "base/time.h"
#include "runtime/scheduler.h"

namespace fencepost::runtime {

/// What errors.* of a connector say about records that cannot be converted, transformed or written (KIP-298).
struct ErrorPolicy {
  bool tolerate = false;      ///< errors.tolerance=all
  Duration retry_timeout{0};  ///< errors.retry.timeout; negative: for ever
  Duration retry_delay_max{60'000};
  bool log_errors = false;   ///< errors.log.enable
  bool log_records = false;  ///< errors.log.include.messages

  [[nodiscard]] static Result<ErrorPolicy> from(const Properties& config);
};

/// How long the retries of one record at one stage have gone on. Delays double from 300 ms, as in Connect.
class RetryClock {
 public:
  /// When to try again; nothing when errors.retry.timeout is over.
  [[nodiscard]] std::optional<Steady::time_point> next(const ErrorPolicy& policy, Steady::time_point now);
  void reset() { attempts_ = 0; }

 private:
  Steady::time_point began_{};
  int attempts_ = 0;
};

}  // namespace fencepost::runtime
