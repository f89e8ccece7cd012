#include "simulation.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "protocol/config_state.h"
#include "protocol/status_state.h"

namespace fencepost::simulation {

using namespace herder;

namespace {

constexpr Duration kRetention = std::chrono::seconds(10);  ///< delete.retention.ms
constexpr const char* kProtocols[] = {"sessioned", "sessioned", "compatible", "eager"};

}  // namespace

Simulation::Simulation(std::uint64_t seed, Trace trace, Breaches broken)
    : chance(seed),
      breaches(broken),
      trace_(std::move(trace)),
      started_(schedule.now()),
      compacts_(seed % 4 == 3),
      removes_tombstones_(seed % 8 == 7),
      mixes_protocols_(seed % 5 == 2) {
  Options options;
  options.group_id = "g";
  rolls_out_ = chance.happens(0.15);
  options.exactly_once = !rolls_out_ && chance.happens(0.85) ? ExactlyOnce::Enabled : ExactlyOnce::Disabled;
  options.connect_protocol = kProtocols[chance.between(0, 3)];
  options.scheduled_rebalance_max_delay = std::chrono::seconds(chance.between(0, 4) * 15);
  options.worker_unsync_backoff = std::chrono::seconds(chance.between(1, 30));
  options.session_keys.ttl = chance.happens(0.2) ? Duration(2000) : Duration(std::chrono::hours(1));
  options.plugins = PluginTable({{"S", {.java_class = "S", .kind = ConnectorKind::Source, .version = "1"}},
                                 {"K", {.java_class = "K", .kind = ConnectorKind::Sink, .version = "1"}}});
  coordinator = std::make_unique<Coordinator>(schedule, kSessionTimeout, options.rebalance_timeout);
  // Small clusters are the rule, and seven workers the most.
  const auto count = std::min(chance.between(1, 7), chance.between(1, 7));
  for (int i = 0; i < count; ++i) {
    workers.push_back(std::make_unique<Worker>(*this, i));
    options_[workers.back()->id()] = options;
    if (mixes_protocols_) options_[workers.back()->id()].connect_protocol = kProtocols[chance.between(0, 3)];
  }
  for (auto& worker : workers) worker->start();
  tick();
}

const Options& Simulation::options_of(const std::string& worker) const { return options_.at(worker); }

std::size_t Simulation::config_read_by(const std::string& worker) const {
  for (const auto& w : workers) {
    if (w->id() == worker) return w->stores().config_read();
  }
  return 0;
}

std::string Simulation::settings() const {
  const Options& options = options_.begin()->second;
  return std::to_string(workers.size()) + " workers, " + (mixes_protocols_ ? "mixed protocols" : options.connect_protocol) +
         (rolls_out_                                     ? ", roll-out"
          : options.exactly_once == ExactlyOnce::Enabled ? ", enabled"
                                                         : ", disabled") +
         (removes_tombstones_ ? ", compaction that removes tombstones"
          : compacts_         ? ", compaction"
                              : "") +
         ", rebalance delay " + std::to_string(options.scheduled_rebalance_max_delay.count()) + " ms";
}

void Simulation::trace(const std::string& who, const std::string& text) const {
  if (!trace_) return;
  char place[48];
  std::snprintf(place, sizeof place, "%10lld ms  %-3s ", static_cast<long long>((schedule.now() - started_).count()),
                who.c_str());
  trace_(place + text);
}

void Simulation::tick() {
  target.expire(schedule.now(), SourceTask::kTransactionTimeout);
  schedule.after(std::chrono::seconds(1), [this] { tick(); });
}

void Simulation::append(Log& log, const std::vector<RecordToWrite>& records) {
  for (const auto& record : records) log.append(record.key, record.value);
  for (auto& worker : workers) {
    if (!worker->alive()) continue;
    if (&log == &configs) {
      worker->stores().config_appended();
    } else {
      worker->stores().status_appended();
    }
  }
}

Worker* Simulation::worker_at(const std::string& url) const {
  for (const auto& worker : workers) {
    if (worker->url() == url) return worker.get();
  }
  return nullptr;
}

void Simulation::forward(const std::string& url, Hop hop, const Request& what, const Peers::Answered& answered) {
  // The first answer counts; a lost one becomes a timeout.
  const auto once = std::make_shared<Peers::Answered>(answered);
  const auto answer = [once](const Response& response) {
    if (const auto first = std::exchange(*once, nullptr)) first(response);
  };
  const auto deliver = [this, url, hop, what, answer] {
    Worker* worker = worker_at(url);
    if (worker == nullptr) return answer(Error(ErrorKind::Unavailable, "no such host"));
    worker->peers().request(hop, what, [this, hop, what, answer](const Response& response) {
      const auto* to = std::get_if<ForwardTo>(&response);
      if (to != nullptr) return forward(to->url, hop == Hop::FromClient ? Hop::Forwarded : Hop::ForwardedTwice, what, answer);
      if (chance.happens(faults.lose_forward)) {
        ++counters_["answer of a worker lost"];
        return;
      }
      schedule.after(chance.wait(1, 40), [answer, response] { answer(response); });
    });
  };
  schedule.after(std::chrono::seconds(20), [answer] { answer(Error(ErrorKind::Timeout, "no answer")); });
  if (chance.happens(faults.lose_forward)) {
    ++counters_["request to a worker lost"];
    return;
  }
  schedule.after(chance.wait(1, 40), deliver);
  if (chance.happens(faults.double_forward)) {
    ++counters_["request to a worker doubled"];
    schedule.after(chance.wait(1, 4000), deliver);
  }
}

void Simulation::one_operation() {
  const std::string name(1, static_cast<char>('a' + chance.between(0, 3)));
  Properties config{{"name", name},
                    {"connector.class", chance.happens(0.85) ? "S" : "K"},
                    {"tasks.max", std::to_string(chance.between(1, 4))},
                    {"task.setting", std::to_string(chance.between(0, 1))}};
  if (chance.happens(0.3)) config.set("value.converter", std::to_string(++connector_versions_));
  // The kind of a connector does not change under its name.
  config.set("connector.class", name == "d" ? "K" : "S");
  Request what = PutConnectorConfig{name, config};
  switch (chance.between(0, 15)) {
    case 0:
    case 1:
      what = DeleteConnector{name};
      break;
    case 2:
      what = SetTargetState{name, TargetState::Paused};
      break;
    case 3:
    case 4:
      what = SetTargetState{name, TargetState::Started};
      break;
    case 5:
      what = SetTargetState{name, TargetState::Stopped};
      break;
    case 6:
      what = RestartConnector{name, chance.happens(0.3), chance.happens(0.5)};
      break;
    case 7:
      what = RestartTask{{name, static_cast<std::int32_t>(chance.between(0, 2))}};
      break;
    case 8:
      what = CreateConnector{name, config, chance.happens(0.3) ? std::optional(TargetState::Stopped) : std::nullopt};
      break;
    case 9:
      what = PatchConnectorConfig{name, {{"task.setting", std::to_string(chance.between(0, 1))}}};
      break;
    case 10:
      return change_offsets(name);
    default:
      break;
  }
  send(what);
}

// As a user does it: stop, change, resume; impatiently, so that the one may overtake the other.
void Simulation::change_offsets(const std::string& name) {
  send(SetTargetState{name, TargetState::Stopped});
  schedule.after(chance.wait(100, 6000), [this, name] { send(AlterOffsets{name, std::nullopt}); });
  schedule.after(chance.wait(2000, 15'000), [this, name] { send(SetTargetState{name, TargetState::Started}); });
}

void Simulation::send(const Request& what) {
  ++counters_["request"];
  forward(any_worker().url(), Hop::FromClient, what, [this](const Response& response) {
    const auto* error = std::get_if<Error>(&response);
    ++counters_[error == nullptr ? "request served" : "request refused: " + std::string(to_string(error->kind()))];
  });
}

Worker& Simulation::any_worker() {
  return *workers[static_cast<std::size_t>(chance.between(0, static_cast<std::int64_t>(workers.size()) - 1))];
}

void Simulation::resume_later(Worker& worker) {
  ++counters_["worker paused"];
  schedule.after(Duration(chance.happens(0.5) ? chance.between(500, 12'000) : chance.between(12'000, 90'000)), [w = &worker] {
    if (w->paused()) w->resume();
  });
}

void Simulation::start_later(Worker& worker) {
  schedule.after(Duration(chance.between(500, 40'000)), [w = &worker] {
    if (!w->alive()) w->start();
  });
}

// One worker after the other is restarted as `preparing`, and when all of them are, one after the other as `enabled`.
void Simulation::roll_out() {
  const auto lowest = (*std::ranges::min_element(workers, {}, [](const auto& w) { return w->runs_with(); }))->runs_with();
  if (lowest == ExactlyOnce::Enabled) return;
  for (auto& worker : workers) {
    ExactlyOnce& next = options_.at(worker->id()).exactly_once;
    if (worker->runs_with() != lowest || next != lowest || !worker->alive() || worker->paused()) continue;
    next = lowest == ExactlyOnce::Disabled ? ExactlyOnce::Preparing : ExactlyOnce::Enabled;
    ++counters_[next == ExactlyOnce::Enabled ? "worker restarted as enabled" : "worker restarted as preparing"];
    return worker->shut_down();
  }
}

// A rolling upgrade or downgrade: one worker after the other is restarted with another `connect.protocol`, then a next one
// begins.
void Simulation::change_protocol() {
  const auto has_it = [&](const auto& w) { return options_.at(w->id()).connect_protocol == next_protocol_; };
  if (next_protocol_.empty() || std::ranges::all_of(workers, has_it)) next_protocol_ = kProtocols[chance.between(0, 3)];
  for (auto& worker : workers) {
    if (has_it(worker) || !worker->alive() || worker->paused()) continue;
    options_.at(worker->id()).connect_protocol = next_protocol_;
    ++counters_["worker restarted with another connect.protocol"];
    return worker->shut_down();
  }
}

void Simulation::clean_logs() {
  ++counters_["config topic compacted"];
  configs.compact(static_cast<std::size_t>(chance.between(0, static_cast<std::int64_t>(configs.size()))));
  if (!removes_tombstones_) return;
  statuses.compact(static_cast<std::size_t>(chance.between(0, static_cast<std::int64_t>(statuses.size()))));
  // A worker that starts reads what is there when it does so, as one that has lagged for longer than the retention.
  std::size_t configs_read = configs.size();
  std::size_t statuses_read = statuses.size();
  for (const auto& worker : workers) {
    if (!worker->alive()) continue;
    configs_read = std::min(configs_read, worker->stores().config_read());
    statuses_read = std::min(statuses_read, worker->stores().status_read());
  }
  counters_["tombstone removed from the config topic"] += configs.remove_tombstones(schedule.now(), kRetention, configs_read);
  counters_["tombstone removed from the status topic"] += statuses.remove_tombstones(schedule.now(), kRetention, statuses_read);
}

void Simulation::one_fault() {
  Worker& worker = any_worker();
  if (!worker.alive() || worker.paused()) return;
  if (chance.happens(0.35)) {
    worker.pause();
    return resume_later(worker);
  }
  if (chance.happens(0.25)) {
    ++counters_["worker cut off from the coordinator"];
    return worker.group().cut_off_until(schedule.now() + chance.wait(2000, 60'000));
  }
  if (chance.happens(0.3)) {
    ++counters_["worker shut down"];
    return worker.shut_down();  // started again once it has ended
  } else {
    ++counters_["worker killed"];
    worker.kill();
  }
  start_later(worker);
}

void Simulation::storm(Duration length) {
  faults = {.lose_forward = chance.happens(0.5) ? 0.1 : 0.0,
            .double_forward = chance.happens(0.5) ? 0.1 : 0.0,
            .fail_write = chance.happens(0.4) ? 0.03 : 0.0,
            .slow_read = chance.happens(0.4) ? 0.05 : 0.0,
            .fail_generate = chance.happens(0.3) ? 0.1 : 0.0,
            .lose_beat = chance.happens(0.3) ? 0.2 : 0.0,
            .slow_fence = chance.happens(0.3) ? 0.3 : 0.0,
            .fail_fence = chance.happens(0.3) ? 0.1 : 0.0,
            .stumble_in_offsets = chance.happens(0.4) ? 0.3 : 0.0,
            .stumble = chance.happens(0.4) ? 0.03 : 0.0};
  const Time end = schedule.now() + length;
  while (schedule.now() < end) {
    if (chance.happens(0.7)) one_operation();
    if (chance.happens(0.12)) one_fault();
    if (compacts_ && chance.happens(0.15)) clean_logs();
    if (rolls_out_ && chance.happens(0.4)) roll_out();
    if (mixes_protocols_ && chance.happens(0.15)) change_protocol();
    schedule.run_until(schedule.now() + chance.wait(50, 8000));
  }
}

void Simulation::heal() {
  faults = {};
  for (auto& worker : workers) {
    worker->group().cut_off_until(schedule.now());
    if (worker->paused()) worker->resume();
    if (!worker->alive()) worker->start();
  }
}

}  // namespace fencepost::simulation
