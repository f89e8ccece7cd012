#include "worker.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

Worker::Worker(Simulation& world, int index)
    : world_(world),
      index_(index),
      id_("w" + std::to_string(index) + ":8083"),
      process_(world.schedule),
      group_(world, process_, id_, [this](const Event& event) { tell(event); }),
      stores_(world, process_, id_, [this](const Event& event) { tell(event); }),
      peers_(world, process_, id_, [this](const Event& event) { tell(event); }),
      runtime_(world, process_, id_, [this](const Event& event) { tell(event); }) {}

void Worker::start() {
  process_.start();
  Options options = world_.options_of(id_);
  runs_with_ = options.exactly_once;
  options.worker_id = id_;
  options.advertised_url = url();
  herder_ = std::make_unique<Herder>(options);
  trace("starts");
  stores_.start();
  runtime_.start();
  group_.start();
  process_.in(world_.chance.wait(50, 500), [this] {
    stores_.read_all();
    tell(StoresRead{});
  });
}

void Worker::kill() {
  trace("is killed");
  process_.end();
  peers_.reset();
}

void Worker::terminate() {
  trace("has ended");
  process_.end();
  peers_.reset();
  world_.start_later(*this);
}

void Worker::pause() {
  trace("is paused");
  process_.pause();
}

void Worker::resume() {
  trace("goes on");
  process_.resume();
}

void Worker::trace(const std::string& text) const {
  if (world_.traced()) world_.trace("w" + std::to_string(index_), text);
}

void Worker::tell(const Event& event) {
  if (world_.traced()) trace("<- " + describe(event));
  perform_all(herder_->apply(event, world_.schedule.now()));
  set_timer();
}

void Worker::perform_all(const Actions& actions) {
  const std::uint64_t incarnation = process_.incarnation();
  for (const Action& action : actions) {
    if (world_.traced()) trace("   " + describe(action));
    maybe_stumble(action);
    std::visit([this](const auto& a) { perform(a); }, action);
    if (incarnation != process_.incarnation()) return;
  }
}

template <class Action>
void Worker::perform(const Action& action) {
  if constexpr (requires { group_.perform(action); }) {
    group_.perform(action);
  } else if constexpr (requires { stores_.perform(action); }) {
    stores_.perform(action);
  } else if constexpr (requires { peers_.perform(action); }) {
    peers_.perform(action);
  } else if constexpr (requires { runtime_.perform(action); }) {
    runtime_.perform(action);
  } else if constexpr (std::is_same_v<Action, Terminate>) {
    terminate();
  } else {
    static_assert(std::is_same_v<Action, Note> || std::is_same_v<Action, SetLoggerLevel>, "each action is somebody's");
  }
}

// Chance alone seldom hits the moments in which half of something is done.
void Worker::maybe_stumble(const Action& action) {
  const char* amid = std::holds_alternative<FenceProducers>(action)       ? "fencing"
                     : std::holds_alternative<WriteConfigRecords>(action) ? "a config write"
                     : std::holds_alternative<SendAssignments>(action)    ? "dealing"
                     : std::holds_alternative<ChangeOffsets>(action)      ? "a change of offsets"
                     : std::holds_alternative<AnswerOffsetChange>(action) ? "a write of offsets"
                                                                          : nullptr;
  if (amid == nullptr) return;
  const bool offsets = std::holds_alternative<ChangeOffsets>(action) || std::holds_alternative<AnswerOffsetChange>(action);
  if (!world_.chance.happens(offsets ? world_.faults.stumble_in_offsets : world_.faults.stumble)) return;
  process_.in(world_.chance.wait(0, 150), [this, amid] {
    if (paused()) return;
    ++world_.counters_["leader lost in the middle of " + std::string(amid)];
    if (world_.chance.happens(0.4)) {
      kill();
      world_.start_later(*this);
    } else {
      pause();
      world_.resume_later(*this);
    }
  });
}

void Worker::set_timer() {
  const auto deadline = herder_->next_deadline();
  const std::uint64_t timer = ++timer_;
  if (!deadline) return;
  const auto wait = std::max(std::chrono::duration_cast<Duration>(*deadline - world_.schedule.now()), Duration(0));
  process_.in(wait, [this, timer] {
    if (timer == timer_) tell(TimePassed{});
  });
}

}  // namespace fencepost::simulation
