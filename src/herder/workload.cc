#include "herder/workload.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace fencepost::herder {

using protocol::StatusOwner;
using protocol::StatusWrites;

TargetState target_of(protocol::TargetState state) {
  switch (state) {
    case protocol::TargetState::Paused:
      return TargetState::Paused;
    case protocol::TargetState::Stopped:
      return TargetState::Stopped;
    case protocol::TargetState::Started:
      break;
  }
  return TargetState::Started;
}

protocol::TargetState target_of(TargetState state) {
  switch (state) {
    case TargetState::Paused:
      return protocol::TargetState::Paused;
    case TargetState::Stopped:
      return protocol::TargetState::Stopped;
    case TargetState::Started:
      break;
  }
  return protocol::TargetState::Started;
}

namespace {

// A task that ended by itself is not started again at once: whatever made it give up needs a moment to become known here.
constexpr Duration kAfterSilentEnd{500};

protocol::RunState to_record(RunState state) {
  switch (state) {
    case RunState::Paused:
      return protocol::RunState::Paused;
    case RunState::Stopped:
      return protocol::RunState::Stopped;
    case RunState::Failed:
      return protocol::RunState::Failed;
    case RunState::Restarting:
      return protocol::RunState::Restarting;
    case RunState::Running:
      break;
  }
  return protocol::RunState::Running;
}

// Not std::ranges::subrange, which clang 14 cannot compile with this standard library.
template <class Iterator>
struct Range {
  Iterator first;
  Iterator last;
  [[nodiscard]] Iterator begin() const { return first; }
  [[nodiscard]] Iterator end() const { return last; }
};

/// The slots of one connector's tasks.
template <class Slots>
auto tasks_of(Slots& slots, const std::string& connector) {
  constexpr auto kLast = std::numeric_limits<decltype(TaskId::task)>::max();
  return Range<decltype(slots.begin())>{slots.lower_bound(TaskId{connector, 0}), slots.upper_bound(TaskId{connector, kLast})};
}

}  // namespace

Workload::Workload(Turn& turn, const Options& options, const protocol::ConfigState& configs, StatusBoard& board,
                   WorkloadHooks hooks)
    : turn_(turn), options_(options), configs_(configs), board_(board), hooks_(std::move(hooks)) {}

// ---- what is wanted ----

template <class Id>
void Workload::assign(std::map<Id, Slot>& slots, const std::set<Id, assignor::JavaLess>& now,
                      const std::set<Id, assignor::JavaLess>& fresh) {
  for (auto& [id, slot] : slots) {
    if (!now.contains(id)) slot.assigned = false;
  }
  for (const Id& id : now) {
    Slot& slot = slots[id];
    if (!slot.assigned || (fresh.contains(id) && !slot.live)) ++slot.wish;
    slot.assigned = true;
  }
}

void Workload::set_assigned(const assignor::Work& assigned, const assignor::Work& fresh) {
  assign(connectors_, assigned.connectors, fresh.connectors);
  assign(tasks_, assigned.tasks, fresh.tasks);
  reconcile_all();
}

void Workload::config_changed(const std::string& connector) {
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    const auto& live = slot.live;
    if (live && !live->stopping) turn_.order(HoldTask{.task = task, .run = live->run});
  }
  const auto it = connectors_.find(connector);
  if (it == connectors_.end()) return;
  ++it->second.wish;
  reconcile(connector, it->second);
  reconcile_tasks(connector);
}

// Each commit is a new plan for all tasks of the connector, even where a task's own config is as before: its converters or its
// fence are not.
void Workload::tasks_changed(const std::string& connector) {
  for (auto& [task, slot] : tasks_of(tasks_, connector)) ++slot.wish;
  reconcile_tasks(connector);
}

void Workload::target_changed(const std::string& connector) {
  if (const auto it = connectors_.find(connector); it != connectors_.end()) reconcile(connector, it->second);
  reconcile_tasks(connector);
}

void Workload::fenced(const std::string& connector) { reconcile_tasks(connector); }

void Workload::not_fenced(const std::string& connector, const Error& error) {
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    if (slot.live || slot.served_wish == slot.wish || !wanted(task, slot)) continue;
    slot.served_wish = slot.wish;
    tell_started(slot);
    slot.failure = "the task was not started, as earlier tasks of its connector could not be fenced: " + error.message();
    board_.write(StatusOwner(task), protocol::RunState::Failed, *slot.failure, hooks_.generation(), StatusWrites::Safe);
  }
}

void Workload::stop_everything() {
  stopping_everything_ = true;
  reconcile_all();
}

