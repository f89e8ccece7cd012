#include "worker.h"

#include <algorithm>
#include <utility>

#include "simulation.h"

namespace fencepost::simulation {

using namespace herder;

namespace {

constexpr Duration kBeatEvery = std::chrono::seconds(3);
constexpr Duration kSession = std::chrono::seconds(10);

std::vector<Properties> parse_task_configs(const SendTaskConfigsToLeader& a) {
  // The model's task configs are {"tasks":"n","i":"k","v":"x"}: enough to count them and to make them again.
  std::vector<Properties> configs;
  std::size_t at = 0;
  const auto text = [&](const std::string& key, std::size_t from) {
    const std::size_t begin = a.body.find("\"" + key + "\":\"", from) + key.size() + 4;
    return a.body.substr(begin, a.body.find('"', begin) - begin);
  };
  while ((at = a.body.find('{', at)) != std::string::npos) {
    configs.push_back(Properties{{"tasks", text("tasks", at)}, {"i", text("i", at)}, {"v", text("v", at)}});
    ++at;
  }
  return configs;
}

Signature signature_of(const std::optional<SignedRequest>& signed_by, std::string body) {
  Signature signature;
  signature.body = std::move(body);
  if (signed_by) {
    signature.mac_base64 = signed_by->mac_base64;
    signature.algorithm = signed_by->algorithm;
  }
  return signature;
}

}  // namespace

// ---- the process ----

void Worker::start() {
  ++incarnation_;
  alive_ = true;
  paused_ = false;
  deferred_.clear();
  requests_.clear();
  connectors_.clear();
  tasks_.clear();
  plain_tasks_.clear();
  member_id_.clear();
  generation_ = kNoGeneration;
  ++session_;
  awaiting_join_ = rejoin_reported_ = false;
  leader_epoch_.reset();
  config_read_ = status_read_ = 0;
  Options options = world_.options;
  options.worker_id = id();
  options.advertised_url = url();
  herder_ = std::make_unique<Herder>(options);
  trace("starts");
  in(world_.chance.wait(50, 500), [this] {
    follow_config(world_.configs.size());
    follow_status();
    tell(StoresRead{});
  });
  in(kBeatEvery, [this] { beat(); });
}

void Worker::kill() {
  trace("is killed");
  alive_ = false;
  ++incarnation_;
  deferred_.clear();
  for (auto& [request, answered] : std::exchange(requests_, {})) answered(Error(ErrorKind::Unavailable, "connection reset"));
}

void Worker::pause() {
  trace("is paused");
  paused_ = true;
}

void Worker::resume() {
  trace("goes on");
  paused_ = false;
  for (auto& what : std::exchange(deferred_, {})) world_.schedule.after(Duration(0), std::move(what));
}

void Worker::shut_down() { tell(ShutdownRequested{}); }

void Worker::in(Duration wait, std::function<void()> what) {
  world_.schedule.after(wait, [this, incarnation = incarnation_, what = std::move(what)] {
    if (incarnation != incarnation_) return;
    if (paused_) {
      deferred_.push_back([this, incarnation, what] {
        if (incarnation == incarnation_) in(Duration(0), what);
      });
      return;
    }
    what();
  });
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
  const std::uint64_t incarnation = incarnation_;
  for (const Action& action : actions) {
    if (world_.traced()) trace("   " + describe(action));
    std::visit([this](const auto& a) { perform(a); }, action);
    if (incarnation != incarnation_) return;
  }
}

void Worker::set_timer() {
  const auto deadline = herder_->next_deadline();
  const std::uint64_t timer = ++timer_;
  if (!deadline) return;
  const auto wait = std::max(std::chrono::duration_cast<Duration>(*deadline - world_.schedule.now()), Duration(0));
  in(wait, [this, timer] {
    if (timer == timer_) tell(TimePassed{});
  });
}

void Worker::perform(const Terminate&) {
  trace("has ended");
  alive_ = false;
  ++incarnation_;
  for (auto& [request, answered] : std::exchange(requests_, {})) answered(Error(ErrorKind::Unavailable, "connection reset"));
}

void Worker::perform(const Note&) {}

// ---- topics ----

void Worker::follow_config(std::size_t end) {
  end = std::min(end, world_.configs.size());
  if (config_read_ >= end) return;
  ConfigRecordsRead read;
  const auto& records = world_.configs.records();
  read.records.assign(records.begin() + static_cast<std::ptrdiff_t>(config_read_),
                      records.begin() + static_cast<std::ptrdiff_t>(end));
  config_read_ = end;
  tell(read);
}

void Worker::follow_status() {
  if (status_read_ >= world_.statuses.size()) return;
  StatusRecordsRead read;
  const auto& records = world_.statuses.records();
  read.records.assign(records.begin() + static_cast<std::ptrdiff_t>(status_read_), records.end());
  status_read_ = records.size();
  tell(read);
}

void Worker::config_appended() {
  const bool slow = world_.chance.happens(world_.faults.slow_read);
  in(slow ? world_.chance.wait(1000, 9000) : world_.chance.wait(2, 60),
     [this, end = world_.configs.size()] { follow_config(end); });
}

void Worker::status_appended() {
  in(world_.chance.wait(2, 100), [this] { follow_status(); });
}

void Worker::perform(const ReadConfigLog& a) {
  const bool slow = world_.chance.happens(world_.faults.slow_read);
  if (slow) ++world_.counters_["slow read of the config topic"];
  in(world_.chance.wait(1, 20), [this, a, slow] {
    const std::size_t end = world_.configs.size();
    in(slow ? world_.chance.wait(1000, 9000) : world_.chance.wait(1, 30), [this, a, end] {
      follow_config(end);
      tell(ConfigLogEndReached{.request = a.request, .end = LogPosition{static_cast<std::int64_t>(end)}});
    });
  });
}

// Writes of one producer keep their order.
Time Worker::writes_free_at(Duration wait, Time& free_at) const {
  free_at = std::max(free_at, world_.schedule.now() + wait);
  return free_at;
}

void Worker::perform(const ClaimConfigLog&) {
  const Time at = writes_free_at(world_.chance.wait(2, 50), writes_free_at_);
  in(std::chrono::duration_cast<Duration>(at - world_.schedule.now()), [this] { leader_epoch_ = world_.configs.claim(); });
}

void Worker::perform(const ReleaseConfigLog&) {
  const Time at = writes_free_at(Duration(0), writes_free_at_);
  in(std::chrono::duration_cast<Duration>(at - world_.schedule.now()), [this] { leader_epoch_.reset(); });
}

void Worker::perform(const WriteConfigRecords& a) {
  const Time at = writes_free_at(world_.chance.wait(2, 40), a.as_leader ? writes_free_at_ : plain_writes_free_at_);
  in(std::chrono::duration_cast<Duration>(at - world_.schedule.now()), [this, a] {
    std::optional<Error> error;
    const bool transactional = a.as_leader && world_.options.exactly_once != ExactlyOnce::Disabled;
    const bool fenced = transactional && (!leader_epoch_ || !world_.configs.may_write_as_leader(*leader_epoch_));
    const bool fails = !fenced && world_.chance.happens(world_.faults.fail_write);
    if (fenced) {
      ++world_.counters_["leader fenced out of the config topic"];
      error = Error(ErrorKind::Fenced, "another leader claimed the config topic");
    } else if (fails) {
      ++world_.counters_["failed write"];
      error = Error(ErrorKind::Timeout, "the brokers did not answer");
    }
    if (!fenced && (!fails || world_.chance.happens(0.5))) world_.append(world_.configs, a.records);
    in(world_.chance.wait(1, 30), [this, a, error] { tell(ConfigWriteCompleted{.request = a.request, .error = error}); });
  });
}

void Worker::perform(const WriteStatusRecord& a) {
  const Time at = writes_free_at(world_.chance.wait(1, 30), statuses_free_at_);
  in(std::chrono::duration_cast<Duration>(at - world_.schedule.now()),
     [this, a] { world_.append(world_.statuses, {RecordToWrite{.key = a.key, .value = a.value}}); });
}

// ---- group ----

void Worker::perform(const JoinGroup& a) {
  awaiting_join_ = true;
  rejoin_reported_ = false;
  in(world_.chance.wait(2, 60), [this, a, session = session_] {
    if (session != session_) return;
    const std::uint64_t incarnation = incarnation_;
    member_id_ = world_.coordinator->join(member_id_, a.protocols, [this, incarnation, session](const Event& event) {
      if (incarnation != incarnation_) return;
      in(world_.chance.wait(1, 40), [this, session, event] { from_coordinator(session, event); });
    });
  });
}

void Worker::from_coordinator(std::uint64_t session, const Event& event) {
  if (session != session_) return;
  if (const auto* elected = std::get_if<LeaderElected>(&event)) {
    awaiting_join_ = false;
    generation_ = elected->generation;
    last_beat_ = world_.schedule.now();
    if (elected->members.empty()) return;
  } else if (const auto* assigned = std::get_if<AssignmentReceived>(&event)) {
    awaiting_join_ = false;
    generation_ = assigned->generation;
    last_beat_ = world_.schedule.now();
  } else {
    if (std::exchange(rejoin_reported_, true)) return;
  }
  tell(event);
}

void Worker::perform(const SendAssignments& a) {
  in(world_.chance.wait(1, 40), [this, a] {
    if (!world_.coordinator->sync(member_id_, a.generation, a.assignments)) {
      in(Duration(1), [this] { from_coordinator(session_, RejoinNeeded{"the round is over"}); });
    }
  });
}

void Worker::beat() {
  in(kBeatEvery, [this] { beat(); });
  if (member_id_.empty() || awaiting_join_) return;
  if (world_.schedule.now() - last_beat_ > kSession)
    return lose_membership("no heartbeat was answered within the session timeout");
  send_beat(std::nullopt);
}

void Worker::send_beat(std::optional<RequestId> confirm) {
  if (world_.chance.happens(world_.faults.lose_beat) && !confirm) return;
  in(world_.chance.wait(1, 30), [this, session = session_, confirm] {
    const auto beat = session == session_ ? world_.coordinator->heartbeat(member_id_, generation_) : Coordinator::Beat::Unknown;
    in(world_.chance.wait(1, 30), [this, session, confirm, beat, generation = generation_] {
      if (session != session_) return;
      if (beat == Coordinator::Beat::Unknown)
        return awaiting_join_ ? void() : lose_membership("the coordinator does not know this member");
      last_beat_ = world_.schedule.now();
      if (confirm) tell(MembershipConfirmed{.request = *confirm, .generation = generation});
      if (beat == Coordinator::Beat::Rejoin && !awaiting_join_ && !std::exchange(rejoin_reported_, true))
        tell(RejoinNeeded{"the group rebalances"});
    });
  });
}

void Worker::perform(const ConfirmMembership& a) {
  if (member_id_.empty()) {
    in(Duration(1), [this] { lose_membership("not a member"); });
    return;
  }
  // While a join is under way the next answer of the coordinator tells: ask again until then.
  if (awaiting_join_) {
    in(Duration(200), [this, a] { perform(a); });
    return;
  }
  send_beat(a.request);
}

void Worker::lose_membership(const std::string& reason) {
  ++world_.counters_["membership lost"];
  member_id_.clear();
  generation_ = kNoGeneration;
  ++session_;
  awaiting_join_ = rejoin_reported_ = false;
  tell(MembershipLost{reason});
}

void Worker::perform(const LeaveGroup&) {
  const std::string member = std::exchange(member_id_, {});
  ++session_;
  awaiting_join_ = rejoin_reported_ = false;
  world_.schedule.after(Duration(20), [this, member] { world_.coordinator->leave(member); });
}

// ---- requests ----

void Worker::request(Hop hop, const Request& what, Answered answered) {
  if (!alive_) return answered(Error(ErrorKind::Unavailable, "connection refused"));
  const RequestId id{1'000'000'000 + ++last_id_};
  requests_.emplace(id, std::move(answered));
  in(Duration(0), [this, id, hop, what] { tell(RequestReceived{.request = id, .hop = hop, .what = what}); });
}

void Worker::perform(const Reply& a) {
  const auto it = requests_.find(a.request);
  if (it == requests_.end()) return;
  const Answered answered = std::move(it->second);
  requests_.erase(it);
  answered(a.response);
}

void Worker::perform(const ValidateConfig& a) {
  in(world_.chance.wait(1, 300), [this, a] { tell(ConfigValidated{.request = a.request, .error = std::nullopt}); });
}

void Worker::answer_from_leader(RequestId request, const Response& response) {
  std::optional<Error> error;
  if (const auto* refused = std::get_if<Error>(&response)) error = *refused;
  in(Duration(1), [this, request, error] { tell(LeaderAnswered{.request = request, .error = error}); });
}

void Worker::perform(const AskLeaderToFence& a) {
  const FenceZombies what{.connector = a.connector, .signature = signature_of(a.signature, "")};
  world_.forward(a.leader_url, Hop::FromClient, what,
                 [this, incarnation = incarnation_, request = a.request](const Response& response) {
                   if (incarnation == incarnation_) answer_from_leader(request, response);
                 });
}

void Worker::perform(const SendTaskConfigsToLeader& a) {
  const PublishTaskConfigs what{
      .connector = a.connector, .configs = parse_task_configs(a), .signature = signature_of(a.signature, a.body)};
  world_.forward(a.leader_url, Hop::FromClient, what,
                 [this, incarnation = incarnation_, request = a.request](const Response& response) {
                   if (incarnation == incarnation_) answer_from_leader(request, response);
                 });
}

void Worker::perform(const FenceProducers& a) {
  ++world_.counters_["fence of producers"];
  in(world_.chance.wait(5, 1500), [this, a] {
    for (const auto& id : a.transactional_ids) (void)world_.target.fence(id);
    in(world_.chance.wait(1, 30), [this, a] { tell(ProducersFenced{.request = a.request, .error = std::nullopt}); });
  });
}

void Worker::perform(const MakeSessionKey& a) {
  in(Duration(1), [this, a] {
    std::string key;
    while (key.size() < a.key_bytes) key += static_cast<char>('a' + world_.chance.between(0, 25));
    tell(SessionKeyMade{.request = a.request, .key = key});
  });
}

// ---- connectors and tasks ----

void Worker::report_connector(const std::string& name, RunId run, TargetState target) {
  const RunState state = target == TargetState::Started  ? RunState::Running
                         : target == TargetState::Paused ? RunState::Paused
                                                         : RunState::Stopped;
  in(world_.chance.wait(1, 200), [this, name, run, state] {
    const auto it = connectors_.find(name);
    if (it == connectors_.end() || it->second.run != run) return;
    tell(ConnectorStateChanged{.connector = name, .run = run, .state = state, .trace = ""});
  });
}

void Worker::perform(const StartConnector& a) {
  if (connectors_.contains(a.connector))
    world_.violations_.push_back(id() + " started connector " + a.connector + " beside a run of it");
  connectors_[a.connector] = {.run = a.run, .target = a.target};
  report_connector(a.connector, a.run, a.target);
}

void Worker::perform(const StopConnector& a) {
  in(world_.chance.wait(1, 500), [this, a] {
    connectors_.erase(a.connector);
    tell(ConnectorEnded{.connector = a.connector, .run = a.run});
  });
}

void Worker::perform(const ChangeConnectorTarget& a) {
  connectors_[a.connector].target = a.target;
  report_connector(a.connector, a.run, a.target);
}

void Worker::perform(const GenerateTaskConfigs& a) {
  in(world_.chance.wait(1, 300), [this, a] {
    TaskConfigsGenerated generated{.connector = a.connector, .run = a.run, .configs = std::vector<Properties>{}};
    if (world_.chance.happens(world_.faults.fail_generate)) {
      generated.configs = failure(ErrorKind::Failed, "the source system is away");
    } else {
      const std::string tasks = a.config.get_or("tasks.max", "1");
      for (int i = 0; i < std::stoi(tasks); ++i) {
        generated.configs->push_back(
            Properties{{"tasks", tasks}, {"i", std::to_string(i)}, {"v", a.config.get_or("task.setting", "0")}});
      }
    }
    tell(generated);
  });
}

// Judged by the log itself, as far as this worker has read it: the task count must be recorded after the newest commit of tasks.
void Worker::check_fence_before(const StartTask& a) {
  const std::string& name = a.task.connector;
  if (world_.configs.newest_place("tasks-fencing-" + name, config_read_) <
      world_.configs.newest_place("commit-" + name, config_read_)) {
    world_.violations_.push_back(id() + " started " + a.task.to_string() + " before its fence");
  }
}

void Worker::perform(const StartTask& a) {
  ++world_.counters_["task started"];
  if (tasks_.contains(a.task) || plain_tasks_.contains(a.task)) {
    world_.violations_.push_back(id() + " started task " + a.task.to_string() + " beside a run of it");
  }
  if (!a.exactly_once) {
    plain_tasks_[a.task][a.run] = a.target;
    in(world_.chance.wait(5, 500), [this, a] {
      if (!plain_tasks_.contains(a.task) || !plain_tasks_[a.task].contains(a.run)) return;
      const TargetState target = plain_tasks_[a.task][a.run];
      tell(TaskStateChanged{.task = a.task,
                            .run = a.run,
                            .state = target == TargetState::Started ? RunState::Running : RunState::Paused,
                            .trace = ""});
    });
    return;
  }
  check_fence_before(a);
  TaskWorld world{.schedule = world_.schedule,
                  .chance = world_.chance,
                  .target = world_.target,
                  .counters = world_.counters_,
                  .in = [this](Duration wait, std::function<void()> what) { in(wait, std::move(what)); },
                  .report =
                      [this](const Event& event) {
                        if (const auto* ended = std::get_if<TaskEnded>(&event)) {
                          auto& runs = tasks_[ended->task];
                          runs.erase(ended->run);
                          if (runs.empty()) tasks_.erase(ended->task);
                        }
                        in(Duration(0), [this, event] { tell(event); });
                      },
                  .next_request = [this] { return RequestId{2'000'000'000 + ++last_id_}; },
                  .worker = id()};
  const auto task = std::make_shared<SourceTask>(std::move(world), a, world_.options.group_id);
  tasks_[a.task][a.run] = task;
  task->start();
}

void Worker::perform(const StopTask& a) {
  if (const auto it = plain_tasks_.find(a.task); it != plain_tasks_.end() && it->second.contains(a.run)) {
    in(world_.chance.wait(1, 500), [this, a] {
      plain_tasks_.erase(a.task);
      TaskEnded ended;
      ended.task = a.task;
      ended.run = a.run;
      tell(ended);
    });
    return;
  }
  if (const auto it = tasks_.find(a.task); it != tasks_.end() && it->second.contains(a.run)) it->second[a.run]->stop();
}

void Worker::perform(const ChangeTaskTarget& a) {
  if (const auto it = plain_tasks_.find(a.task); it != plain_tasks_.end() && it->second.contains(a.run)) {
    it->second[a.run] = a.target;
    in(world_.chance.wait(1, 100), [this, a] {
      if (!plain_tasks_.contains(a.task)) return;
      tell(TaskStateChanged{.task = a.task,
                            .run = a.run,
                            .state = a.target == TargetState::Started ? RunState::Running : RunState::Paused,
                            .trace = ""});
    });
    return;
  }
  if (const auto it = tasks_.find(a.task); it != tasks_.end() && it->second.contains(a.run))
    it->second[a.run]->set_target(a.target);
}

void Worker::perform(const AnswerOwnership& a) {
  if (const auto it = tasks_.find(a.task); it != tasks_.end() && it->second.contains(a.run)) {
    const auto task = it->second[a.run];
    in(Duration(0), [task, a] { task->ownership_answered(a.request, a.superseded); });
  }
}

std::map<TaskId, int> Worker::live_tasks() const {
  std::map<TaskId, int> live;
  if (!alive_) return live;
  for (const auto& [task, runs] : tasks_) {
    for (const auto& [run, source] : runs) live[task] += source->running() ? 1 : 0;
  }
  for (const auto& [task, runs] : plain_tasks_) live[task] += static_cast<int>(runs.size());
  return live;
}

std::vector<std::string> Worker::live_connectors() const {
  std::vector<std::string> names;
  if (!alive_) return names;
  for (const auto& [name, connector] : connectors_) names.push_back(name);
  return names;
}

}  // namespace fencepost::simulation
