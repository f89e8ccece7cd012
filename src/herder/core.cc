#include "herder/core.h"

#include <algorithm>
#include <utility>

namespace fencepost::herder {

Herder::Herder(Options options) : core_(std::make_unique<Core>(std::move(options))) {}
Herder::~Herder() = default;
Actions Herder::apply(const Event& event, Time now) { return core_->apply(event, now); }
std::optional<Time> Herder::next_deadline() const { return core_->next_deadline(); }
std::shared_ptr<const View> Herder::view() const { return core_->view(); }

Herder::Core::Core(Options options)
    : options_(std::move(options)),
      questions_(turn_),
      log_(turn_, options_,
           {.leads = [this] { return membership_.leads(); },
            .confirm_membership = [this](const Then& then) { membership_.confirm(then); }}),
      writer_(turn_),
      board_(turn_, options_, configs_, [this] { return membership_.leads(); }),
      book_(turn_, options_, [this] { return stage_text(); }),
      workload_(turn_, options_, configs_, board_,
                {.generation = [this] { return membership_.generation(); },
                 .may_start = [this] { return life_ == Life::Running && membership_.has_place() && !reading_records_; },
                 .connector_runs = [this](const std::string& connector) { publisher_.reconfigure(connector); },
                 .fence = [this](const std::string& connector) { fence_asker_.want(connector); },
                 .ended = [this] { run_ended(); }}),
      membership_(turn_, options_, configs_, log_,
                  {.work_changed = [this](const assignor::Work& fresh) { workload_.set_assigned(membership_.held(), fresh); },
                   .anything_revoked_runs = [this] { return workload_.anything_unassigned_runs(); },
                   .settled = [this] { group_settled(); },
                   .lost_leadership = [this] { leadership_lost(); }}),
      keys_(turn_, options_, configs_, log_, writer_),
      fencing_(turn_, options_, configs_, log_, writer_),
      fence_asker_(turn_,
                   {.settled = [this] { return membership_.settled(); },
                    .fence = [this](const std::string& connector, const Then& then) { fence_through_leader(connector, then); },
                    .fenced = [this](const std::string& connector) { workload_.fenced(connector); },
                    .given_up = [this](const std::string& connector, const Error& why) { workload_.not_fenced(connector, why); },
                    .read_log = [this](const std::string& why, const Then& then) { log_.read_to_end(why, then); }}),
      publisher_(turn_, configs_,
                 {.settled = [this] { return membership_.settled(); },
                  .active_run = [this](const std::string& connector) { return workload_.active_run(connector); },
                  .publish = [this](const std::string& connector, const std::vector<Properties>& configs,
                                    const Then& then) { publish_task_configs(connector, configs, then); }}),
      ownership_(turn_, configs_, board_, workload_, log_,
                 {.generation = [this] { return membership_.generation(); },
                  .confirm_membership = [this](const Then& then) { membership_.confirm(then); },
                  .others_may_have_run =
                      [this](const TaskId& task) {
                        return membership_.ever_had_company() || board_.last_of_another(task) != nullptr ||
                               board_.last_of_another(task.connector) != nullptr;
                      }}) {}

Actions Herder::Core::apply(const Event& event, Time now) {
  turn_.begin(now);
  if (life_ == Life::Over) return {};
  if (life_ == Life::Starting && life_since_ == Time{}) life_since_ = now;
  std::visit([this](const auto& e) { on(e); }, event);
  run_due_timers();
  serve_held();
  return turn_.take();
}

std::optional<Time> Herder::Core::next_deadline() const {
  std::optional<Time> next;
  if (life_ == Life::Over) return next;
  for (const auto& deadline :
       {questions_.next_deadline(), book_.next_deadline(), membership_.next_deadline(), keys_.next_deadline(),
        fence_asker_.next_deadline(), publisher_.next_deadline(), workload_.next_deadline(), stop_deadline_}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  return next;
}

void Herder::Core::run_due_timers() {
  book_.on_time();  // before the questions: its answer says what the worker was doing
  questions_.expire();
  membership_.on_time();
  keys_.on_time();
  fence_asker_.on_time();
  publisher_.on_time();
  workload_.on_time();
  if (stop_deadline_ && *stop_deadline_ <= turn_.now()) go_on_stopping();
}

// ---- life ----

void Herder::Core::on(const StoresRead&) {
  if (life_ != Life::Starting) return;
  life_ = Life::Running;
  life_since_ = turn_.now();
  start_steps_.clear();
  book_.started();
  (void)configs_.end_reached();
  for (const auto& connector : configs_.connectors()) known_work_[connector] = configs_.runnable_task_count(connector);
  membership_.start();
}

void Herder::Core::on(const StartStepTaken& e) {
  if (life_ != Life::Starting) return;
  const auto at = std::find_if(start_steps_.begin(), start_steps_.end(),
                               [&](const StartStep& step) { return step.told.component == e.component; });
  if (at == start_steps_.end()) {
    if (!e.doing.empty()) start_steps_.push_back({.told = e, .since = turn_.now()});
  } else if (e.doing.empty()) {
    start_steps_.erase(at);
  } else {
    if (at->told.doing != e.doing) at->since = turn_.now();
    at->told = e;
  }
}

void Herder::Core::on(const StartFailed& e) {
  if (life_ != Life::Starting) return;
  life_ = Life::Over;
  book_.answer_all(ErrorKind::Unavailable, "The worker cannot start and ends: " + e.why + ".");
  turn_.order(Terminate{});
}

void Herder::Core::on(const ShutdownRequested&) {
  if (life_ == Life::Stopping) return;
  life_ = Life::Stopping;
  life_since_ = turn_.now();
  stop_deadline_ = turn_.now() + options_.graceful_shutdown_timeout;
  workload_.stop_everything();
  book_.answer_all(ErrorKind::Unavailable, "The worker is shutting down.");
  go_on_stopping();
}

void Herder::Core::go_on_stopping() {
  if (life_ != Life::Stopping) return;
  const bool late = stop_deadline_ && *stop_deadline_ <= turn_.now();
  if (workload_.anything_runs() && !late) return;
  workload_.give_up_stopping();
  life_ = Life::Over;
  stop_deadline_.reset();
  membership_.leave("the worker shuts down");
  turn_.order(Terminate{});
}

void Herder::Core::run_ended() {
  membership_.work_ended();
  go_on_stopping();
  std::vector<std::function<void()>> ready;
  std::erase_if(when_no_tasks_run_, [&](auto& waiting) {
    if (workload_.tasks_run(waiting.first)) return false;
    ready.push_back(std::move(waiting.second));
    return true;
  });
  for (const auto& then : ready) then();
}

// ---- records ----

void Herder::Core::on(const ConfigRecordsRead& e) {
  reading_records_ = true;
  for (const TopicRecord& record : e.records) {
    const auto read = configs_.read(record.offset, record.key, record.value);
    if (!read.warning.empty()) {
      turn_.note(LogLevel::Warn, "",
                 "config topic " + options_.config_topic + ", partition " + std::to_string(record.partition) + ", offset " +
                     record.offset.to_string() + ": record skipped: " + read.warning);
    }
    if (read.event) on_config(*read.event);
  }
  // What half of the records would start, the other half may forbid: newer task configs after a task count, for one.
  reading_records_ = false;
  if (life_ == Life::Running) workload_.resume_starts();
  configs_changed();
}

void Herder::Core::on(const ConfigLogEndReached& e) {
  const auto found = e.end ? configs_.end_reached() : std::vector<std::string>();
  for (const auto& connector : found) on_config(protocol::TaskConfigsUpdated{connector, configs_.tasks(connector)});
  if (!found.empty()) configs_changed();
  log_.on(e);
}

void Herder::Core::configs_changed() {
  for (const auto& connector : std::exchange(committed_, {})) publisher_.committed(connector);
  for (const auto& connector : touched_) board_.suspect(connector);
  sweep_statuses();
  rejoin_if_work_changed();
}

void Herder::Core::on_config(const protocol::ConfigEvent& event) {
  struct React {
    Core& core;
    void operator()(const protocol::ConnectorConfigUpdated& e) const {
      core.touched(e.connector);
      core.workload_.config_changed(e.connector);
    }
    void operator()(const protocol::ConnectorConfigRemoved& e) const {
      core.touched(e.connector);
      core.fence_asker_.forget(e.connector);
      core.warned_of_fence_.erase(e.connector);
      core.workload_.config_changed(e.connector);
    }
    void operator()(const protocol::TaskConfigsUpdated& e) const {
      core.touched(e.connector);
      core.workload_.tasks_changed(e.connector);
      core.committed_.insert(e.connector);
    }
    void operator()(const protocol::TargetStateChanged& e) const { core.workload_.target_changed(e.connector); }
    void operator()(const protocol::TaskCountRecorded& e) const { core.workload_.fenced(e.connector); }
    void operator()(const protocol::SessionKeyUpdated&) const {}
    void operator()(const protocol::RestartRequested& e) const { core.apply_restart(e.request); }
    void operator()(const protocol::LoggerLevelUpdated& e) const {
      core.turn_.order(SetLoggerLevel{.logger = e.logger, .level = e.level});
    }
  };
  if (life_ == Life::Starting) {
    // What is read before the worker has started is history: nobody asks for these restarts any more.
    if (const auto* updated = std::get_if<protocol::ConnectorConfigUpdated>(&event)) stale_views_.insert(updated->connector);
    return;
  }
  std::visit(React{*this}, event);
}

void Herder::Core::touched(const std::string& connector) {
  stale_views_.insert(connector);
  touched_.insert(connector);
}

// Only a change of what there is to deal makes the group meet; new configs of the same tasks concern those who run them.
void Herder::Core::rejoin_if_work_changed() {
  std::string reason;
  for (const auto& connector : std::exchange(touched_, {})) {
    const auto known = known_work_.find(connector);
    if (!configs_.contains(connector)) {
      if (known == known_work_.end()) continue;
      known_work_.erase(known);
      reason = "connector " + connector + " was deleted";
    } else if (known == known_work_.end()) {
      known_work_[connector] = configs_.runnable_task_count(connector);
      reason = "connector " + connector + " is new";
    } else if (const auto tasks = configs_.runnable_task_count(connector); known->second != tasks) {
      known->second = tasks;
      reason = "connector " + connector + " now has " + std::to_string(tasks) + " tasks";
    }
  }
  if (!reason.empty()) membership_.request_rejoin(reason, configs_.offset());
}

void Herder::Core::on(const StatusRecordsRead& e) {
  board_.on(e);
  auto changed = board_.take_changed();
  if (membership_.settled()) {
    for (const auto& connector : changed) workload_.reassert_states(connector);
  }
  stale_views_.merge(changed);
  for (const auto& connector : board_.take_removed()) restore_status(connector);
  sweep_statuses();
}

// Statuses of what is configured no more, judged by the end of the log: the two topics are read apart, and a worker that was
// paused knows neither what is new.
void Herder::Core::sweep_statuses() {
  if (life_ != Life::Running || sweeping_ || !board_.suspects_any()) return;
  sweeping_ = true;
  log_.read_to_end("statuses of what is configured no more are to be removed", [this](const Answer& read) {
    sweeping_ = false;
    if (read) board_.sweep();
  });
}

// A leader that was paused may remove the statuses of a connector that has been made anew meanwhile.
void Herder::Core::restore_status(const std::string& connector) {
  if (life_ != Life::Running || !workload_.misses_a_status(connector)) return;
  log_.read_to_end("a status of " + connector + " was removed", [this, connector](const Answer& read) {
    if (read && membership_.has_place()) workload_.restore_statuses(connector);
  });
}

void Herder::Core::on(const TaskReconfigurationRequested& e) {
  if (workload_.active_run(e.connector) == e.run) publisher_.reconfigure(e.connector);
}

// ---- the group ----

void Herder::Core::group_settled() {
  const bool leads = membership_.leads();
  if (leads && !log_.claimed()) log_.claim();
  keys_.lead(leads && membership_.protocol() == protocol::ConnectProtocol::Sessioned);
  workload_.resume_starts();
  workload_.reassert_states();
  if (leads) board_.suspect_all();
  sweep_statuses();
  publisher_.settled();
  fence_asker_.settled();
}

void Herder::Core::leadership_lost() {
  log_.release();
  keys_.lead(false);
  fencing_.abandon(Error(ErrorKind::Conflict, "this worker no longer leads the group"));
}

// ---- views ----

std::shared_ptr<const View> Herder::Core::view() {
  if (life_ == Life::Starting) return nullptr;  // half of a log may say that a connector is there which is not
  if (stale_views_.empty()) return view_;
  auto next = std::make_shared<View>(*view_);
  for (const auto& connector : std::exchange(stale_views_, {})) {
    if (!configs_.contains(connector)) {
      next->erase(connector);
    } else {
      (*next)[connector] =
          std::make_shared<const ConnectorView>(ConnectorView{.info = info_of(connector), .status = board_.status(connector)});
    }
  }
  view_ = std::move(next);
  return view_;
}

}  // namespace fencepost::herder
