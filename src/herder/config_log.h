#pragma once

#include <string>
#include <vector>

#include "herder/events.h"
#include "herder/options.h"
#include "herder/questions.h"
#include "herder/turn.h"
#include "protocol/record.h"

namespace fencepost::herder {

/// Reading the config topic to its end and writing to it. Reads that are asked for while one is under way share the next one, so
/// that a thousand starting tasks cost a handful of reads. Knows whether this worker has claimed the leader's transactional id.
class ConfigLog {
 public:
  ConfigLog(Turn& turn, const Options& options) : turn_(turn), options_(options), questions_(turn) {}

  /// `then` runs once everything that stood in the log at this moment has been read.
  void read_to_end(std::string why, Then then);
  /// Writes, then reads back. `what` names the content for errors: "connector configuration".
  void write(std::vector<protocol::Record> records, bool as_leader, std::string what, Then then);

  /// This worker became the leader: nobody else may write from now on (where the writes are transactional).
  void claim();
  void release();
  [[nodiscard]] bool claimed() const { return claimed_; }

  void on(const ConfigLogEndReached& e);
  void on(const ConfigWriteCompleted& e);
  [[nodiscard]] std::optional<Stage> stage() const { return questions_.oldest("config topic"); }

 private:
  void start_read();
  [[nodiscard]] bool transactional() const { return options_.exactly_once != ExactlyOnce::Disabled; }

  struct Waiting {
    std::string why;
    Then then;
  };
  Turn& turn_;
  const Options& options_;
  Questions questions_;
  bool reading_ = false;
  std::vector<Waiting> next_read_;
  bool claimed_ = false;
};

}  // namespace fencepost::herder
