#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/time.h"

namespace fencepost::exactly_once {

/// What is known when a task's producer was told that it is fenced. Kafka gives the same error for three different things: a
/// successor of this task, a transaction that ran into its timeout, and somebody else's producer with the same id.
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
};

/// Begin anew from the last committed offsets; the note says why (log and metric).
struct RestartFromCommitted {
  std::string note;
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

/// Whether the transaction was open so long that the broker may have ended it.
[[nodiscard]] bool ran_into_timeout(const FencedFacts& facts);

[[nodiscard]] FencedVerdict judge_fenced(const FencedFacts& facts);

}  // namespace fencepost::exactly_once
