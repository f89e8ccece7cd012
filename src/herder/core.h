#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "herder/config_log.h"
#include "herder/config_writer.h"
#include "herder/fence_asker.h"
#include "herder/fencing.h"
#include "herder/herder.h"
#include "herder/membership.h"
#include "herder/ownership.h"
#include "herder/questions.h"
#include "herder/request_book.h"
#include "herder/session_keys.h"
#include "herder/status_board.h"
#include "herder/task_config_publisher.h"
#include "herder/turn.h"
#include "herder/workload.h"
#include "protocol/config_state.h"

namespace fencepost::herder {

/// The herder's machines and how they are joined: events go to the one whose question they answer, and what one decides reaches
/// the others here. Requests of clients are served here too (requests_*.cc), as each needs several machines.
class Herder::Core {
 public:
  explicit Core(Options options);

  Actions apply(const Event& event, Time now);
  [[nodiscard]] std::optional<Time> next_deadline() const;
  [[nodiscard]] std::shared_ptr<const View> view();

 private:
  enum class Life : std::uint8_t { Starting, Running, Stopping, Over };

  // ---- events (core.cc) ----
  void on(const StoresRead& e);
  void on(const StartStepTaken& e);
  void on(const StartFailed& e);
  void on(const TimePassed&) {}
  void on(const ShutdownRequested& e);
  void on(const ConfigRecordsRead& e);
  void on(const ConfigLogEndReached& e);
  void on(const ConfigWriteCompleted& e) { log_.on(e); }
  void on(const StatusRecordsRead& e);
  void on(const RejoinNeeded& e) { membership_.on(e); }
  void on(const LeaderElected& e) { membership_.on(e); }
  void on(const AssignmentReceived& e) { membership_.on(e); }
  void on(const MembershipLost& e) { membership_.on(e); }
  void on(const MembershipConfirmed& e) { membership_.on(e); }
  void on(const CoordinatorChanged& e) { membership_.on(e); }
  void on(const RequestReceived& e);
  void on(const ConfigValidated& e) { questions_.answer(e.request, answer_of(e.error)); }
  void on(const OffsetsAnswered& e) { questions_.answer(e.request, e.text); }
  void on(const OffsetChangeAsked& e);
  void on(const LeaderAnswered& e) { questions_.answer(e.request, answer_of(e.error)); }
  void on(const ProducersFenced& e) { fencing_.on(e); }
  void on(const SessionKeyMade& e) { keys_.on(e); }
  void on(const ConnectorStateChanged& e) { workload_.on(e); }
  void on(const ConnectorEnded& e) { workload_.on(e); }
  void on(const TaskReconfigurationRequested& e);
  void on(const TaskConfigsGenerated& e) { publisher_.on(e); }
  void on(const TaskStateChanged& e) { workload_.on(e); }
  void on(const TaskEnded& e) { workload_.on(e); }
  void on(const OwnershipAsked& e) { ownership_.on(e); }
  void on(const TopicUsed& e) { workload_.on(e); }

  void on_config(const protocol::ConfigEvent& event);
  /// After a run of on_config(): what is done once for all of them.
  void configs_changed();
  void touched(const std::string& connector);
  void rejoin_if_work_changed();
  void run_ended();
  void group_settled();
  void leadership_lost();
  void run_due_timers();
  void go_on_stopping();
  void serve_held();
  void sweep_statuses();
  void restore_status(const std::string& connector);

  // ---- what several machines do together (cooperation.cc) ----
  void fence_through_leader(const std::string& connector, const Then& then);
  void publish_task_configs(const std::string& connector, const std::vector<Properties>& configs, const Then& then);
  void write_task_configs(const std::string& connector, const std::vector<Properties>& configs, const Then& then);
  /// Queues a change of the config topic: `go` runs as the leader with the log read to its end; or `refused` is told why not.
  void change_as_leader(const std::string& what, std::function<void(const Error&)> refused,
                        std::function<void(ConfigWriter::Done)> go);
  /// The same on behalf of a client.
  void change(RequestId request, const std::string& what, std::function<void(ConfigWriter::Done)> go);
  void apply_restart(const protocol::RestartRequest& request);

