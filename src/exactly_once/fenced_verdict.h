#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"

namespace fencepost::exactly_once {

/// What is known when a task's producer was told that it is fenced. Kafka gives the same error for four different things: a
/// successor of this task, a transaction that ran into its timeout, a worker that was paused and fences late what was its own or
/// its connectors', and somebody else's producer with the same id.
struct FencedFacts {
  std::string transactional_id;
  /// How long the transaction had been open when the client noticed; nothing: none was.
  std::optional<Duration> open_for;
  Duration transaction_timeout{60000};
  /// The longest single poll() while it was open: the usual culprit.
  Duration slowest_poll{0};
  /// The herder's answer, asked after the fencing was noticed.
  std::optional<std::string> superseded;
  /// Somebody aborted the transaction through REST, and what they were told.
  std::optional<std::string> aborted_by_operator;
  /// How often this run began anew already without a commit in between.
  int restarts = 0;
  /// The herder's answer too: there is, or was, another worker.
  bool late_fence_possible = false;
  /// How often this run began anew already for a fence that was taken for a late one (LateFences).
  int late_fences = 0;
};

/// Begin anew from the last committed offsets; the note says why (log and metric).
struct RestartFromCommitted {
  std::string note;
  bool late_fence = false;  ///< to be counted by LateFences
  friend bool operator==(const RestartFromCommitted&, const RestartFromCommitted&) = default;
};
/// A successor runs: end, and write no status over its own.
struct EndSilently {
  std::string reason;
  friend bool operator==(const EndSilently&, const EndSilently&) = default;
};
struct FailTask {
  std::string trace;
  friend bool operator==(const FailTask&, const FailTask&) = default;
};
using FencedVerdict = std::variant<RestartFromCommitted, EndSilently, FailTask>;

/// Timeouts in a row, without a commit in between, that a task survives.
inline constexpr int kTimeoutRestartsMax = 5;

/// Late fences that a task survives within this time. A worker that was paused takes an id once, and again only if it is paused
/// again; a stranger that lives takes it back each time.
inline constexpr int kLateFencesMax = 3;
inline constexpr Duration kLateFencesWithin = std::chrono::minutes(10);

/// Counts them, over the lives of one run. Commits in between do not count them down: two clusters that use one id would take it
/// from each other for ever, a batch each. Single-threaded.
class LateFences {
 public:
  void add(Duration now) { times_.push_back(now); }
  [[nodiscard]] int count(Duration now) const {
    return static_cast<int>(std::count_if(times_.begin(), times_.end(), [&](Duration t) { return now - t < kLateFencesWithin; }));
  }

 private:
  std::vector<Duration> times_;  ///< since whatever the caller counts from
};

/// Whether the transaction was open so long that the broker may have ended it.
[[nodiscard]] bool ran_into_timeout(const FencedFacts& facts);

[[nodiscard]] FencedVerdict judge_fenced(const FencedFacts& facts);

}  // namespace fencepost::exactly_once
