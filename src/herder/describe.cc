#include <string>
#include <variant>

#include "herder/actions.h"
#include "herder/events.h"

namespace fencepost::herder {

namespace {

std::string of(RequestId id) { return "#" + id.to_string(); }
std::string of(RunId id) { return "run " + id.to_string(); }
std::string of(const std::optional<Error>& error) { return error ? ": " + error->message() : std::string(); }

std::string of(TargetState state) {
  switch (state) {
    case TargetState::Started:
      return "STARTED";
    case TargetState::Paused:
      return "PAUSED";
    case TargetState::Stopped:
      return "STOPPED";
  }
  return "?";
}

std::string of(RunState state) {
  switch (state) {
    case RunState::Running:
      return "RUNNING";
    case RunState::Paused:
      return "PAUSED";
    case RunState::Stopped:
      return "STOPPED";
    case RunState::Failed:
      return "FAILED";
    case RunState::Restarting:
      return "RESTARTING";
  }
  return "?";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string keys_of(const std::vector<RecordToWrite>& records) {
  std::string keys;
  for (const auto& record : records) keys += (keys.empty() ? "" : ", ") + record.key + (record.value ? "" : " (tombstone)");
  return keys;
}

struct DescribeRequest {
  std::string operator()(const ListConnectors&) const { return "ListConnectors"; }
  std::string operator()(const GetConnector& r) const { return "GetConnector " + r.name; }
  std::string operator()(const GetConnectorConfig& r) const { return "GetConnectorConfig " + r.name; }
  std::string operator()(const GetConnectorStatus& r) const { return "GetConnectorStatus " + r.name; }
  std::string operator()(const GetTaskConfigs& r) const { return "GetTaskConfigs " + r.name; }
  std::string operator()(const GetTaskStatus& r) const { return "GetTaskStatus " + r.task.to_string(); }
  std::string operator()(const GetActiveTopics& r) const { return "GetActiveTopics " + r.name; }
  std::string operator()(const GetOffsets& r) const { return "GetOffsets " + r.name; }
  std::string operator()(const GetHealth&) const { return "GetHealth"; }
  std::string operator()(const CreateConnector& r) const { return "CreateConnector " + r.name; }
  std::string operator()(const PutConnectorConfig& r) const { return "PutConnectorConfig " + r.name; }
  std::string operator()(const PatchConnectorConfig& r) const { return "PatchConnectorConfig " + r.name; }
  std::string operator()(const DeleteConnector& r) const { return "DeleteConnector " + r.name; }
  std::string operator()(const SetTargetState& r) const { return "SetTargetState " + r.name + " " + of(r.state); }
  std::string operator()(const RestartConnector& r) const {
    return "RestartConnector " + r.name + (r.only_failed ? " only failed" : "") + (r.include_tasks ? " with tasks" : "");
  }
  std::string operator()(const RestartTask& r) const { return "RestartTask " + r.task.to_string(); }
  std::string operator()(const ResetActiveTopics& r) const { return "ResetActiveTopics " + r.name; }
  std::string operator()(const AlterOffsets& r) const { return (r.offsets_json ? "AlterOffsets " : "ResetOffsets ") + r.name; }
  std::string operator()(const SetClusterLoggerLevel& r) const { return "SetClusterLoggerLevel " + r.logger + " " + r.level; }
  std::string operator()(const PublishTaskConfigs& r) const {
    return "PublishTaskConfigs " + r.connector + " (" + std::to_string(r.configs.size()) + ")";
  }
  std::string operator()(const FenceZombies& r) const { return "FenceZombies " + r.connector; }
};

struct DescribeResponse {
  std::string operator()(const Done&) const { return "Done"; }
  std::string operator()(const Accepted&) const { return "Accepted"; }
  std::string operator()(const Names& r) const { return "Names (" + std::to_string(r.names.size()) + ")"; }
  std::string operator()(const ConnectorInfo& r) const { return "ConnectorInfo " + r.name; }
  std::string operator()(const Created& r) const { return "Created " + r.info.name; }
  std::string operator()(const Config&) const { return "Config"; }
  std::string operator()(const ConnectorStatus& r) const { return "ConnectorStatus " + r.name + " " + r.connector.state; }
  std::string operator()(const TaskConfigs& r) const { return "TaskConfigs (" + std::to_string(r.tasks.size()) + ")"; }
  std::string operator()(const TaskStateInfo& r) const { return "TaskStateInfo " + std::to_string(r.task) + " " + r.state.state; }
  std::string operator()(const ActiveTopics& r) const { return "ActiveTopics " + r.connector; }
  std::string operator()(const Offsets&) const { return "Offsets"; }
  std::string operator()(const Message& r) const { return "Message: " + r.text; }
  std::string operator()(const RestartPlanned& r) const { return "RestartPlanned " + r.status.name; }
  std::string operator()(const ForwardTo& r) const { return "ForwardTo " + r.url; }
  std::string operator()(const Health& r) const { return std::string("Health ") + (r.ready ? "ready" : "not ready"); }
  std::string operator()(const Error& r) const {
    return "Error " + std::string(to_string(r.kind())) + ": " + first_line(r.message());
  }
};

struct DescribeEvent {
  std::string operator()(const StoresRead&) const { return "StoresRead"; }
  std::string operator()(const StartStepTaken& e) const { return "StartStepTaken " + e.component + ": " + e.doing; }
  std::string operator()(const StartFailed& e) const { return "StartFailed " + e.why; }
  std::string operator()(const TimePassed&) const { return "TimePassed"; }
  std::string operator()(const ShutdownRequested&) const { return "ShutdownRequested"; }
  std::string operator()(const ConfigRecordsRead& e) const {
    std::string text = "ConfigRecordsRead";
    for (const auto& r : e.records)
      text += " " + r.offset.to_string() + ":" + r.key.value_or("null") + (r.value ? "" : " (tombstone)");
    return text;
  }
  std::string operator()(const ConfigLogEndReached& e) const {
    return "ConfigLogEndReached " + of(e.request) + (e.end ? " at " + e.end->to_string() : ": " + e.end.error().message());
  }
  std::string operator()(const ConfigWriteCompleted& e) const { return "ConfigWriteCompleted " + of(e.request) + of(e.error); }
  std::string operator()(const StatusRecordsRead& e) const {
    std::string text = "StatusRecordsRead";
    for (const auto& r : e.records) text += " " + r.key.value_or("null") + (r.value ? "" : " (tombstone)");
    return text;
  }
  std::string operator()(const RejoinNeeded& e) const { return "RejoinNeeded: " + e.reason; }
  std::string operator()(const LeaderElected& e) const {
    return "LeaderElected generation " + e.generation.to_string() + " " + e.protocol + ", " + std::to_string(e.members.size()) +
           " members";
  }
  std::string operator()(const AssignmentReceived& e) const {
    return "AssignmentReceived generation " + e.generation.to_string();
  }
  std::string operator()(const MembershipLost& e) const { return "MembershipLost: " + e.reason; }
  std::string operator()(const MembershipConfirmed& e) const {
    return "MembershipConfirmed " + of(e.request) + " generation " + e.generation.to_string();
  }
  std::string operator()(const CoordinatorChanged& e) const {
    return "CoordinatorChanged " + e.coordinator.value_or("none") + ": " + e.reason;
  }
  std::string operator()(const RequestReceived& e) const {
    return "RequestReceived " + of(e.request) + " " + std::visit(DescribeRequest{}, e.what);
  }
  std::string operator()(const ConfigValidated& e) const {
    return "ConfigValidated " + of(e.request) + (e.error ? " refused" : "");
  }
  std::string operator()(const OffsetsAnswered& e) const {
    return "OffsetsAnswered " + of(e.request) + (e.text ? "" : ": " + e.text.error().message());
  }
  std::string operator()(const OffsetChangeAsked& e) const { return "OffsetChangeAsked " + of(e.request) + " " + e.connector; }
  std::string operator()(const LeaderAnswered& e) const { return "LeaderAnswered " + of(e.request) + of(e.error); }
  std::string operator()(const ProducersFenced& e) const { return "ProducersFenced " + of(e.request) + of(e.error); }
  std::string operator()(const SessionKeyMade& e) const {
    return "SessionKeyMade " + of(e.request) + (e.key ? "" : ": " + e.key.error().message());
  }
  std::string operator()(const ConnectorStateChanged& e) const {
    return "ConnectorStateChanged " + e.connector + " " + of(e.run) + " " + of(e.state) + " " + first_line(e.trace);
  }
  std::string operator()(const ConnectorEnded& e) const { return "ConnectorEnded " + e.connector + " " + of(e.run); }
  std::string operator()(const TaskReconfigurationRequested& e) const {
    return "TaskReconfigurationRequested " + e.connector + " " + of(e.run);
  }
  std::string operator()(const TaskConfigsGenerated& e) const {
    return "TaskConfigsGenerated " + e.connector + " " + of(e.run) +
           (e.configs ? " (" + std::to_string(e.configs->size()) + ")" : ": " + e.configs.error().message());
  }
  std::string operator()(const TaskStateChanged& e) const {
    return "TaskStateChanged " + e.task.to_string() + " " + of(e.run) + " " + of(e.state) + " " + first_line(e.trace);
  }
  std::string operator()(const TaskEnded& e) const { return "TaskEnded " + e.task.to_string() + " " + of(e.run); }
  std::string operator()(const OwnershipAsked& e) const {
    return "OwnershipAsked " + e.task.to_string() + " " + of(e.run) + " " + of(e.request);
  }
  std::string operator()(const TopicUsed& e) const { return "TopicUsed " + e.task.to_string() + " " + e.topic; }
};

struct DescribeAction {
  std::string operator()(const Note& a) const { return "Note: " + a.text; }
  std::string operator()(const ReadConfigLog& a) const { return "ReadConfigLog " + of(a.request); }
  std::string operator()(const WriteConfigRecords& a) const {
    return "WriteConfigRecords " + of(a.request) + (a.as_leader ? " as leader: " : ": ") + keys_of(a.records);
  }
  std::string operator()(const ClaimConfigLog&) const { return "ClaimConfigLog"; }
  std::string operator()(const ReleaseConfigLog&) const { return "ReleaseConfigLog"; }
  std::string operator()(const WriteStatusRecord& a) const {
    return "WriteStatusRecord " + a.key + (a.value ? " " + first_line(*a.value).substr(0, 80) : " (tombstone)");
  }
  std::string operator()(const JoinGroup&) const { return "JoinGroup"; }
  std::string operator()(const SendAssignments& a) const { return "SendAssignments generation " + a.generation.to_string(); }
  std::string operator()(const ConfirmMembership& a) const { return "ConfirmMembership " + of(a.request); }
  std::string operator()(const LeaveGroup& a) const { return "LeaveGroup: " + a.reason; }
  std::string operator()(const Reply& a) const {
    return "Reply " + of(a.request) + " " + std::visit(DescribeResponse{}, a.response);
  }
  std::string operator()(const ValidateConfig& a) const { return "ValidateConfig " + of(a.request) + " " + a.connector; }
  std::string operator()(const ReadOffsets& a) const { return "ReadOffsets " + of(a.request) + " " + a.connector; }
  std::string operator()(const ChangeOffsets& a) const { return "ChangeOffsets " + of(a.request) + " " + a.connector; }
  std::string operator()(const AnswerOffsetChange& a) const {
    return "AnswerOffsetChange " + of(a.request) + (a.refused ? of(a.refused) : " go on");
  }
  std::string operator()(const AskLeaderToFence& a) const {
    return "AskLeaderToFence " + of(a.request) + " " + a.connector + " at " + a.leader_url;
  }
  std::string operator()(const SendTaskConfigsToLeader& a) const {
    return "SendTaskConfigsToLeader " + of(a.request) + " " + a.connector + " at " + a.leader_url;
  }
  std::string operator()(const FenceProducers& a) const {
    return "FenceProducers " + of(a.request) + " " + a.connector + " (" + std::to_string(a.transactional_ids.size()) + ")";
  }
  std::string operator()(const MakeSessionKey& a) const { return "MakeSessionKey " + of(a.request); }
  std::string operator()(const StartConnector& a) const {
    return "StartConnector " + a.connector + " " + of(a.run) + " " + of(a.target);
  }
  std::string operator()(const StopConnector& a) const { return "StopConnector " + a.connector + " " + of(a.run); }
  std::string operator()(const ChangeConnectorTarget& a) const {
    return "ChangeConnectorTarget " + a.connector + " " + of(a.run) + " " + of(a.target);
  }
  std::string operator()(const GenerateTaskConfigs& a) const { return "GenerateTaskConfigs " + a.connector + " " + of(a.run); }
  std::string operator()(const StartTask& a) const {
    return "StartTask " + a.task.to_string() + " " + of(a.run) + " " + of(a.target) + (a.exactly_once ? " exactly once" : "");
  }
  std::string operator()(const StopTask& a) const { return "StopTask " + a.task.to_string() + " " + of(a.run); }
  std::string operator()(const ChangeTaskTarget& a) const {
    return "ChangeTaskTarget " + a.task.to_string() + " " + of(a.run) + " " + of(a.target);
  }
  std::string operator()(const HoldTask& a) const { return "HoldTask " + a.task.to_string() + " " + of(a.run); }
  std::string operator()(const AnswerOwnership& a) const {
    return "AnswerOwnership " + a.task.to_string() + " " + of(a.run) + " " + of(a.request) +
           (a.superseded ? ": " + *a.superseded : " owner");
  }
  std::string operator()(const SetLoggerLevel& a) const { return "SetLoggerLevel " + a.logger + " " + a.level; }
  std::string operator()(const Terminate&) const { return "Terminate"; }
};

}  // namespace

std::string describe(const Event& event) { return std::visit(DescribeEvent{}, event); }

std::string describe(const Action& action) { return std::visit(DescribeAction{}, action); }

}  // namespace fencepost::herder