  // ---- requests (requests_read.cc, requests_change.cc, requests_restart.cc) ----
  void serve(const RequestReceived& e);
  void serve(const RequestReceived& e, const ListConnectors& r);
  void serve(const RequestReceived& e, const GetConnector& r);
  void serve(const RequestReceived& e, const GetConnectorConfig& r);
  void serve(const RequestReceived& e, const GetConnectorStatus& r);
  void serve(const RequestReceived& e, const GetTaskConfigs& r);
  void serve(const RequestReceived& e, const GetTaskStatus& r);
  void serve(const RequestReceived& e, const GetActiveTopics& r);
  void serve(const RequestReceived& e, const GetOffsets& r);
  void serve(const RequestReceived& e, const GetHealth& r);
  void serve(const RequestReceived& e, const CreateConnector& r);
  void serve(const RequestReceived& e, const PutConnectorConfig& r);
  void serve(const RequestReceived& e, const PatchConnectorConfig& r);
  void serve(const RequestReceived& e, const DeleteConnector& r);
  void serve(const RequestReceived& e, const SetTargetState& r);
  void serve(const RequestReceived& e, const RestartConnector& r);
  void serve(const RequestReceived& e, const RestartTask& r);
  void serve(const RequestReceived& e, const ResetActiveTopics& r);
  void serve(const RequestReceived& e, const AlterOffsets& r);
  void serve(const RequestReceived& e, const SetClusterLoggerLevel& r);
  void serve(const RequestReceived& e, const PublishTaskConfigs& r);
  void serve(const RequestReceived& e, const FenceZombies& r);
  void validate_then(RequestId request, const std::string& name, const Properties& config, std::function<void()> then);
  void write_config(RequestId request, const std::string& name, const Properties& config, std::optional<TargetState> initial,
                    bool must_be_new);
  void patch(RequestId request, const PatchConnectorConfig& r, int attempts_left);
  void stop_connector(RequestId request, const std::string& name);
  void change_offsets(RequestId request, const AlterOffsets& r, bool fenced);
  [[nodiscard]] std::optional<std::string> bars_offset_change(const OffsetChangeAsked& e) const;
  /// True if this worker leads; otherwise the request was answered (forwarded, refused).
  bool leads_or_forwards(const RequestReceived& e);
  void forward(const RequestReceived& e, const std::string& url);
  bool known_or_404(RequestId request, const std::string& name, const std::string& before, const std::string& after);
  [[nodiscard]] ConnectorInfo info_of(const std::string& name) const;
  [[nodiscard]] ConnectorStatus planned(const std::string& name, const protocol::RestartRequest& request) const;

  // ---- health.cc ----
  [[nodiscard]] std::vector<Stage> stages() const;
  void add_life_stages(std::vector<Stage>& stages) const;
  [[nodiscard]] std::string stage_text() const;
  [[nodiscard]] Health health() const;

  Options options_;
  Turn turn_;
  protocol::ConfigState configs_;
  Questions questions_;
  ConfigLog log_;
  ConfigWriter writer_;
  StatusBoard board_;
  RequestBook book_;
  Workload workload_;
  Membership membership_;
  SessionKeys keys_;
  Fencing fencing_;
  FenceAsker fence_asker_;
  TaskConfigPublisher publisher_;
  Ownership ownership_;

  Life life_ = Life::Starting;
  Time life_since_{};
  struct StartStep {
    StartStepTaken told;
    Time since;  ///< when it began to do that, for whomever it waits
  };
  std::vector<StartStep> start_steps_;  ///< what the parts of a starting worker still do
  std::optional<Time> stop_deadline_;
  std::set<std::string> touched_;    ///< by the records at hand
  std::set<std::string> committed_;  ///< connectors whose tasks they committed
  bool reading_records_ = false;     ///< what they say in the end is not known yet: nothing is started
  bool sweeping_ = false;            ///< the config topic is being read to its end for it
  std::vector<std::pair<std::string, std::function<void()>>> when_no_tasks_run_;
  std::map<std::string, std::int32_t>
      known_work_;  ///< connectors with their runnable tasks, as the group was last told to meet for
  std::set<std::string> stale_views_;
  std::set<std::string> warned_of_fence_;  ///< connectors whose fence an enabled worker asked of this disabled leader
  std::shared_ptr<const View> view_ = std::make_shared<const View>();
};

}  // namespace fencepost::herder
