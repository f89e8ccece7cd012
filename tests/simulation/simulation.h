#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "balance.h"
#include "breaches.h"
#include "coordinator.h"
#include "faults.h"
#include "herder/options.h"
#include "log.h"
#include "protocol/config_state.h"
#include "protocol/status_state.h"
#include "schedule.h"
#include "target.h"
#include "worker.h"

namespace fencepost::simulation {

/// Hears what happens, a line each.
using Trace = std::function<void(const std::string& line)>;

/// A world of workers, their group, their topics and the target of their tasks, all drawn from one seed.
class Simulation {
 public:
  static constexpr Duration kSessionTimeout = std::chrono::seconds(10);

  /// `trace` is told each event and action; null: nobody is.
  Simulation(std::uint64_t seed, Trace trace, Breaches breaches = {});

  /// Connectors are made, changed and deleted while workers die, sleep and cannot hear one another.
  void storm(Duration length);
  /// Everybody lives, nothing is lost any more, and there is time.
  void heal();
  /// What is wrong once it should have come to rest; empty: nothing.
  [[nodiscard]] std::vector<std::string> unrest() const;
  /// What must never have happened.
  [[nodiscard]] std::vector<std::string> violations() const;
  [[nodiscard]] bool come_to_rest(Duration within);
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::string settings() const;

  Schedule schedule;
  Chance chance;
  Faults faults;
  const Breaches breaches;
  Log configs;
  Log statuses;
  Target target;
  Counters counters_;
  std::unique_ptr<Coordinator> coordinator;
  std::vector<std::unique_ptr<Worker>> workers;
  [[nodiscard]] bool traced() const { return trace_ != nullptr; }
  void trace(const std::string& who, const std::string& text) const;
  void append(Log& log, const std::vector<herder::RecordToWrite>& records);
  /// A request from worker to worker, with the faults of the network.
  void forward(const std::string& url, herder::Hop hop, const herder::Request& what, const Peers::Answered& answered);
  void violation(const std::string& what) { violations_.push_back(what); }
  /// What a worker is started with.
  [[nodiscard]] const herder::Options& options_of(const std::string& worker) const;
  [[nodiscard]] std::size_t config_read_by(const std::string& worker) const;
  void start_later(Worker& worker);
  void resume_later(Worker& worker);
  [[nodiscard]] Worker* worker_at(const std::string& url) const;

 private:
  void one_operation();
  void change_offsets(const std::string& name);
  void send(const herder::Request& what);
  void one_fault();
  void roll_out();
  void change_protocol();
  void clean_logs();
  void tick();

  [[nodiscard]] Worker& any_worker();
  [[nodiscard]] bool all_work(const std::map<std::string, std::uint64_t>& commits_before) const;
  [[nodiscard]] std::vector<std::string> unrest_of(const std::string& connector, const protocol::ConfigState& configs,
                                                   const protocol::StatusState& statuses,
                                                   const std::map<TaskId, int>& tasks) const;

  /// The task configs of this connector are complete for a worker that starts now.
  [[nodiscard]] bool reads_whole_now(const std::string& connector) const;
  [[nodiscard]] std::vector<Share> shares(const protocol::ConfigState& configs, const protocol::StatusState& statuses) const;

  Trace trace_;
  std::map<std::string, herder::Options> options_;
  std::vector<std::string> violations_;
  Time started_;
  int connector_versions_ = 0;
  bool compacts_ = false;            ///< the config topic's log cleaner runs
  bool removes_tombstones_ = false;  ///< the status topic's too, and both take tombstones that are old
  bool rolls_out_ = false;           ///< exactly.once.source.support is raised, worker by worker
  bool mixes_protocols_ = false;     ///< workers differ in connect.protocol and are restarted with another
  std::string next_protocol_;
};

}  // namespace fencepost::simulation
