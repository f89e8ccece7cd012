#include "runtime/error_policy.h"

#include <algorithm>

#include "runtime/settings.h"

namespace fencepost::runtime {

Result<ErrorPolicy> ErrorPolicy::from(const Properties& config) {
  ErrorPolicy policy;
  const std::string tolerance = lower(config.get_or("errors.tolerance", "none"));
  if (tolerance != "none" && tolerance != "all") {
    return failure(ErrorKind::InvalidConfig, "errors.tolerance is '" + tolerance + "'; use none or all");
  }
  policy.tolerate = tolerance == "all";
  FENCEPOST_TRY(const auto timeout, whole_number(config, "errors.retry.timeout", 0));
  FENCEPOST_TRY(const auto delay, whole_number(config, "errors.retry.delay.max.ms", 60'000));
  policy.retry_timeout = Duration(timeout);
  policy.retry_delay_max = Duration(delay);
  policy.log_errors = flag(config, "errors.log.enable", false);
  policy.log_records = flag(config, "errors.log.include.messages", false);
  return policy;
}

std::optional<Steady::time_point> RetryClock::next(const ErrorPolicy& policy, Steady::time_point now) {
  if (policy.retry_timeout == Duration(0)) return std::nullopt;
  if (attempts_ == 0) began_ = now;
  const Duration doubled(300LL << std::min(attempts_, 20));
  const Duration delay = std::min(doubled, policy.retry_delay_max);
  ++attempts_;
  if (policy.retry_timeout > Duration(0)) {
    if (now - began_ >= policy.retry_timeout) return std::nullopt;
    return std::min(now + delay, began_ + policy.retry_timeout);
  }
  return now + delay;
}

}  // namespace fencepost::runtime
