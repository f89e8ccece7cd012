#include "runtime/worker.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "runtime/connector_run.h"
#include "runtime/offset_change_permits.h"
#include "runtime/offset_requests.h"
#include "runtime/scheduler.h"
#include "runtime/sink_task_run.h"
#include "runtime/source_task_run.h"

namespace fencepost::runtime {

namespace {

/// Threads that stay when nothing is to do.
constexpr std::size_t kThreadsKept = 2;
/// A change of offsets that hears nothing from the herder for so long is not made.
constexpr Duration kPermitPatience{30'000};

/// Calls a function once, at a time.
class Alarm final : public Job {
 public:
  explicit Alarm(std::function<void()> ring) : ring_(std::move(ring)) {}
  Steady::time_point turn() override {
    ring_();
    return Steady::time_point::max();
  }

 private:
  std::function<void()> ring_;
};

}  // namespace

class Worker::Body {
 public:
  Body(WorkerOptions options, WorkerPorts ports, Log log, Report report)
      : options_(std::move(options)),
        ports_(std::move(ports)),
        log_(std::move(log)),
        report_([this, report = std::move(report)](herder::Event event) {
          if (!closed_) report(std::move(event));
        }),
        scheduler_(kThreadsKept) {}

  ~Body() {
    closed_ = true;
    permits_.close();
    for (auto& [task, run] : tasks_) run->stop();
    for (auto& [name, run] : connectors_) run->stop();
    scheduler_.stop(Steady::now() + options_.graceful_shutdown_timeout);
  }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  bool operator()(const herder::StartConnector& order) {
    forget_ended();
    auto run = std::make_shared<ConnectorRun>(order, surroundings(order.connector + "|worker"));
    replace(connectors_, order.connector, run);
    run->begin();
    return true;
  }
  bool operator()(const herder::StopConnector& order) {
    if (const auto run = find(connectors_, order.connector)) {
      run->stop();
      at(options_.graceful_shutdown_timeout, [run] { run->give_up(); });
    } else {
      report_(herder::ConnectorEnded{order.connector, order.run});
    }
    return true;
  }
  bool operator()(const herder::ChangeConnectorTarget& order) {
    if (const auto run = find(connectors_, order.connector)) run->change_target(order.target);
    return true;
  }
  bool operator()(const herder::GenerateTaskConfigs& order) {
    if (const auto run = find(connectors_, order.connector)) {
      run->generate_task_configs(order.config);
    } else {
      report_(herder::TaskConfigsGenerated{
          order.connector, order.run, failure(ErrorKind::Unavailable, "connector " + order.connector + " does not run here")});
    }
    return true;
  }

  bool operator()(const herder::StartTask& order) {
    forget_ended();
    const RunSurroundings around = surroundings(fmt::format("{}|task-{}", order.task.connector, order.task.task));
    std::shared_ptr<TaskRun> run;
    if (ports_.plugins->find(PluginKind::Sink, order.connector_config.get_or("connector.class", "")) != nullptr) {
      run = std::make_shared<SinkTaskRun>(order, around);
    } else {
      run = std::make_shared<SourceTaskRun>(order, around);
    }
    replace(tasks_, order.task, run);
    scheduler_.wake(run);
    return true;
  }
  bool operator()(const herder::StopTask& order) {
    if (const auto run = find(tasks_, order.task)) {
      run->stop();
      // The clients' waiting is cut short while there is still time to end in order.
      at(options_.graceful_shutdown_timeout * 3 / 4, [run] {
        if (!run->ended()) run->hurry();
      });
      at(options_.graceful_shutdown_timeout, [run] { run->give_up(); });
    } else {
      report_(herder::TaskEnded{order.task, order.run});
    }
    return true;
  }
  bool operator()(const herder::ChangeTaskTarget& order) {
    if (const auto run = find(tasks_, order.task)) run->change_target(order.target);
    return true;
  }
  bool operator()(const herder::HoldTask& order) {
    if (const auto run = find(tasks_, order.task)) run->hold();
    return true;
  }
  bool operator()(const herder::AnswerOwnership& order) {
    const auto run = find(tasks_, order.task);
    if (run && run->run() == order.run)
      run->answer_ownership(order.request, {.superseded = order.superseded, .late_fence_possible = order.late_fence_possible});
    return true;
  }
  bool operator()(const herder::ReadOffsets& order) {
    scheduler_.run([this, order] {
      report_(herder::OffsetsAnswered{order.request, read_offsets(options_, ports_, log_, order.connector, order.config)});
    });
    return true;
  }
  bool operator()(const herder::ChangeOffsets& order) {
    scheduler_.run([this, order] {
      const auto may_change = [this, &order] {
        return permits_.wait(order.request, kPermitPatience, [&] {
          report_(herder::OffsetChangeAsked{order.request, order.connector});
        });
      };
      report_(herder::OffsetsAnswered{
          order.request, change_offsets(options_, ports_, log_, order.connector, order.config, order.offsets_json, may_change)});
    });
    return true;
  }
  bool operator()(const herder::AnswerOffsetChange& order) {
    permits_.answer(order.request, order.refused);
    return true;
  }
  template <class Other>
  bool operator()(const Other&) {
    return false;
  }

  [[nodiscard]] std::shared_ptr<TransactionBoard> transactions() const { return transactions_; }

 private:
  RunSurroundings surroundings(const std::string& context) {
    return {options_, ports_, scheduler_, *transactions_, log_.with_context(context), report_};
  }

  template <class Key, class Run>
  std::shared_ptr<Run> find(const std::map<Key, std::shared_ptr<Run>>& runs, const Key& key) const {
    const auto found = runs.find(key);
    return found == runs.end() || found->second->ended() ? nullptr : found->second;
  }

  /// The herder starts a second run only after the first one's end; one that was given up may still hold a thread.
  template <class Key, class Run>
  void replace(std::map<Key, std::shared_ptr<Run>>& runs, const Key& key, std::shared_ptr<Run> run) {
    auto& place = runs[key];
    if (place && !place->ended()) place->stop();
    place = std::move(run);
  }

  void forget_ended() {
    std::erase_if(tasks_, [](const auto& entry) { return entry.second->ended(); });
    std::erase_if(connectors_, [](const auto& entry) { return entry.second->ended(); });
  }

  void at(Duration delay, std::function<void()> ring) {
    scheduler_.wake_at(std::make_shared<Alarm>(std::move(ring)), Steady::now() + delay);
  }

  const WorkerOptions options_;
  const WorkerPorts ports_;
  const Log log_;
  std::atomic<bool> closed_ = false;
  const Worker::Report report_;
  const std::shared_ptr<TransactionBoard> transactions_ = std::make_shared<TransactionBoard>();
  OffsetChangePermits permits_;
  std::map<TaskId, std::shared_ptr<TaskRun>> tasks_;
  std::map<std::string, std::shared_ptr<ConnectorRun>> connectors_;
  Scheduler scheduler_;
};

Worker::Worker(WorkerOptions options, WorkerPorts ports, Log log, Report report)
    : body_(std::make_unique<Body>(std::move(options), std::move(ports), std::move(log), std::move(report))) {}
Worker::~Worker() = default;

bool Worker::execute(const herder::Action& action) { return std::visit(*body_, action); }

std::shared_ptr<TransactionBoard> Worker::transactions() const { return body_->transactions(); }

}  // namespace fencepost::runtime
