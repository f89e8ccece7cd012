#include "net/backoff.h"

#include <algorithm>
#include <cstdint>

namespace fencepost::net {

Duration Backoff::next(double chance) {
  failures_ = std::min(failures_ + 1, 30);
  const double grown = static_cast<double>(first_.count()) * static_cast<double>(std::int64_t{1} << (failures_ - 1));
  const double bounded = std::min(grown, static_cast<double>(max_.count()));
  return Duration(static_cast<Duration::rep>(bounded * (0.8 + 0.4 * chance)));
}

}  // namespace fencepost::net
