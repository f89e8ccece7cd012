#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/properties.h"
#include "herder/requests.h"

namespace fencepost::herder {

// Actions are orders for the shell, carried out in their order. Each that has an answer names the event that brings it.

/// A line for the log: the core itself writes none.
struct Note {
  LogLevel level = LogLevel::Info;
  std::string context;
  std::string text;
  friend bool operator==(const Note&, const Note&) = default;
};

// ---- config and status topics ----
/// Read to the present end -> ConfigLogEndReached.
struct ReadConfigLog {
  RequestId request;
  friend bool operator==(const ReadConfigLog&, const ReadConfigLog&) = default;
};
struct RecordToWrite {
  std::string key;
  std::optional<std::string> value;
  friend bool operator==(const RecordToWrite&, const RecordToWrite&) = default;
};
/// Through the leader's producer (one transaction where that is transactional) or the plain one -> ConfigWriteCompleted.
struct WriteConfigRecords {
  RequestId request;
  std::vector<RecordToWrite> records;
  bool as_leader = true;
  friend bool operator==(const WriteConfigRecords&, const WriteConfigRecords&) = default;
};
/// Claim the leader's transactional id (preparing and enabled) so that the previous leader is fenced out of the log; no answer.
struct ClaimConfigLog {
  friend bool operator==(const ClaimConfigLog&, const ClaimConfigLog&) = default;
};
/// This worker leads no more: drop the leader's producer.
struct ReleaseConfigLog {
  friend bool operator==(const ReleaseConfigLog&, const ReleaseConfigLog&) = default;
};
/// No answer; it is retried only while no newer record of the key was ordered.
struct WriteStatusRecord {
  std::string key;
  std::optional<std::string> value;
  friend bool operator==(const WriteStatusRecord&, const WriteStatusRecord&) = default;
};

// ---- group ----
struct MetadataOfProtocol {
  std::string protocol;
  std::string metadata;
  friend bool operator==(const MetadataOfProtocol&, const MetadataOfProtocol&) = default;
};
/// (Re)join; the first protocol is the preferred one -> LeaderElected and AssignmentReceived, or RejoinNeeded, or MembershipLost.
struct JoinGroup {
  std::vector<MetadataOfProtocol> protocols;
  friend bool operator==(const JoinGroup&, const JoinGroup&) = default;
};
/// The leader's answer of a round: assignment bytes by member id.
struct SendAssignments {
  Generation generation;
  std::map<std::string, std::string> assignments;
  friend bool operator==(const SendAssignments&, const SendAssignments&) = default;
};
/// Send a heartbeat now -> MembershipConfirmed, or MembershipLost. A worker that was paused believes in a membership that it may
/// have lost long ago; before a task may take its transactional id from somebody, the coordinator is asked.
struct ConfirmMembership {
  RequestId request;
  friend bool operator==(const ConfirmMembership&, const ConfirmMembership&) = default;
};
struct LeaveGroup {
  std::string reason;
  friend bool operator==(const LeaveGroup&, const LeaveGroup&) = default;
};

// ---- clients ----
struct Reply {
  RequestId request;
  Response response;
  friend bool operator==(const Reply&, const Reply&) = default;
};
/// Ask the plugins, on a thread of theirs -> ConfigValidated.
struct ValidateConfig {
  RequestId request;
  std::string connector;
  Properties config;
  friend bool operator==(const ValidateConfig&, const ValidateConfig&) = default;
};
/// -> OffsetsAnswered with the offsets as JSON text.
struct ReadOffsets {
  RequestId request;
  std::string connector;
  Properties config;
  friend bool operator==(const ReadOffsets&, const ReadOffsets&) = default;
};
/// Alter (JSON text) or reset (nothing) the offsets of a stopped connector -> OffsetChangeAsked once the producer has fenced the
/// id of the connector's first task, and OffsetsAnswered with the message to show.
struct ChangeOffsets {
  RequestId request;
  std::string connector;
  Properties config;
  std::optional<std::string> offsets_json;
  friend bool operator==(const ChangeOffsets&, const ChangeOffsets&) = default;
};

/// Answer to OffsetChangeAsked: write them (nothing), or why they must be left as they are, which OffsetsAnswered then hands on.
struct AnswerOffsetChange {
  RequestId request;
  std::optional<Error> refused;
  friend bool operator==(const AnswerOffsetChange&, const AnswerOffsetChange&) = default;
};

// ---- other workers ----
struct SignedRequest {
  std::string algorithm;
  std::string mac_base64;
  friend bool operator==(const SignedRequest&, const SignedRequest&) = default;
};
/// PUT leader/connectors/C/fence -> LeaderAnswered.
struct AskLeaderToFence {
  RequestId request;
  std::string leader_url;
  std::string connector;
  std::optional<SignedRequest> signature;
  friend bool operator==(const AskLeaderToFence&, const AskLeaderToFence&) = default;
};
/// POST leader/connectors/C/tasks with this body, which is what was signed -> LeaderAnswered.
struct SendTaskConfigsToLeader {
  RequestId request;
  std::string leader_url;
  std::string connector;
  std::string body;
  std::optional<SignedRequest> signature;
  friend bool operator==(const SendTaskConfigsToLeader&, const SendTaskConfigsToLeader&) = default;
};
/// InitProducerId for each -> ProducersFenced.
struct FenceProducers {
  RequestId request;
  std::string connector;
  std::vector<std::string> transactional_ids;
  Properties config{};  ///< the connector's: it may write to another Kafka, whose coordinators know the ids
  friend bool operator==(const FenceProducers&, const FenceProducers&) = default;
};
/// -> SessionKeyMade.
struct MakeSessionKey {
  RequestId request;
  std::string algorithm;
  std::size_t key_bytes = 32;
  friend bool operator==(const MakeSessionKey&, const MakeSessionKey&) = default;
};

// ---- connectors and tasks ----
/// -> ConnectorStateChanged (running, paused, stopped or failed). A connector whose target is STOPPED is not instantiated: the
/// runtime reports Stopped at once.
struct StartConnector {
  std::string connector;
  RunId run;
  Properties config;
  TargetState target = TargetState::Started;
  friend bool operator==(const StartConnector&, const StartConnector&) = default;
};
/// -> ConnectorEnded, always.
struct StopConnector {
  std::string connector;
  RunId run;
  friend bool operator==(const StopConnector&, const StopConnector&) = default;
};
/// -> ConnectorStateChanged.
struct ChangeConnectorTarget {
  std::string connector;
  RunId run;
  TargetState target = TargetState::Started;
  friend bool operator==(const ChangeConnectorTarget&, const ChangeConnectorTarget&) = default;
};
/// -> TaskConfigsGenerated. The runtime adds task.class and nothing else; `tasks_max` bounds the list (KIP-1004).
struct GenerateTaskConfigs {
  std::string connector;
  RunId run;
  Properties config;
  friend bool operator==(const GenerateTaskConfigs&, const GenerateTaskConfigs&) = default;
};

/// -> TaskStateChanged, and TaskEnded at its end. `exactly_once`: source tasks of a worker that is `enabled`; the connector has
/// been fenced already and the task fences its own id, asks OwnershipAsked, then reads its offsets.
struct StartTask {
  TaskId task;
  RunId run;
  Properties connector_config;
  Properties task_config;
  TargetState target = TargetState::Started;
  bool exactly_once = false;
  friend bool operator==(const StartTask&, const StartTask&) = default;
};
/// -> TaskEnded, always, at the latest when the shell has given up on it.
struct StopTask {
  TaskId task;
  RunId run;
  friend bool operator==(const StopTask&, const StopTask&) = default;
};
struct ChangeTaskTarget {
  TaskId task;
  RunId run;
  TargetState target = TargetState::Started;
  friend bool operator==(const ChangeTaskTarget&, const ChangeTaskTarget&) = default;
};
/// The config of the task's connector has changed and a new plan follows: what the source offers from now on is the next run's.
/// The task reads nothing for as long as a plan usually takes, then goes on, as the new config may never make a plan.
struct HoldTask {
  TaskId task;
  RunId run;
  friend bool operator==(const HoldTask&, const HoldTask&) = default;
};
/// Still the owner (nothing), or why not: the task then ends without writing any status. `late_fence_possible`: the group has, or
/// had, another worker, which may have been paused and fence what it believes its own, when it goes on, from its successor.
struct AnswerOwnership {
  TaskId task;
  RunId run;
  RequestId request;
  std::optional<std::string> superseded;
  bool late_fence_possible = false;
  friend bool operator==(const AnswerOwnership&, const AnswerOwnership&) = default;
};

/// A level was set for the whole cluster (PUT /admin/loggers/NAMESPACE?scope=cluster): apply it to this worker's loggers.
struct SetLoggerLevel {
  std::string logger;
  std::string level;
  friend bool operator==(const SetLoggerLevel&, const SetLoggerLevel&) = default;
};

/// The worker is done: the process may end.
struct Terminate {
  friend bool operator==(const Terminate&, const Terminate&) = default;
};

using Action = std::variant<Note, ReadConfigLog, WriteConfigRecords, ClaimConfigLog, ReleaseConfigLog, WriteStatusRecord,
                            JoinGroup, SendAssignments, ConfirmMembership, LeaveGroup, Reply, ValidateConfig, ReadOffsets,
                            ChangeOffsets, AnswerOffsetChange, AskLeaderToFence, SendTaskConfigsToLeader, FenceProducers,
                            MakeSessionKey, StartConnector, StopConnector, ChangeConnectorTarget, GenerateTaskConfigs, StartTask,
                            StopTask, ChangeTaskTarget, HoldTask, AnswerOwnership, SetLoggerLevel, Terminate>;
using Actions = std::vector<Action>;

/// One line for traces; secrets and config values are left out.
[[nodiscard]] std::string describe(const Action& action);

}  // namespace fencepost::herder