void Workload::give_up_stopping() {
  for (auto& [connector, slot] : connectors_) {
    if (slot.live) write_end(StatusOwner(connector), *std::exchange(slot.live, std::nullopt), false);
  }
  for (auto& [task, slot] : tasks_) {
    if (slot.live) write_end(StatusOwner(task), *std::exchange(slot.live, std::nullopt), false);
  }
}

void Workload::restart(const std::string& connector, std::function<void()> started) {
  const auto it = connectors_.find(connector);
  if (it == connectors_.end()) return started();
  ++it->second.wish;
  it->second.started.push_back(std::move(started));
  reconcile(connector, it->second);
}

void Workload::restart(const TaskId& task, std::function<void()> started) {
  const auto it = tasks_.find(task);
  if (it == tasks_.end()) return started();
  ++it->second.wish;
  it->second.started.push_back(std::move(started));
  reconcile(task, it->second);
}

TargetState Workload::target_of(const std::string& connector) const {
  return herder::target_of(configs_.target_state(connector).value_or(protocol::TargetState::Started));
}

bool Workload::exactly_once(const std::string& connector) const {
  const Properties* config = configs_.config(connector);
  return options_.exactly_once == ExactlyOnce::Enabled && config != nullptr &&
         options_.plugins.kind_of(*config) == ConnectorKind::Source;
}

bool Workload::wanted(const std::string& connector, const Slot& slot) const {
  return slot.assigned && !stopping_everything_ && configs_.contains(connector);
}

bool Workload::wanted(const TaskId& task, const Slot& slot) const {
  return slot.assigned && !stopping_everything_ && configs_.has_task(task) && target_of(task.connector) != TargetState::Stopped;
}

// ---- from what is wanted to orders ----

void Workload::reconcile_all() {
  for (auto& [connector, slot] : connectors_) reconcile(connector, slot);
  for (auto& [task, slot] : tasks_) reconcile(task, slot);
  drop_idle();
}

void Workload::reconcile_tasks(const std::string& connector) {
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    reconcile(task, slot);
  }
}

void Workload::reconcile(const std::string& connector, Slot& slot) {
  const bool want = wanted(connector, slot);
  if (slot.live) {
    Live& live = *slot.live;
    if (live.stopping) return;
    if (!want && live.wish == slot.wish) ++slot.wish;  // should it be wanted again, that is another run
    if (live.wish != slot.wish) {
      live.stopping = true;
      live.since = turn_.now();
      turn_.order(StopConnector{.connector = connector, .run = live.run});
    } else if (const TargetState target = target_of(connector); target != live.target && live.reported != RunState::Failed) {
      live.target = target;
      turn_.order(ChangeConnectorTarget{.connector = connector, .run = live.run, .target = target});
    }
    return;
  }
  if (!want || slot.served_wish == slot.wish) return tell_started(slot);
  if (hooks_.may_start()) start(connector, slot);
}

void Workload::start(const std::string& connector, Slot& slot) {
  slot.served_wish = slot.wish;
  slot.failure.reset();
  slot.live = Live{.run = turn_.next_run(),
                   .wish = slot.wish,
                   .stopping = false,
                   .since = turn_.now(),
                   .target = target_of(connector),
                   .reported = std::nullopt,
                   .task_config_generation = std::nullopt};
  turn_.order(StartConnector{
      .connector = connector, .run = slot.live->run, .config = *configs_.config(connector), .target = slot.live->target});
  tell_started(slot);
}

void Workload::reconcile(const TaskId& task, Slot& slot) {
  const bool want = wanted(task, slot);
  if (slot.live) {
    Live& live = *slot.live;
    if (live.stopping) return;
    if (!want && live.wish == slot.wish) ++slot.wish;  // should it be wanted again, that is another run
    if (live.wish != slot.wish) {
      live.stopping = true;
      live.since = turn_.now();
      turn_.order(StopTask{.task = task, .run = live.run});
    } else if (const TargetState target = target_of(task.connector); target != live.target && live.reported != RunState::Failed) {
      live.target = target;
      turn_.order(ChangeTaskTarget{.task = task, .run = live.run, .target = target});
    }
    return;
  }
  if (!want || slot.served_wish == slot.wish) return tell_started(slot);
  if (!hooks_.may_start() || slot.not_before) return;
  if (exactly_once(task.connector) && configs_.pending_fencing(task.connector)) return hooks_.fence(task.connector);
  start(task, slot);
}

void Workload::start(const TaskId& task, Slot& slot) {
  slot.served_wish = slot.wish;
  slot.failure.reset();
  slot.live = Live{.run = turn_.next_run(),
                   .wish = slot.wish,
                   .stopping = false,
                   .since = turn_.now(),
                   .target = target_of(task.connector),
                   .reported = std::nullopt,
                   .task_config_generation = configs_.task_config_generation(task.connector)};
  turn_.order(StartTask{.task = task,
                        .run = slot.live->run,
                        .connector_config = *configs_.config(task.connector),
                        .task_config = *configs_.task_config(task),
                        .target = slot.live->target,
                        .exactly_once = exactly_once(task.connector)});
  tell_started(slot);
}

