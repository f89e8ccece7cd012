#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "herder/events.h"

namespace fencepost::simulation {

/// An internal topic of one partition, as the brokers hold it. The leader's transactional id is an epoch: who claims it bars the
/// earlier one.
class Log {
 public:
  using Record = herder::TopicRecord;

  std::int64_t claim() { return ++leader_epoch_; }
  [[nodiscard]] bool may_write_as_leader(std::int64_t epoch) const { return epoch == leader_epoch_; }
  void append(const std::string& key, const std::optional<std::string>& value) {
    Record record;
    record.offset = LogPosition{static_cast<std::int64_t>(records_.size())};
    record.key = key;
    record.value = value;
    newest_[key] = records_.size();
    records_.push_back(std::move(record));
  }
  /// What the log cleaner leaves: below `end`, of each key its newest record alone.
  void compact(std::size_t end) { compacted_to_ = std::max(compacted_to_, std::min(end, records_.size())); }
  /// What it leaves of tombstones: none that an earlier pass found `retention` ago (delete.retention.ms counts from there), and
  /// that all readers have read. Brokers do not ask readers; but their retention is a day, which nobody here lags for, while a
  /// storm lasts minutes. The last record stays: it lies in the active segment, which is not cleaned. Returns how many went.
  std::size_t remove_tombstones(Time now, Duration retention, std::size_t read_by_all) {
    const std::size_t before = removed_.size();
    for (const auto& [key, place] : newest_) {
      if (place >= compacted_to_ || records_[place].value) continue;
      const Time found = tombstones_found_.try_emplace(place, now).first->second;
      if (now - found >= retention && place < read_by_all && place + 1 < records_.size()) removed_.insert(place);
    }
    return removed_.size() - before;
  }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// The records [from, to), as somebody reads them now.
  [[nodiscard]] std::vector<Record> read(std::size_t from, std::size_t to) const {
    std::vector<Record> found;
    found.reserve(to - from);
    for (std::size_t i = from; i < to; ++i) {
      const bool kept = i >= compacted_to_ || (newest_.at(*records_[i].key) == i && !removed_.contains(i));
      if (kept) found.push_back(records_[i]);
    }
    return found;
  }
  /// All that was ever written, for judges.
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  /// Place of the newest record of a key among the first `end`; -1 if there is none.
  [[nodiscard]] std::int64_t newest_place(const std::string& key, std::size_t end) const {
    const auto it = newest_.find(key);
    if (it == newest_.end()) return -1;
    if (it->second < end) return static_cast<std::int64_t>(it->second);
    for (std::size_t i = end; i-- > 0;) {
      if (records_[i].key == key) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

 private:
  std::vector<Record> records_;
  std::map<std::string, std::size_t> newest_;
  std::size_t compacted_to_ = 0;
  std::map<std::size_t, Time> tombstones_found_;  ///< by the log cleaner, in its first pass over them
  std::set<std::size_t> removed_;
  std::int64_t leader_epoch_ = 0;
};

}  // namespace fencepost::simulation
