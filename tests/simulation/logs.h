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
    records_.push_back(std::move(record));
  }
  [[nodiscard]] const std::vector<Record>& records() const { return records_; }
  [[nodiscard]] std::size_t size() const { return records_.size(); }
  /// The newest value of a key; nothing: absent or removed.
  [[nodiscard]] std::optional<std::string> newest(const std::string& key) const {
    for (auto it = records_.rbegin(); it != records_.rend(); ++it) {
      if (it->key == key) return it->value;
    }
    return std::nullopt;
  }
  /// Place of the newest record of a key among the first `end`; -1 if there is none.
  [[nodiscard]] std::int64_t newest_place(const std::string& key, std::size_t end) const {
    for (std::size_t i = end; i-- > 0;) {
      if (records_[i].key == key) return static_cast<std::int64_t>(i);
    }
    return -1;
  }

 private:
  std::vector<Record> records_;
  std::int64_t leader_epoch_ = 0;
};

/// The target cluster: transactional ids with their epochs, and what was committed of each source partition. It is the judge: a
/// range that is committed twice, or a gap, is a violation whatever the workers believe.
class Target {
 public:
  struct Commit {
    std::string partition;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::string by;
  };

  /// InitProducerId: the new epoch. What its predecessor has open is aborted.
  std::int64_t fence(const std::string& transactional_id) {
    open_since_.erase(transactional_id);
    return ++epochs_[transactional_id];
  }
  [[nodiscard]] bool current(const std::string& transactional_id, std::int64_t epoch) const {
    const auto it = epochs_.find(transactional_id);
    return it != epochs_.end() && it->second == epoch;
  }
  void begin(const std::string& transactional_id, Time now) { open_since_.try_emplace(transactional_id, now); }
  /// The coordinator aborts what is open for too long and bumps the epoch.
  void expire(Time now, Duration timeout) {
    for (const auto& [id, since] : std::map(open_since_)) {
      if (now - since >= timeout) (void)fence(id);
    }
  }
  /// Records with their offsets, atomically. False: fenced.
  bool commit(const std::string& transactional_id, std::int64_t epoch, const std::vector<Commit>& commits) {
    if (!current(transactional_id, epoch)) return false;
    open_since_.erase(transactional_id);
    for (const Commit& commit : commits) {
      std::int64_t& position = committed_[commit.partition];
      if (commit.from < position) {
        violations_.push_back(commit.by + " committed " + commit.partition + " " + std::to_string(commit.from) + ".." +
                              std::to_string(commit.to) + " again: " + std::to_string(position) + " was committed by " +
                              last_by_[commit.partition]);
      }
      if (commit.from > position) {
        violations_.push_back(commit.by + " left a gap in " + commit.partition + ": " + std::to_string(position) + ".." +
                              std::to_string(commit.from));
      }
      position = std::max(position, commit.to);
      last_by_[commit.partition] = commit.by;
      ++commits_;
    }
    return true;
  }
  [[nodiscard]] std::int64_t committed(const std::string& partition) const {
    const auto it = committed_.find(partition);
    return it == committed_.end() ? 0 : it->second;
  }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  [[nodiscard]] std::uint64_t commits() const { return commits_; }

 private:
  std::map<std::string, std::int64_t> epochs_;
  std::map<std::string, Time> open_since_;
  std::map<std::string, std::int64_t> committed_;
  std::map<std::string, std::string> last_by_;
  std::vector<std::string> violations_;
  std::uint64_t commits_ = 0;
};

}  // namespace fencepost::simulation
