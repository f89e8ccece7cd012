#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assignor/work.h"
#include "herder/events.h"
#include "herder/options.h"
#include "herder/status_board.h"
#include "herder/turn.h"
#include "protocol/config_state.h"

namespace fencepost::herder {

struct WorkloadHooks {
  std::function<Generation()> generation;
  /// Whether this worker has a valid place in its group: nothing is started without one.
  std::function<bool()> may_start;
  /// A connector runs and may be asked for task configs.
  std::function<void(const std::string& connector)> connector_runs;
  /// Source tasks of this connector wait until its earlier producers are fenced; asked often, to be done once.
  std::function<void(const std::string& connector)> fence;
  /// A run is over.
  std::function<void()> ended;
};

/// What must run here, and what does: it starts, stops and restarts connectors and tasks until the two agree. A run that is to be
/// replaced is stopped, and only when it has ended does the next one start, so that there never are two of a task (B05).
class Workload {
 public:
  Workload(Turn& turn, const Options& options, const protocol::ConfigState& configs, StatusBoard& board, WorkloadHooks hooks);

  /// Run exactly this from now on. What is `fresh` is started even where an earlier run of it has ended by itself.
  void set_assigned(const assignor::Work& assigned, const assignor::Work& fresh);
  void config_changed(const std::string& connector);
  void tasks_changed(const std::string& connector);
  void target_changed(const std::string& connector);
  /// Start what has waited for the fence.
  void fenced(const std::string& connector);
  /// The fence cannot be had: the tasks that wait for it have failed.
  void not_fenced(const std::string& connector, const Error& error);
  void stop_everything();
  /// What has not ended yet is taken for gone.
  void give_up_stopping();
  /// Starts may go on: the worker has its place in the group (again).
  void resume_starts() { reconcile_all(); }
  /// Says again how its runs are where an earlier owner had the last word: a worker that was away keeps what nobody took over for
  /// good, but its stand-in may have written that it stopped. What had failed here and ran elsewhere meanwhile is started anew.
  /// Call it when the group has settled, and when statuses have been read since.
  void reassert_states();
  void reassert_states(const std::string& connector);
  /// Whether a run of this connector has said how it is, and no status of it is left: somebody removed it by mistake.
  [[nodiscard]] bool misses_a_status(const std::string& connector) const;
  /// Says it again. Call it after the config topic has been read to its end, for the connector may be gone.
  void restore_statuses(const std::string& connector);
  void on_time();
  [[nodiscard]] std::optional<Time> next_deadline() const;

  /// A new run; `started` is called when it has been ordered, or cannot be any more.
  void restart(const std::string& connector, std::function<void()> started);
  void restart(const TaskId& task, std::function<void()> started);

  void on(const ConnectorStateChanged& e);
  void on(const ConnectorEnded& e);
  void on(const TaskStateChanged& e);
  void on(const TaskEnded& e);
  void on(const TopicUsed& e);

  [[nodiscard]] bool assigned(const std::string& connector) const;
  [[nodiscard]] bool assigned(const TaskId& task) const;
  /// Whether something runs that is not assigned here any more.
  [[nodiscard]] bool anything_unassigned_runs() const;
  [[nodiscard]] bool anything_runs() const;
  [[nodiscard]] bool tasks_run(const std::string& connector) const;
  /// The run of a connector that is up and is to be RUNNING.
  [[nodiscard]] std::optional<RunId> active_run(const std::string& connector) const;

  /// What a run of a task started with; nothing if it is not the current one, or is to end.
  struct StartedWith {
    std::optional<std::int32_t> task_config_generation;
  };
  [[nodiscard]] std::optional<StartedWith> current_run(const TaskId& task, RunId run) const;
  [[nodiscard]] std::optional<Stage> stage() const;

 private:
  struct Live {
    RunId run;
    std::uint64_t wish = 0;
    bool stopping = false;
    Time since{};
    TargetState target = TargetState::Started;
    std::optional<RunState> reported;
    std::optional<std::int32_t> task_config_generation;
  };
  struct Slot {
    bool assigned = false;
    std::uint64_t wish = 1;         ///< raised whenever a new run is wanted
    std::uint64_t served_wish = 0;  ///< that of the last run: none is started twice for the same
    std::optional<Live> live;
    std::optional<Time> not_before;  ///< after a run that ended without being asked to
    /// The trace of the last run, if it failed and none came after it.
    std::optional<std::string> failure;
    std::vector<std::function<void()>> started;
  };

  template <class Id>
  void assign(std::map<Id, Slot>& slots, const std::set<Id, assignor::JavaLess>& now,
              const std::set<Id, assignor::JavaLess>& fresh);
  void reconcile_all();
  void reconcile_tasks(const std::string& connector);
  void reconcile(const std::string& connector, Slot& slot);
  void reconcile(const TaskId& task, Slot& slot);
  void start(const std::string& connector, Slot& slot);
  void start(const TaskId& task, Slot& slot);
  [[nodiscard]] bool wanted(const std::string& connector, const Slot& slot) const;
  [[nodiscard]] bool wanted(const TaskId& task, const Slot& slot) const;
  [[nodiscard]] TargetState target_of(const std::string& connector) const;
  [[nodiscard]] bool exactly_once(const std::string& connector) const;
  void write_state(const protocol::StatusOwner& owner, Slot& slot, RunState state, const std::string& trace);
  /// Whether the newest status of it is another worker's, of an earlier generation.
  [[nodiscard]] bool another_had_it_since(const protocol::StatusOwner& owner) const;
  [[nodiscard]] bool another_gave_it_up_late(const protocol::StatusOwner& owner) const;
  /// Whether its newest run has said how it is, and is not to end.
  [[nodiscard]] static bool has_spoken(const Slot& slot);
  template <class Id>
  void reassert(const Id& id, Slot& slot);
  [[nodiscard]] bool misses_its_status(const protocol::StatusOwner& owner, const Slot& slot) const;
  void restore(const protocol::StatusOwner& owner, Slot& slot);
  void say_again(const protocol::StatusOwner& owner, const Slot& slot);
  void write_end(const protocol::StatusOwner& owner, const Live& live, bool runs_again);
  void drop_idle();
  static void tell_started(Slot& slot);

  Turn& turn_;
  const Options& options_;
  const protocol::ConfigState& configs_;
  StatusBoard& board_;
  WorkloadHooks hooks_;
  std::map<std::string, Slot> connectors_;
  std::map<TaskId, Slot> tasks_;
  bool stopping_everything_ = false;
};

/// Between the two vocabularies of target states, which say the same.
[[nodiscard]] TargetState target_of(protocol::TargetState state);
[[nodiscard]] protocol::TargetState target_of(TargetState state);

}  // namespace fencepost::herder
