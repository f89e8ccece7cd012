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

namespace fencepost::herder {

// What clients ask of the herder (the REST API, and other workers through it) and what it answers. Neither knows of HTTP:
// src/rest turns paths and bodies into these and answers into statuses and JSON.

/// Connect's own words for a request that came while the group, or another request, was about to change what it asks for. Tools
/// know it, so each refusal begins with it.
inline constexpr char kConflictingOperation[] =
    "Cannot complete request because of a conflicting operation (e.g. worker rebalance)";

/// STARTED is what the config topic calls RUNNING.
enum class TargetState : std::uint8_t { Started, Paused, Stopped };

enum class ConnectorKind : std::uint8_t { Source, Sink, Unknown };

/// How far a request has come from the client: the leader answers; a follower passes it on once, and that one never again.
enum class Hop : std::uint8_t { FromClient, Forwarded, ForwardedTwice };

// ---- reads ----
struct ListConnectors {
  friend bool operator==(const ListConnectors&, const ListConnectors&) = default;
};
struct GetConnector {
  std::string name;
  friend bool operator==(const GetConnector&, const GetConnector&) = default;
};
struct GetConnectorConfig {
  std::string name;
  friend bool operator==(const GetConnectorConfig&, const GetConnectorConfig&) = default;
};
struct GetConnectorStatus {
  std::string name;
  friend bool operator==(const GetConnectorStatus&, const GetConnectorStatus&) = default;
};
struct GetTaskConfigs {
  std::string name;
  friend bool operator==(const GetTaskConfigs&, const GetTaskConfigs&) = default;
};
struct GetTaskStatus {
  TaskId task;
  friend bool operator==(const GetTaskStatus&, const GetTaskStatus&) = default;
};
struct GetActiveTopics {
  std::string name;
  friend bool operator==(const GetActiveTopics&, const GetActiveTopics&) = default;
};
struct GetOffsets {
  std::string name;
  friend bool operator==(const GetOffsets&, const GetOffsets&) = default;
};
/// What the worker is doing and on whom it waits, for GET /health.
struct GetHealth {
  friend bool operator==(const GetHealth&, const GetHealth&) = default;
};

// ---- changes ----
/// POST /connectors. `config` holds the name too.
struct CreateConnector {
  std::string name;
  Properties config;
  std::optional<TargetState> initial_state;
  friend bool operator==(const CreateConnector&, const CreateConnector&) = default;
};
/// PUT .../config: creates or replaces.
struct PutConnectorConfig {
  std::string name;
  Properties config;
  friend bool operator==(const PutConnectorConfig&, const PutConnectorConfig&) = default;
};
/// PATCH .../config: null removes a key (KIP-477).
struct PatchConnectorConfig {
  std::string name;
  Properties patch;
  friend bool operator==(const PatchConnectorConfig&, const PatchConnectorConfig&) = default;
};
struct DeleteConnector {
  std::string name;
  friend bool operator==(const DeleteConnector&, const DeleteConnector&) = default;
};
struct SetTargetState {
  std::string name;
  TargetState state = TargetState::Started;
  friend bool operator==(const SetTargetState&, const SetTargetState&) = default;
};
/// POST .../restart (KIP-745).
struct RestartConnector {
  std::string name;
  bool only_failed = false;
  bool include_tasks = false;
  friend bool operator==(const RestartConnector&, const RestartConnector&) = default;
};
struct RestartTask {
  TaskId task;
  friend bool operator==(const RestartTask&, const RestartTask&) = default;
};
struct ResetActiveTopics {
  std::string name;
  friend bool operator==(const ResetActiveTopics&, const ResetActiveTopics&) = default;
};
/// PATCH or DELETE .../offsets (KIP-875). `offsets_json` is the body's "offsets" list as text; empty for a reset.
struct AlterOffsets {
  std::string name;
  std::optional<std::string> offsets_json;
  friend bool operator==(const AlterOffsets&, const AlterOffsets&) = default;
};

/// PUT /admin/loggers/NAMESPACE?scope=cluster (KIP-976); answered with Done.
struct SetClusterLoggerLevel {
  std::string logger;
  std::string level;
  friend bool operator==(const SetClusterLoggerLevel&, const SetClusterLoggerLevel&) = default;
};

// ---- internal, from other workers ----
/// The signature headers of an internal request, and the bytes that were signed.
struct Signature {
  std::optional<std::string> mac_base64;
  std::optional<std::string> algorithm;
  std::string body;
  friend bool operator==(const Signature&, const Signature&) = default;
};
/// POST /connectors/C/tasks: a follower generated task configs, the leader writes them.
struct PublishTaskConfigs {
  std::string connector;
  std::vector<Properties> configs;
  Signature signature;
  friend bool operator==(const PublishTaskConfigs&, const PublishTaskConfigs&) = default;
};
/// PUT /connectors/C/fence: a follower is about to start source tasks (KIP-618).
struct FenceZombies {
  std::string connector;
  Signature signature;
  friend bool operator==(const FenceZombies&, const FenceZombies&) = default;
};

using Request = std::variant<ListConnectors, GetConnector, GetConnectorConfig, GetConnectorStatus, GetTaskConfigs, GetTaskStatus,
                             GetActiveTopics, GetOffsets, GetHealth, CreateConnector, PutConnectorConfig, PatchConnectorConfig,
                             DeleteConnector, SetTargetState, RestartConnector, RestartTask, ResetActiveTopics, AlterOffsets,
                             SetClusterLoggerLevel, PublishTaskConfigs, FenceZombies>;

// ---- answers ----
struct ConnectorInfo {
  std::string name;
  Properties config;
  std::vector<TaskId> tasks;
  ConnectorKind kind = ConnectorKind::Unknown;
  friend bool operator==(const ConnectorInfo&, const ConnectorInfo&) = default;
};

/// One connector's or task's state as the status topic has it; `state` is RUNNING, FAILED, ...
struct StateInfo {
  std::string state;
  std::string worker_id;
  std::string trace;    ///< empty: none
  std::string version;  ///< empty: not known
  friend bool operator==(const StateInfo&, const StateInfo&) = default;
};
struct TaskStateInfo {
  std::int32_t task = 0;
  StateInfo state;
  friend bool operator==(const TaskStateInfo&, const TaskStateInfo&) = default;
};
struct ConnectorStatus {
  std::string name;
  StateInfo connector;
  std::vector<TaskStateInfo> tasks;
  ConnectorKind kind = ConnectorKind::Unknown;
  friend bool operator==(const ConnectorStatus&, const ConnectorStatus&) = default;
};

struct Names {
  std::vector<std::string> names;
  friend bool operator==(const Names&, const Names&) = default;
};
struct Created {
  ConnectorInfo info;
  friend bool operator==(const Created&, const Created&) = default;
};
struct Config {
  Properties config;
  friend bool operator==(const Config&, const Config&) = default;
};
struct TaskConfigs {
  std::vector<std::pair<TaskId, Properties>> tasks;
  friend bool operator==(const TaskConfigs&, const TaskConfigs&) = default;
};
struct ActiveTopics {
  std::string connector;
  std::vector<std::string> topics;
  friend bool operator==(const ActiveTopics&, const ActiveTopics&) = default;
};
/// [{partition, offset}] of a connector, as JSON text made by the shell that read them.
struct Offsets {
  std::string offsets_json;
  friend bool operator==(const Offsets&, const Offsets&) = default;
};
struct Message {
  std::string text;
  friend bool operator==(const Message&, const Message&) = default;
};
/// Done, nothing to show (204).
struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};
/// Will be done (202).
struct Accepted {
  friend bool operator==(const Accepted&, const Accepted&) = default;
};
/// A restart plan that was accepted (202 with the states as they will be).
struct RestartPlanned {
  ConnectorStatus status;
  friend bool operator==(const RestartPlanned&, const RestartPlanned&) = default;
};
/// Another worker must answer: pass the request on to it. Only for Hop::FromClient or Hop::Forwarded.
struct ForwardTo {
  std::string url;
  friend bool operator==(const ForwardTo&, const ForwardTo&) = default;
};

/// One part of the worker, what it does and since when, for /health and every 409, 500 and 503 (design: waiting has a reason).
struct Stage {
  std::string component;
  std::string doing;
  std::int64_t since_ms = 0;
  friend bool operator==(const Stage&, const Stage&) = default;
};
struct Health {
  bool ready = false;
  std::string message;
  std::vector<Stage> stages;
  friend bool operator==(const Health&, const Health&) = default;
};

using Response = std::variant<Done, Accepted, Names, ConnectorInfo, Created, Config, ConnectorStatus, TaskConfigs, TaskStateInfo,
                              ActiveTopics, Offsets, Message, RestartPlanned, ForwardTo, Health, Error>;

/// Everything that GET /connectors?expand= shows, published by the herder after each change so that reads cost it nothing.
struct ConnectorView {
  ConnectorInfo info;
  std::optional<ConnectorStatus> status;
};

}  // namespace fencepost::herder
