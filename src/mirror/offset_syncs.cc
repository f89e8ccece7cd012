#include "mirror/offset_syncs.h"

#include <utility>

namespace fencepost::mirror {
namespace {

template <class Number>
void append(std::string& out, Number number) {
  for (int shift = static_cast<int>(sizeof(Number)) * 8 - 8; shift >= 0; shift -= 8) {
    out += static_cast<char>((static_cast<std::uint64_t>(number) >> static_cast<unsigned>(shift)) & 0xFFU);
  }
}

}  // namespace

std::string offset_sync_key(std::string_view topic, std::int32_t partition) {
  std::string key;
  append(key, static_cast<std::int16_t>(topic.size()));
  key += topic;
  append(key, partition);
  return key;
}

std::string offset_sync_value(std::int64_t upstream, std::int64_t downstream) {
  std::string value;
  append(value, upstream);
  append(value, downstream);
  return value;
}

bool SyncRule::update(std::int64_t upstream, std::int64_t downstream, bool skipped) {
  const bool never_told = told_downstream_ == -1;
  // A translation of the last word gives the offset after it.
  const bool too_old = downstream - (told_downstream_ + 1) >= lag_max_;
  const bool truncated = downstream < previous_downstream_;
  previous_upstream_ = upstream;
  previous_downstream_ = downstream;
  if (!never_told && !too_old && !skipped && !truncated) return false;
  told_downstream_ = downstream;
  return true;
}

bool SyncSampler::wants(std::int64_t upstream) {
  if (upstream == last_asked_) return last_answer_;
  const bool gap = upstream - last_asked_ != 1;
  last_asked_ = upstream;
  if (gap) gaps_.push_back(upstream);
  last_answer_ = gap || upstream == last_of_batch_ || upstream - last_wanted_ > lag_max_;
  if (last_answer_) last_wanted_ = upstream;
  return last_answer_;
}

bool SyncSampler::had_gap_before(std::int64_t upstream) {
  bool had = false;
  for (; !gaps_.empty() && gaps_.front() <= upstream; gaps_.pop_front()) had = true;
  return had;
}

}  // namespace fencepost::mirror
