#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/properties.h"
#include "herder/requests.h"

namespace fencepost::herder {

// Events are facts that the shell reports to the herder; each answer to an action carries that action's RequestId or RunId.

/// A record of an internal topic, as it was read. Null key or value: absent.
struct TopicRecord {
  std::int32_t partition = 0;
  LogPosition offset = kNoPosition;
  std::int64_t timestamp_ms = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  friend bool operator==(const TopicRecord&, const TopicRecord&) = default;
};

/// All stores have been read to their ends for the first time; the worker may join its group.
struct StoresRead {
  friend bool operator==(const StoresRead&, const StoresRead&) = default;
};
/// A part of a worker that starts does something else now, or waits for somebody else; an empty `doing`: it has done its part.
struct StartStepTaken {
  std::string component;  ///< "config log"
  std::string doing;      ///< "reading the config topic 'connect-configs'"
  std::string waits_for;  ///< "a broker at localhost:9092 (bootstrap.servers)"; the wait goes on where only this changes
  friend bool operator==(const StartStepTaken&, const StartStepTaken&) = default;
};
/// The worker cannot start; whoever waits for it is told why.
struct StartFailed {
  std::string why;
  friend bool operator==(const StartFailed&, const StartFailed&) = default;
};
/// A deadline that next_deadline() named has come.
struct TimePassed {
  friend bool operator==(const TimePassed&, const TimePassed&) = default;
};
/// SIGTERM: stop everything, leave, end (or the deadline of task.shutdown.graceful.timeout.ms).
struct ShutdownRequested {
  friend bool operator==(const ShutdownRequested&, const ShutdownRequested&) = default;
};

// ---- config and status topics ----
struct ConfigRecordsRead {
  std::vector<TopicRecord> records;
  friend bool operator==(const ConfigRecordsRead&, const ConfigRecordsRead&) = default;
};
/// Answer to ReadConfigLog: all records up to the end at the time of asking were reported before. `end` is that end.
struct ConfigLogEndReached {
  RequestId request;
  Result<LogPosition> end = kNoPosition;
  friend bool operator==(const ConfigLogEndReached&, const ConfigLogEndReached&) = default;
};
/// Answer to WriteConfigRecords.
struct ConfigWriteCompleted {
  RequestId request;
  std::optional<Error> error;
  friend bool operator==(const ConfigWriteCompleted&, const ConfigWriteCompleted&) = default;
};
struct StatusRecordsRead {
  std::vector<TopicRecord> records;
  friend bool operator==(const StatusRecordsRead&, const StatusRecordsRead&) = default;
};

// ---- group ----
/// A heartbeat or another answer of the coordinator said that the group rebalances, or the first coordinator was found.
struct RejoinNeeded {
  std::string reason;
  friend bool operator==(const RejoinNeeded&, const RejoinNeeded&) = default;
};
struct GroupMember {
  std::string id;
  std::string metadata;
  friend bool operator==(const GroupMember&, const GroupMember&) = default;
};
/// This worker was elected; it must answer with SendAssignments.
struct LeaderElected {
  Generation generation;
  std::string member_id;
  std::string protocol;  ///< "eager" is "default" on the wire
  std::vector<GroupMember> members;
  friend bool operator==(const LeaderElected&, const LeaderElected&) = default;
};
struct AssignmentReceived {
  Generation generation;
  std::string member_id;
  std::string protocol;
  std::string assignment;  ///< the bytes of src/protocol
  friend bool operator==(const AssignmentReceived&, const AssignmentReceived&) = default;
};
/// The coordinator does not know this member any more, or no heartbeat got through for the session timeout.
struct MembershipLost {
  std::string reason;
  friend bool operator==(const MembershipLost&, const MembershipLost&) = default;
};
/// Answer to ConfirmMembership: a heartbeat that was sent after the order was answered by the coordinator, for this generation.
/// That the group rebalances counts too: the member is one still. Where it is none any more, MembershipLost comes instead.
struct MembershipConfirmed {
  RequestId request;
  Generation generation;
  friend bool operator==(const MembershipConfirmed&, const MembershipConfirmed&) = default;
};
/// For /health only.
struct CoordinatorChanged {
  std::optional<std::string> coordinator;
  std::string reason;
  friend bool operator==(const CoordinatorChanged&, const CoordinatorChanged&) = default;
};

// ---- clients ----
struct RequestReceived {
  RequestId request;
  Hop hop = Hop::FromClient;
  Request what;
  friend bool operator==(const RequestReceived&, const RequestReceived&) = default;
};
/// Answer to ValidateConfig: nothing, or the message that REST shows with 400.
struct ConfigValidated {
  RequestId request;
  std::optional<Error> error;
  friend bool operator==(const ConfigValidated&, const ConfigValidated&) = default;
};
/// Answer to ReadOffsets and ChangeOffsets.
struct OffsetsAnswered {
  RequestId request;
  Result<std::string> text;
  friend bool operator==(const OffsetsAnswered&, const OffsetsAnswered&) = default;
};

/// All is ready to write the offsets that ChangeOffsets ordered: is the connector still stopped, and this worker the one to write
/// them? Time may have passed since the order. Answered by AnswerOffsetChange after the coordinator and the config log were
/// asked.
struct OffsetChangeAsked {
  RequestId request;
  std::string connector;
  friend bool operator==(const OffsetChangeAsked&, const OffsetChangeAsked&) = default;
};

// ---- other workers ----
/// Answer to AskLeaderToFence or SendTaskConfigsToLeader.
struct LeaderAnswered {
  RequestId request;
  std::optional<Error> error;
  friend bool operator==(const LeaderAnswered&, const LeaderAnswered&) = default;
};
/// Answer to FenceProducers: all the ids were bumped, or the first failure.
struct ProducersFenced {
  RequestId request;
  std::optional<Error> error;
  friend bool operator==(const ProducersFenced&, const ProducersFenced&) = default;
};
/// Answer to MakeSessionKey: fresh random bytes.
struct SessionKeyMade {
  RequestId request;
  Result<std::string> key;
  friend bool operator==(const SessionKeyMade&, const SessionKeyMade&) = default;
};

// ---- connectors and tasks that run here ----
/// States that the runtime reports; the herder makes status records of them.
enum class RunState : std::uint8_t { Running, Paused, Stopped, Failed, Restarting };

struct ConnectorStateChanged {
  std::string connector;
  RunId run;
  RunState state = RunState::Running;
  std::string trace;
  friend bool operator==(const ConnectorStateChanged&, const ConnectorStateChanged&) = default;
};
/// The connector has ended after StopConnector and touches nothing any more.
struct ConnectorEnded {
  std::string connector;
  RunId run;
  friend bool operator==(const ConnectorEnded&, const ConnectorEnded&) = default;
};
/// The connector called requestTaskReconfiguration().
struct TaskReconfigurationRequested {
  std::string connector;
  RunId run;
  friend bool operator==(const TaskReconfigurationRequested&, const TaskReconfigurationRequested&) = default;
};
/// Answer to GenerateTaskConfigs.
struct TaskConfigsGenerated {
  std::string connector;
  RunId run;
  Result<std::vector<Properties>> configs;
  friend bool operator==(const TaskConfigsGenerated&, const TaskConfigsGenerated&) = default;
};
struct TaskStateChanged {
  TaskId task;
  RunId run;
  RunState state = RunState::Running;
  std::string trace;
  friend bool operator==(const TaskStateChanged&, const TaskStateChanged&) = default;
};
/// The task has ended (after StopTask, by failing, or because it was superseded) and holds no client any more.
struct TaskEnded {
  TaskId task;
  RunId run;
  friend bool operator==(const TaskEnded&, const TaskEnded&) = default;
};
/// An exactly-once task asks whether it is still the rightful owner of its transactional id; answered by AnswerOwnership after
/// the config log has been read to its end.
struct OwnershipAsked {
  TaskId task;
  RunId run;
  RequestId request;
  friend bool operator==(const OwnershipAsked&, const OwnershipAsked&) = default;
};
/// A task used a topic for the first time (topic.tracking.enable).
struct TopicUsed {
  TaskId task;
  RunId run;
  std::string topic;
  friend bool operator==(const TopicUsed&, const TopicUsed&) = default;
};

using Event =
    std::variant<StoresRead, StartStepTaken, StartFailed, TimePassed, ShutdownRequested, ConfigRecordsRead, ConfigLogEndReached,
                 ConfigWriteCompleted, StatusRecordsRead, RejoinNeeded, LeaderElected, AssignmentReceived, MembershipLost,
                 MembershipConfirmed, CoordinatorChanged, RequestReceived, ConfigValidated, OffsetsAnswered, OffsetChangeAsked,
                 LeaderAnswered, ProducersFenced, SessionKeyMade, ConnectorStateChanged, ConnectorEnded,
                 TaskReconfigurationRequested, TaskConfigsGenerated, TaskStateChanged, TaskEnded, OwnershipAsked, TopicUsed>;

/// One line for traces of the simulation and debug logs; secrets and config values are left out.
[[nodiscard]] std::string describe(const Event& event);

}  // namespace fencepost::herder
