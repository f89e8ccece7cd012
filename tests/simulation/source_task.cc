#include "source_task.h"

#include <utility>

namespace fencepost::simulation {

using namespace exactly_once;
using herder::RunState;
using herder::TargetState;

SourceTask::SourceTask(TaskWorld world, herder::StartTask order, const std::string& group)
    : world_(std::move(world)), order_(std::move(order)), id_(group + "-" + order_.task.to_string()), target_(order_.target) {}

void SourceTask::later(Duration wait, void (SourceTask::*what)()) {
  world_.in(wait, [self = shared_from_this(), what] {
    if (!self->over_) (self.get()->*what)();
  });
}

std::vector<std::string> SourceTask::partitions() const {
  const int tasks = std::stoi(order_.task_config.get_or("tasks", "1"));
  std::vector<std::string> mine;
  for (int p = order_.task.task; p < 4; p += tasks) mine.push_back(order_.task.connector + "/" + std::to_string(p));
  return mine;
}

std::map<std::string, std::int64_t> SourceTask::committed() const {
  std::map<std::string, std::int64_t> offsets;
  for (const auto& partition : partitions()) offsets[partition] = world_.target.committed(partition);
  return offsets;
}

void SourceTask::start() { begin_start(); }

void SourceTask::begin_start() {
  start_.emplace();
  epoch_.reset();
  open_.clear();
  open_since_.reset();
  polling_ = false;
  if (world_.breaches.offsets_before_fence) positions_ = committed();
  perform(start_->apply(StartOrdered{}));
}

void SourceTask::tell_machine(const StartEvent& event) {
  if (over_) return;
  if (first_batch_) {
    perform(first_batch_->apply(event));
  } else if (start_) {
    perform(start_->apply(event));
  }
}

void SourceTask::ask(std::function<void(const herder::AnswerOwnership&)> then) {
  asked_ = std::move(then);
  question_ = world_.next_request();
  if (world_.breaches.ownership_unasked) {
    const herder::AnswerOwnership yes{.task = order_.task, .run = order_.run, .request = *question_, .superseded = std::nullopt};
    return world_.in(Duration(1), [self = shared_from_this(), yes] { self->ownership_answered(yes); });
  }
  world_.report(herder::OwnershipAsked{.task = order_.task, .run = order_.run, .request = *question_});
}

void SourceTask::ownership_answered(const herder::AnswerOwnership& answer) {
  if (over_ || question_ != answer.request) return;
  question_.reset();
  const auto then = std::exchange(asked_, nullptr);
  if (then) then(answer);
}

void SourceTask::perform(const StartActions& actions) {
  for (const StartAction& action : actions) {
    if (std::holds_alternative<FenceOwnId>(action) || std::holds_alternative<InitProducer>(action)) {
      world_.in(world_.chance.wait(5, 400), [self = shared_from_this()] {
        if (self->over_) return;
        self->epoch_ = self->world_.target.fence(self->id_);
        self->tell_machine(StepDone{});
      });
    } else if (std::holds_alternative<AskOwnership>(action)) {
      ask([this](const herder::AnswerOwnership& answer) { tell_machine(OwnershipAnswered{.superseded = answer.superseded}); });
    } else if (std::holds_alternative<LoadOffsets>(action)) {
      world_.in(world_.chance.wait(5, 100), [self = shared_from_this()] {
        if (self->over_) return;
        if (!self->world_.breaches.offsets_before_fence) self->positions_ = self->committed();
        self->tell_machine(StepDone{});
      });
    } else if (std::holds_alternative<CompareOffsets>(action)) {
      world_.in(world_.chance.wait(5, 100), [self = shared_from_this()] {
        const bool unchanged = self->world_.breaches.offsets_uncompared || self->positions_ == self->committed();
        if (!self->over_) self->tell_machine(OffsetsCompared{unchanged});
      });
    } else if (std::holds_alternative<StartPolling>(action)) {
      start_.reset();
      running_ = true;
      set_target(target_);
    } else if (std::holds_alternative<BeginTransaction>(action)) {
      first_batch_.reset();
      later(Duration(0), &SourceTask::poll);
    } else if (std::holds_alternative<StartAnew>(action)) {
      ++world_.counters["idle task found newer offsets"];
      first_batch_.reset();
      begin_start();
    } else if (std::holds_alternative<AbandonStart>(action)) {
      ++world_.counters["start abandoned"];
      end();
    } else if (const auto* failed = std::get_if<FailStart>(&action)) {
      fail(failed->error.message());
    }
  }
}

void SourceTask::set_target(TargetState target) {
  target_ = target;
  if (!running_ || over_) return;
  world_.report(herder::TaskStateChanged{.task = order_.task,
                                         .run = order_.run,
                                         .state = target == TargetState::Started ? RunState::Running : RunState::Paused,
                                         .trace = ""});
  if (target == TargetState::Started && !std::exchange(polling_, true)) later(world_.chance.wait(200, 2000), &SourceTask::poll);
}

void SourceTask::poll() {
  if (stopping_) return end();
  if (target_ != TargetState::Started) {
    polling_ = false;
    return;
  }
  if (!epoch_) {
    ++world_.counters["first batch without a client"];
    first_batch_.emplace();
    return perform(first_batch_->apply(StartOrdered{}));
  }
  for (auto& [partition, position] : positions_) {
    const std::int64_t count = world_.chance.between(0, 5);
    if (count == 0) continue;
    open_.push_back({.partition = partition,
                     .from = position,
                     .to = position + count,
                     .by = world_.worker + " run " + order_.run.to_string()});
    position += count;
  }
  if (open_.empty()) return later(world_.chance.wait(500, 4000), &SourceTask::poll);
  if (world_.breaches.commits_when_fenced) epoch_ = world_.target.epoch(id_);
  if (!world_.target.current(id_, *epoch_)) return fenced();
  if (!open_since_) {
    open_since_ = world_.schedule.now();
    world_.target.begin(id_, world_.schedule.now());
  }
  later(world_.chance.wait(5, 1500), &SourceTask::commit);
}

void SourceTask::commit() {
  if (world_.breaches.commits_when_fenced) epoch_ = world_.target.epoch(id_);
  if (!world_.target.commit(id_, *epoch_, open_)) return fenced();
  open_.clear();
  open_since_.reset();
  restarts_ = 0;
  if (stopping_) return end();
  if (world_.chance.happens(0.1)) epoch_.reset();  // idle: the client is given back
  later(world_.chance.wait(500, 4000), &SourceTask::poll);
}

void SourceTask::fenced() {
  ++world_.counters["producer fenced"];
  FencedFacts facts;
  facts.transactional_id = id_;
  facts.transaction_timeout = kTransactionTimeout;
  facts.restarts = restarts_;
  if (open_since_) facts.open_for = std::chrono::duration_cast<Duration>(world_.schedule.now() - *open_since_);
  ask([this, facts](const herder::AnswerOwnership& answer) mutable {
    const auto now = std::chrono::duration_cast<Duration>(world_.schedule.now().time_since_epoch());
    facts.superseded = answer.superseded;
    facts.late_fence_possible = answer.late_fence_possible;
    facts.late_fences = late_fences_.count(now);
    const FencedVerdict verdict = judge_fenced(facts);
    if (const auto* anew = std::get_if<RestartFromCommitted>(&verdict)) {
      ++world_.counters[anew->late_fence ? "restarted after a late fence" : "restarted after a transaction timeout"];
      if (anew->late_fence) late_fences_.add(now);
      ++restarts_;
      begin_start();
    } else if (std::holds_alternative<EndSilently>(verdict)) {
      ++world_.counters["ended as superseded"];
      end();
    } else {
      ++world_.counters["failed as fenced by a stranger"];
      fail(std::get<FailTask>(verdict).trace);
    }
  });
}

void SourceTask::stop() {
  if (over_ || std::exchange(stopping_, true)) return;
  if (open_since_ && !question_) return;  // the commit that is under way ends it
  end();
}

void SourceTask::end() {
  if (std::exchange(over_, true)) return;
  running_ = false;
  herder::TaskEnded ended;
  ended.task = order_.task;
  ended.run = order_.run;
  world_.in(world_.chance.wait(1, 300), [report = world_.report, ended] { report(ended); });
}

void SourceTask::fail(const std::string& trace) {
  if (over_) return;
  herder::TaskStateChanged failed;
  failed.task = order_.task;
  failed.run = order_.run;
  failed.state = RunState::Failed;
  failed.trace = trace;
  world_.report(failed);
  end();
}

}  // namespace fencepost::simulation
