#include "herder/fencing.h"

#include <utility>

namespace fencepost::herder {

using namespace exactly_once;

void Fencing::fence(const std::string& connector, Then then) {
  if (const auto it = rounds_.find(connector); it != rounds_.end()) {
    it->second->waiting.push_back(std::move(then));
    return;
  }
  const Rounds round = std::make_shared<Round>(connector);
  round->since = turn_.now();
  round->waiting.push_back(std::move(then));
  rounds_[connector] = round;
  drive(connector, round, FenceAsked{});
}

void Fencing::drive(const std::string& connector, const Rounds& round, const FencingEvent& event) {
  for (const FencingAction& action : round->machine.apply(event)) perform(connector, round, action);
}

void Fencing::perform(const std::string& connector, const Rounds& round, const FencingAction& action) {
  if (std::holds_alternative<ReadLogToEnd>(action)) {
    read_within_change(connector, round);
  } else if (const auto* fence = std::get_if<FenceIds>(&action)) {
    end_change(*round);
    FenceProducers order{
        .request = questions_.ask("fencing " + connector, std::nullopt,
                                  [this, connector, round](const Answer& answer) {
                                    drive(connector, round,
                                          answer ? FencingEvent(IdsFenced{}) : FencingEvent(FencingFailed{answer.error()}));
                                  }),
        .connector = connector,
        .transactional_ids = {},
        .config = {}};
    if (const Properties* config = configs_.config(connector)) order.config = *config;
    for (std::int32_t task = 0; task < fence->count; ++task) {
      order.transactional_ids.push_back(options_.group_id + "-" + TaskId{connector, task}.to_string());
    }
    turn_.order(std::move(order));
  } else if (const auto* write = std::get_if<WriteTaskCount>(&action)) {
    log_.write({protocol::task_count_record(connector, write->count)}, true, "task count of connector " + connector,
               [this, connector, round](const Answer& answer) {
                 drive(connector, round, answer ? FencingEvent(TaskCountWritten{}) : FencingEvent(FencingFailed{answer.error()}));
               });
  } else if (const auto* done = std::get_if<FinishFencing>(&action)) {
    end_change(*round);
    finish(connector, round, answer_of(done->error));
  }
}

void Fencing::read_within_change(const std::string& connector, const Rounds& round) {
  writer_.submit("fencing " + connector, [this, connector, round](ConfigWriter::Done done) {
    if (round->machine.over()) return done();
    round->change_done = std::move(done);
    log_.read_to_end_as_leader("fencing of " + connector, [this, connector, round](const Answer& answer) {
      drive(connector, round, answer ? FencingEvent(LogEndKnown{facts(connector)}) : FencingEvent(FencingFailed{answer.error()}));
    });
  });
}

void Fencing::end_change(Round& round) {
  if (const auto done = std::exchange(round.change_done, nullptr)) done();
}

void Fencing::finish(const std::string& connector, const Rounds& round, const Answer& answer) {
  if (const auto it = rounds_.find(connector); it != rounds_.end() && it->second == round) rounds_.erase(it);
  for (const Then& then : std::exchange(round->waiting, {})) then(answer);
}

void Fencing::abandon(const Error& why) {
  for (const auto& [connector, round] : std::map(rounds_)) drive(connector, round, FencingFailed{why});
}

FencingFacts Fencing::facts(const std::string& connector) const {
  const Properties* config = configs_.config(connector);
  if (config == nullptr) return {};
  const auto* info = configs_.find(connector);
  return {.exists = true,
          .is_source = options_.plugins.kind_of(*config) == ConnectorKind::Source,
          .pending = info->pending_fencing,
          .task_count_record = info->task_count_record,
          .tasks = configs_.runnable_task_count(connector),
          .task_config_generation = info->task_config_generation.value_or(-1)};
}

std::optional<Stage> Fencing::stage() const {
  if (rounds_.empty()) return std::nullopt;
  const auto& round = *rounds_.begin()->second;
  std::string text = round.machine.doing();
  if (rounds_.size() > 1) text += " and " + std::to_string(rounds_.size() - 1) + " other connectors";
  return Stage{.component = "fencing", .doing = std::move(text), .since_ms = round.since.time_since_epoch().count()};
}

}  // namespace fencepost::herder
