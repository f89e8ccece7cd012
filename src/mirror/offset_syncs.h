#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fencepost::mirror {

/// A record of the offset-syncs topic: which offset of a source partition became which offset in the target. Big-endian.
[[nodiscard]] std::string offset_sync_key(std::string_view topic, std::int32_t partition);
[[nodiscard]] std::string offset_sync_value(std::int64_t upstream, std::int64_t downstream);

/// When a partition's offsets are worth telling: the first time, when the last word is too old, and whenever the distance
/// between both sides changed.
class SyncRule {
 public:
  explicit SyncRule(std::int64_t lag_max) : lag_max_(lag_max) {}
  /// A record was mirrored. True: tell it, which counts as told.
  [[nodiscard]] bool update(std::int64_t upstream, std::int64_t downstream);

 private:
  std::int64_t lag_max_;
  std::int64_t previous_upstream_ = -1;
  std::int64_t previous_downstream_ = -1;
  std::int64_t told_downstream_ = -1;
};

}  // namespace fencepost::mirror
