#include "runtime/task_run.h"

#include <utility>

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {
/// A topic in use is told again after so long, because somebody may have reset the list of topics (KIP-558).
constexpr auto kTopicToldAgain = 500ms;
}  // namespace

TaskRun::TaskRun(herder::StartTask order, RunSurroundings surroundings)
    : Actor(surroundings.scheduler), order_(std::move(order)), surroundings_(std::move(surroundings)), target_(order_.target) {}

void TaskRun::stop() {
  if (stopping_.exchange(true)) return;
  interrupt();
  wake();
}

void TaskRun::change_target(herder::TargetState target) {
  target_ = target;
  wake();
}

void TaskRun::answer_ownership(RequestId request, exactly_once::OwnershipAnswered answer) {
  post([this, request, answer = std::move(answer)] {
    auto asked = asked_.extract(request);
    if (!asked.empty()) asked.mapped()(answer);
  });
}

void TaskRun::give_up() {
  if (!ended_.exchange(true)) surroundings_.report(herder::TaskEnded{order_.task, order_.run});
}

void TaskRun::end() {
  asked_.clear();
  give_up();
}

void TaskRun::report_state(herder::RunState state, std::string trace) {
  if (ended_ || (stopping_ && state != herder::RunState::Failed)) return;
  surroundings_.report(herder::TaskStateChanged{order_.task, order_.run, state, std::move(trace)});
}

void TaskRun::report_topic(const std::string& topic) {
  const auto now = Steady::now();
  const auto [at, first] = topics_reported_.try_emplace(topic, now);
  if (!first && now - at->second < kTopicToldAgain) return;
  at->second = now;
  if (!ended_) surroundings_.report(herder::TopicUsed{order_.task, order_.run, topic});
}

void TaskRun::ask_ownership(std::function<void(exactly_once::OwnershipAnswered)> then) {
  const RequestId request{++questions_};
  asked_.emplace(request, std::move(then));
  if (!ended_) surroundings_.report(herder::OwnershipAsked{order_.task, order_.run, request});
}

}  // namespace fencepost::runtime
