#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "coordinator.h"
#include "herder/options.h"
#include "logs.h"
#include "schedule.h"
#include "source_task.h"
#include "worker.h"

namespace fencepost::simulation {

/// What goes wrong, and how often.
struct Faults {
  double lose_forward = 0;    ///< a request between workers, or its answer, is lost
  double double_forward = 0;  ///< it arrives twice
  double fail_write = 0;      ///< a write to the config topic is reported as failed, though half of them are in
  double slow_read = 0;       ///< reading the config topic takes seconds
  double fail_generate = 0;   ///< a connector throws when it is asked for task configs
  double lose_beat = 0;       ///< a heartbeat or its answer is lost
};

/// Hears what happens, a line each.
using Trace = std::function<void(const std::string& line)>;

/// A world of workers, their group, their topics and the target of their tasks, all drawn from one seed.
class Simulation {
 public:
  /// `trace` is told each event and action; null: nobody is.
  explicit Simulation(std::uint64_t seed, Trace trace);

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
  Log configs;
  Log statuses;
  Target target;
  Counters counters_;
  herder::Options options;
  std::unique_ptr<Coordinator> coordinator;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::string> violations_;
  [[nodiscard]] bool traced() const { return trace_ != nullptr; }
  void trace(const std::string& who, const std::string& text) const;
  void append(Log& log, const std::vector<herder::RecordToWrite>& records);
  /// A request from worker to worker, with the faults of the network.
  void forward(const std::string& url, herder::Hop hop, const herder::Request& what, const Worker::Answered& answered);
  [[nodiscard]] Worker* worker_at(const std::string& url) const;

 private:
  void one_operation();
  void one_fault();
  void tick();

  Trace trace_;
  Time started_;
  int connector_versions_ = 0;
};

}  // namespace fencepost::simulation
