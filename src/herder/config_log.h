#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "herder/events.h"
#include "herder/options.h"
#include "herder/questions.h"
#include "herder/turn.h"
#include "protocol/record.h"

namespace fencepost::herder {

struct ConfigLogHooks {
  std::function<bool()> leads;
  /// Asks the coordinator whether this worker still is a member.
  std::function<void(Then then)> confirm_membership;
};

/// Reading the config topic to its end and writing to it. Reads that are asked for while one is under way share the next one, so
/// that a thousand starting tasks cost a handful of reads. Knows whether this worker has claimed the leader's transactional id.
class ConfigLog {
 public:
  ConfigLog(Turn& turn, const Options& options, ConfigLogHooks hooks)
      : turn_(turn), options_(options), hooks_(std::move(hooks)), questions_(turn) {}

  /// `then` runs once everything that stood in the log at this moment has been read.
  void read_to_end(std::string why, Then then);
  /// The same, as the first step of a change by the leader, who writes next (ConfigWriter: one change at a time). The log is
  /// claimed before it is read, so that what the change finds in it nobody else can alter; and one whose claim was lost asks the
  /// coordinator first, lest a leader that was paused takes the log from its successor. Conflict: this worker does not lead.
  void read_to_end_as_leader(std::string why, Then then);
  /// Writes, then reads back. `what` names the content for errors: "connector configuration". As the leader only what was begun
  /// by read_to_end_as_leader() and if the claim has held since; else Conflict, for somebody else may have written meanwhile.
  void write(std::vector<protocol::Record> records, bool as_leader, std::string what, Then then);

  /// This worker became the leader: nobody else may write from now on (where the writes are transactional).
  void claim();
  void release();
  [[nodiscard]] bool claimed() const { return claimed_; }
  /// Whether all records of one write come into force together or not at all.
  [[nodiscard]] bool transactional() const { return options_.exactly_once != ExactlyOnce::Disabled; }

  void on(const ConfigLogEndReached& e);
  void on(const ConfigWriteCompleted& e);
  [[nodiscard]] std::optional<Stage> stage() const { return questions_.oldest("config topic"); }

 private:
  void start_read();

  struct Waiting {
    std::string why;
    Then then;
  };
  Turn& turn_;
  const Options& options_;
  ConfigLogHooks hooks_;
  Questions questions_;
  bool reading_ = false;
  std::vector<Waiting> next_read_;
  bool claimed_ = false;
  std::uint64_t claims_ = 0;                   ///< how many there have been
  std::optional<std::uint64_t> change_claim_;  ///< the one under which the change at hand has read the log
};

}  // namespace fencepost::herder