void Workload::tell_started(Slot& slot) {
  for (const auto& started : std::exchange(slot.started, {})) started();
}

void Workload::drop_idle() {
  std::erase_if(connectors_, [](const auto& entry) { return !entry.second.assigned && !entry.second.live; });
  std::erase_if(tasks_, [](const auto& entry) { return !entry.second.assigned && !entry.second.live; });
}

// ---- what runs report ----

void Workload::write_state(const StatusOwner& owner, Slot& slot, RunState state, const std::string& trace) {
  slot.live->reported = state;
  if (state == RunState::Failed) slot.failure = trace;
  board_.write(owner, to_record(state), trace, hooks_.generation(),
               state == RunState::Failed ? StatusWrites::Safe : StatusWrites::Always);
}

bool Workload::another_had_it_since(const StatusOwner& owner) const {
  const auto* last = board_.last_of_another(owner);
  return last != nullptr && last->generation < hooks_.generation();
}

// Where the group falls back to the eager protocol, all is dealt anew while earlier owners still run it: the last word of one of
// them comes after the first of its successor.
bool Workload::another_gave_it_up_late(const StatusOwner& owner) const {
  const auto* last = board_.last_of_another(owner);
  return last != nullptr && last->generation == hooks_.generation() && last->state == protocol::RunState::Unassigned;
}

template <class Id>
void Workload::reassert(const Id& id, Slot& slot) {
  if (another_gave_it_up_late(StatusOwner(id)) && has_spoken(slot)) return say_again(StatusOwner(id), slot);
  if (!another_had_it_since(StatusOwner(id))) return;
  if (!slot.live && slot.assigned && slot.failure && slot.served_wish == slot.wish) {
    ++slot.wish;  // what failed here has run elsewhere since
    return reconcile(id, slot);
  }
  if (!slot.live || slot.live->stopping || !slot.live->reported || *slot.live->reported == RunState::Failed) return;
  write_state(StatusOwner(id), slot, *slot.live->reported, "");
}

void Workload::reassert_states() {
  for (auto& [connector, slot] : connectors_) reassert(connector, slot);
  for (auto& [task, slot] : tasks_) reassert(task, slot);
}

void Workload::reassert_states(const std::string& connector) {
  if (const auto it = connectors_.find(connector); it != connectors_.end()) reassert(connector, it->second);
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    reassert(task, slot);
  }
}

bool Workload::has_spoken(const Slot& slot) {
  return slot.live ? !slot.live->stopping && slot.live->reported : slot.assigned && slot.failure;
}

bool Workload::misses_its_status(const StatusOwner& owner, const Slot& slot) const {
  return has_spoken(slot) && has_config(configs_, owner) && board_.state().find(owner) == nullptr;
}

void Workload::restore(const StatusOwner& owner, Slot& slot) {
  if (misses_its_status(owner, slot)) say_again(owner, slot);
}

void Workload::say_again(const StatusOwner& owner, const Slot& slot) {
  const bool failed = !slot.live || *slot.live->reported == RunState::Failed;
  board_.write(owner, failed ? protocol::RunState::Failed : to_record(*slot.live->reported), failed ? *slot.failure : "",
               hooks_.generation(), failed ? StatusWrites::Safe : StatusWrites::Always);
}

bool Workload::misses_a_status(const std::string& connector) const {
  if (const auto it = connectors_.find(connector); it != connectors_.end() && misses_its_status(connector, it->second))
    return true;
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    if (misses_its_status(task, slot)) return true;
  }
  return false;
}

void Workload::restore_statuses(const std::string& connector) {
  if (const auto it = connectors_.find(connector); it != connectors_.end()) restore(connector, it->second);
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    restore(task, slot);
  }
}

// A run that another one replaces at once leaves no trace; neither does that of something that has no config any more.
void Workload::write_end(const StatusOwner& owner, const Live& live, bool runs_again) {
  if (!live.stopping || live.reported == RunState::Failed || runs_again || !has_config(configs_, owner)) return;
  board_.write(owner, protocol::RunState::Unassigned, "", hooks_.generation(), StatusWrites::Safe);
}

void Workload::on(const ConnectorStateChanged& e) {
  const auto it = connectors_.find(e.connector);
  if (it == connectors_.end() || !it->second.live || it->second.live->run != e.run || it->second.live->stopping) return;
  write_state(StatusOwner(e.connector), it->second, e.state, e.trace);
  if (e.state == RunState::Running) hooks_.connector_runs(e.connector);
}

