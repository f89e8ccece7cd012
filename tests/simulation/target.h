#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace fencepost::simulation {

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
  [[nodiscard]] std::int64_t epoch(const std::string& transactional_id) const {
    const auto it = epochs_.find(transactional_id);
    return it == epochs_.end() ? 0 : it->second;
  }
  void begin(const std::string& transactional_id, Time now) { open_since_.try_emplace(transactional_id, now); }
  /// Somebody changes the source offsets of a stopped connector: its tasks begin at nothing again. Whatever is committed of an
  /// older position from now on is a violation.
  void reset(const std::string& connector) {
    for (auto& [partition, position] : committed_) {
      if (!partition.starts_with(connector + "/")) continue;
      position = 0;
      last_by_[partition] = "a change of the offsets";
    }
  }
  /// The coordinator aborts what is open for too long and bumps the epoch.
  void expire(Time now, Duration timeout) {
    std::vector<std::string> late;
    for (const auto& [id, since] : open_since_) {
      if (now - since >= timeout) late.push_back(id);
    }
    for (const auto& id : late) (void)fence(id);
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
      ++commits_of_[commit.partition];
    }
    return true;
  }
  [[nodiscard]] std::int64_t committed(const std::string& partition) const {
    const auto it = committed_.find(partition);
    return it == committed_.end() ? 0 : it->second;
  }
  [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
  /// What was committed of each source partition, ever: it grows where a task works.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& commits_of() const { return commits_of_; }
  [[nodiscard]] std::uint64_t commits() const { return commits_; }

 private:
  std::map<std::string, std::int64_t> epochs_;
  std::map<std::string, Time> open_since_;
  std::map<std::string, std::int64_t> committed_;
  std::map<std::string, std::string> last_by_;
  std::vector<std::string> violations_;
  std::map<std::string, std::uint64_t> commits_of_;
  std::uint64_t commits_ = 0;
};

}  // namespace fencepost::simulation
