#pragma once

#include <cstdint>
#include <deque>
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
  [[nodiscard]] bool update(std::int64_t upstream, std::int64_t downstream) {
    return update(upstream, downstream, upstream - previous_upstream_ != 1);
  }
  /// The same where records in between were not shown; `skipped` says whether the source had a gap among them.
  [[nodiscard]] bool update(std::int64_t upstream, std::int64_t downstream, bool skipped);

 private:
  std::int64_t lag_max_;
  std::int64_t previous_upstream_ = -1;
  std::int64_t previous_downstream_ = -1;
  std::int64_t told_downstream_ = -1;
};

/// Chooses the records of a partition whose place in the target must be known for the syncs: one in so many, each after a gap,
/// and the last of each batch. To know it of all would mean to keep all until a transaction ends.
class SyncSampler {
 public:
  explicit SyncSampler(std::int64_t lag_max) : lag_max_(lag_max) {}
  void batch_ends_at(std::int64_t upstream) { last_of_batch_ = upstream; }
  /// Asked for each record in order; again for the same one gives the same answer.
  [[nodiscard]] bool wants(std::int64_t upstream);
  /// Whether the source had a gap before this record or one that was passed since the last call.
  [[nodiscard]] bool had_gap_before(std::int64_t upstream);

 private:
  std::int64_t lag_max_;
  std::int64_t last_asked_ = -2;
  std::int64_t last_wanted_ = -2;
  std::int64_t last_of_batch_ = -2;
  bool last_answer_ = false;
  std::deque<std::int64_t> gaps_;
};

}  // namespace fencepost::mirror
