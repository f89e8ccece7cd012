#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assignor/work.h"
#include "base/ids.h"
#include "base/time.h"

namespace fencepost::assignor {

/// What the leader knows at a rebalance.
struct Round {
  struct Worker {
    std::string id;
    Load load;  ///< what it reports to run, in the order of its report
  };

  Time now{};
  Generation generation;
  /// The last generation that the leader has completed as a member; not the one before `generation` if a rebalance of which
  /// it computed the assignment failed.
  Generation last_completed_generation = kNoGeneration;
  /// Earlier workers keep what cannot be dealt evenly.
  std::vector<Worker> workers;
  Configured configured;
};

/// What a worker is told: what is new for it, and what it must stop.
struct Change {
  Load assigned;
  Load revoked;

  friend bool operator==(const Change&, const Change&) = default;
};

struct Outcome {
  std::map<std::string, Change> changes;  ///< one for every worker
  Duration delay{};                       ///< all shall rejoin after it; 0: no need
  bool rebalance_again = false;           ///< something was revoked: those who stopped it rejoin at once
};

/// Incremental cooperative rebalancing (KIP-415): only what moves is stopped, and what a departed worker ran is kept back for
/// a while in case it returns (`scheduled.rebalance.max.delay.ms`).
///
/// One object lives as long as a worker leads: it remembers what it dealt. A new leader begins with a new object.
class Incremental {
 public:
  explicit Incremental(Duration max_delay) : max_delay_(max_delay) {}

  [[nodiscard]] Outcome assign(const Round& round);

 private:
  struct Deal;

  void forget_what_did_not_happen(const Round& round, const Work& active);
  void handle_lost(const Round& round, const Work& lost, Deal& deal);
  void reassign_after_delay(const Work& lost, Deal& deal);
  void balance(const Round& round, Deal& deal);
  [[nodiscard]] Duration revocation_backoff() const;
  void reset_delay();
  void remember(const Round& round, const Work& lost, const Deal& deal);

  Duration max_delay_;
  Work previous_;          ///< what was dealt, and what is lost and not dealt yet
  Work previous_revoked_;  ///< what workers were told to stop in the last round
  std::vector<std::string> previous_workers_;
  Generation previous_generation_ = kNoGeneration;
  std::optional<Time> scheduled_;  ///< when a running delay ends
  Duration delay_{};
  std::vector<std::string> candidates_;  ///< workers that were empty while the delay ran: likely the departed ones
  bool revoked_in_previous_ = false;
  int successive_revocations_ = 0;
};

}  // namespace fencepost::assignor
