#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "herder/herder.h"
#include "source_task.h"

namespace fencepost::simulation {

class Simulation;

/// One worker process: a real herder, and models of its group client, stores, runtime and REST. It may be killed, started again,
/// and paused as by SIGSTOP: what would have happened meanwhile happens when it goes on.
class Worker {
 public:
  using Answered = std::function<void(const herder::Response&)>;

  Worker(Simulation& world, int index) : world_(world), index_(index) {}

  void start();
  void kill();
  void pause();
  void resume();
  void shut_down();
  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] bool paused() const { return paused_; }
  [[nodiscard]] std::string url() const { return "http://w" + std::to_string(index_) + ":8083/"; }
  [[nodiscard]] std::string id() const { return "w" + std::to_string(index_) + ":8083"; }
  /// A REST request reaches this worker; `answered` hears of its answer.
  void request(herder::Hop hop, const herder::Request& what, Answered answered);
  void config_appended();
  void status_appended();
  /// Tasks that run here now, with how many runs each has.
  [[nodiscard]] std::map<TaskId, int> live_tasks() const;
  [[nodiscard]] std::vector<std::string> live_connectors() const;

 private:
  friend class Simulation;
  struct Connector {
    RunId run;
    herder::TargetState target;
  };

  void in(Duration wait, std::function<void()> what);
  void tell(const herder::Event& event);
  void perform_all(const herder::Actions& actions);
  void set_timer();
  void trace(const std::string& text) const;
  void follow_config(std::size_t end);
  void follow_status();
  void beat();
  void send_beat(std::optional<RequestId> confirm);
  void lose_membership(const std::string& reason);
  void from_coordinator(std::uint64_t session, const herder::Event& event);
  void answer_from_leader(RequestId request, const herder::Response& response);

  void perform(const herder::Note& a);
  void perform(const herder::ReadConfigLog& a);
  void perform(const herder::WriteConfigRecords& a);
  void perform(const herder::ClaimConfigLog& a);
  void perform(const herder::ReleaseConfigLog& a);
  void perform(const herder::WriteStatusRecord& a);
  void perform(const herder::JoinGroup& a);
  void perform(const herder::SendAssignments& a);
  void perform(const herder::ConfirmMembership& a);
  void perform(const herder::LeaveGroup& a);
  void perform(const herder::Reply& a);
  void perform(const herder::ValidateConfig& a);
  void perform(const herder::ReadOffsets&) {}
  void perform(const herder::ChangeOffsets&) {}
  void perform(const herder::AskLeaderToFence& a);
  void perform(const herder::SendTaskConfigsToLeader& a);
  void perform(const herder::FenceProducers& a);
  void perform(const herder::MakeSessionKey& a);
  void perform(const herder::StartConnector& a);
  void perform(const herder::StopConnector& a);
  void perform(const herder::ChangeConnectorTarget& a);
  void perform(const herder::GenerateTaskConfigs& a);
  void perform(const herder::StartTask& a);
  void perform(const herder::StopTask& a);
  void perform(const herder::ChangeTaskTarget& a);
  void perform(const herder::AnswerOwnership& a);
  void perform(const herder::SetLoggerLevel&) {}
  void perform(const herder::Terminate& a);
  void report_connector(const std::string& name, RunId run, herder::TargetState target);
  void check_fence_before(const herder::StartTask& a);
  [[nodiscard]] Time writes_free_at(Duration wait, Time& free_at) const;

  Simulation& world_;
  int index_;
  bool alive_ = false;
  bool paused_ = false;
  std::uint64_t incarnation_ = 0;
  std::deque<std::function<void()>> deferred_;

  std::unique_ptr<herder::Herder> herder_;
  std::uint64_t timer_ = 0;
  std::uint64_t last_id_ = 0;
  std::map<RequestId, Answered> requests_;

  std::size_t config_read_ = 0;
  std::size_t status_read_ = 0;
  std::optional<std::int64_t> leader_epoch_;
  Time writes_free_at_{};
  Time plain_writes_free_at_{};
  Time statuses_free_at_{};

  std::string member_id_;
  Generation generation_ = kNoGeneration;
  std::uint64_t session_ = 0;  ///< of the membership: what was sent to an earlier one is dropped
  bool awaiting_join_ = false;
  bool rejoin_reported_ = false;
  Time last_beat_{};

  std::map<std::string, Connector> connectors_;
  std::map<TaskId, std::map<RunId, std::shared_ptr<SourceTask>>> tasks_;
  std::map<TaskId, std::map<RunId, herder::TargetState>> plain_tasks_;
};

}  // namespace fencepost::simulation
