#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "exactly_once/fencing_round.h"
#include "herder/config_log.h"
#include "herder/config_writer.h"
#include "herder/events.h"
#include "herder/options.h"
#include "herder/questions.h"
#include "protocol/config_state.h"

namespace fencepost::herder {

/// The leader's fencing rounds, one at a time for a connector; who asks meanwhile shares its outcome. Reading the log and writing
/// the task-count record are one change of the log, the fence itself lies between two: it may take seconds.
class Fencing {
 public:
  Fencing(Turn& turn, const Options& options, const protocol::ConfigState& configs, ConfigLog& log, ConfigWriter& writer)
      : turn_(turn), options_(options), configs_(configs), log_(log), writer_(writer), questions_(turn) {}

  void fence(const std::string& connector, Then then);
  void on(const ProducersFenced& e) { questions_.answer(e.request, answer_of(e.error)); }
  /// This worker leads no more: who waits must ask the new leader.
  void abandon(const Error& why);
  [[nodiscard]] std::optional<Stage> stage() const;

 private:
  struct Round {
    explicit Round(std::string connector) : machine(std::move(connector)) {}
    exactly_once::FencingRound machine;
    std::vector<Then> waiting;
    ConfigWriter::Done change_done;  ///< of the change that this round holds, if it does
    Time since{};
  };
  using Rounds = std::shared_ptr<Round>;

  void drive(const std::string& connector, const Rounds& round, const exactly_once::FencingEvent& event);
  void perform(const std::string& connector, const Rounds& round, const exactly_once::FencingAction& action);
  void read_within_change(const std::string& connector, const Rounds& round);
  void end_change(Round& round);
  void finish(const std::string& connector, const Rounds& round, const Answer& answer);
  [[nodiscard]] exactly_once::FencingFacts facts(const std::string& connector) const;

  Turn& turn_;
  const Options& options_;
  const protocol::ConfigState& configs_;
  ConfigLog& log_;
  ConfigWriter& writer_;
  Questions questions_;
  std::map<std::string, Rounds> rounds_;
};

}  // namespace fencepost::herder