void Workload::on(const ConnectorEnded& e) {
  const auto it = connectors_.find(e.connector);
  if (it == connectors_.end() || !it->second.live || it->second.live->run != e.run) return;
  Slot& slot = it->second;
  const Live ended = *std::exchange(slot.live, std::nullopt);
  write_end(StatusOwner(e.connector), ended, wanted(e.connector, slot));
  reconcile(e.connector, slot);
  drop_idle();
  hooks_.ended();
}

void Workload::on(const TaskStateChanged& e) {
  const auto it = tasks_.find(e.task);
  if (it == tasks_.end() || !it->second.live || it->second.live->run != e.run || it->second.live->stopping) return;
  write_state(StatusOwner(e.task), it->second, e.state, e.trace);
}

void Workload::on(const TaskEnded& e) {
  const auto it = tasks_.find(e.task);
  if (it == tasks_.end() || !it->second.live || it->second.live->run != e.run) return;
  Slot& slot = it->second;
  const Live ended = *std::exchange(slot.live, std::nullopt);
  write_end(StatusOwner(e.task), ended, wanted(e.task, slot));
  if (!ended.stopping && ended.reported != RunState::Failed && ended.wish == slot.wish) {
    // It gave up as superseded. If the group still sees the task here, it is this worker that must run it again.
    ++slot.wish;
    slot.not_before = turn_.now() + kAfterSilentEnd;
  }
  reconcile(e.task, slot);
  drop_idle();
  hooks_.ended();
}

void Workload::on(const TopicUsed& e) {
  if (!options_.topic_tracking || !configs_.contains(e.task.connector)) return;
  if (!board_.uses_topic(e.task.connector, e.topic)) board_.write_topic(e.task, e.topic);
}

void Workload::on_time() {
  for (auto& [task, slot] : tasks_) {
    if (!slot.not_before || *slot.not_before > turn_.now()) continue;
    slot.not_before.reset();  // whatever else it waits for has an event of its own
    reconcile(task, slot);
  }
}

std::optional<Time> Workload::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [task, slot] : tasks_) {
    if (slot.not_before && (!next || *slot.not_before < *next)) next = slot.not_before;
  }
  return next;
}

// ---- questions ----

bool Workload::assigned(const std::string& connector) const {
  const auto it = connectors_.find(connector);
  return it != connectors_.end() && it->second.assigned;
}

bool Workload::assigned(const TaskId& task) const {
  const auto it = tasks_.find(task);
  return it != tasks_.end() && it->second.assigned;
}

bool Workload::anything_unassigned_runs() const {
  const auto runs_unassigned = [](const auto& entry) { return entry.second.live && !entry.second.assigned; };
  return std::ranges::any_of(connectors_, runs_unassigned) || std::ranges::any_of(tasks_, runs_unassigned);
}

bool Workload::anything_runs() const {
  const auto runs = [](const auto& entry) { return entry.second.live.has_value(); };
  return std::ranges::any_of(connectors_, runs) || std::ranges::any_of(tasks_, runs);
}

bool Workload::tasks_run(const std::string& connector) const {
  for (auto& [task, slot] : tasks_of(tasks_, connector)) {
    if (slot.live) return true;
  }
  return false;
}

std::optional<RunId> Workload::active_run(const std::string& connector) const {
  const auto it = connectors_.find(connector);
  if (it == connectors_.end() || !it->second.live) return std::nullopt;
  const Live& live = *it->second.live;
  if (live.stopping || live.target != TargetState::Started || live.reported != RunState::Running) return std::nullopt;
  return live.run;
}

std::optional<Workload::StartedWith> Workload::current_run(const TaskId& task, RunId run) const {
  const auto it = tasks_.find(task);
  if (it == tasks_.end() || !it->second.live || it->second.live->run != run || it->second.live->stopping) return std::nullopt;
  return StartedWith{it->second.live->task_config_generation};
}

std::optional<Stage> Workload::stage() const {
  std::size_t stopping = 0;
  std::string first;
  Time since = Time::max();
  const auto look = [&](const std::string& name, const Slot& slot) {
    if (!slot.live || !slot.live->stopping) return;
    ++stopping;
    if (slot.live->since >= since) return;
    since = slot.live->since;
    first = name;
  };
  for (const auto& [connector, slot] : connectors_) look(connector, slot);
  for (const auto& [task, slot] : tasks_) look(task.to_string(), slot);
  if (stopping == 0) return std::nullopt;
  std::string text = "waiting for " + first;
  if (stopping > 1) text += " and " + std::to_string(stopping - 1) + " others";
  return Stage{.component = "connectors and tasks", .doing = text + " to stop", .since_ms = since.time_since_epoch().count()};
}

}  // namespace fencepost::herder
