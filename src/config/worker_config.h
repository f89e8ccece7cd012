#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/properties.h"
#include "config/listener.h"

namespace fencepost::config {

using std::chrono::milliseconds;

/// exactly.once.source.support. Preparing is the first step of a rolling upgrade: the worker does all that a leader must do, but
/// its own tasks are not transactional yet (KIP-618).
enum class ExactlyOnceSource : std::uint8_t { Disabled, Preparing, Enabled };
enum class ConnectProtocol : std::uint8_t { Eager, Compatible, Sessioned };
/// Which client settings a connector may override (KIP-458).
enum class OverridePolicy : std::uint8_t { All, None, Principal };
enum class WorkerLogFormat : std::uint8_t { Text, Json };

/// One of the three topics in which the cluster keeps its state.
struct InternalTopic {
  std::string name;
  std::int32_t partitions = 1;          ///< -1: the broker's default
  std::int16_t replication_factor = 3;  ///< -1: the broker's default
  /// Topic settings by the names of brokers: from config.storage.* and its like. cleanup.policy is always compact.
  Properties settings;
};

/// The converter for connectors that name none: its class and settings, without their prefix.
struct ConverterChoice {
  std::string class_name;
  Properties settings;
};

/// A worker's settings, checked. docs/ lists them with their meanings; here they have their types.
struct WorkerConfig {
  std::string group_id;
  std::vector<std::string> bootstrap_servers;
  std::string client_id;  ///< "connect-GROUP" where none is configured
  ExactlyOnceSource exactly_once = ExactlyOnceSource::Disabled;
  ConnectProtocol protocol = ConnectProtocol::Sessioned;
  OverridePolicy override_policy = OverridePolicy::All;

  InternalTopic config_topic;
  InternalTopic offset_topic;
  InternalTopic status_topic;

  milliseconds session_timeout{};
  milliseconds rebalance_timeout{};
  milliseconds heartbeat_interval{};
  milliseconds worker_sync_timeout{};
  milliseconds worker_unsync_backoff{};
  milliseconds scheduled_rebalance_delay_max{};
  milliseconds request_timeout{};
  milliseconds retry_backoff{};
  milliseconds retry_backoff_max{};
  milliseconds reconnect_backoff{};
  milliseconds reconnect_backoff_max{};
  milliseconds connection_setup_timeout{};
  milliseconds connection_setup_timeout_max{};
  milliseconds connection_idle_max{};
  milliseconds metadata_age_max{};
  milliseconds offset_flush_interval{};
  milliseconds offset_flush_timeout{};
  milliseconds task_shutdown_timeout{};

  std::vector<Listener> listeners;
  /// Absent: the same as listeners. Empty: none.
  std::optional<std::vector<Listener>> admin_listeners;
  std::optional<std::string> advertised_host;
  std::optional<std::uint16_t> advertised_port;
  /// The listener that other workers use: its index in listeners.
  std::size_t advertised_listener = 0;
  std::string access_control_allow_origin;
  std::string access_control_allow_methods;
  std::vector<ResponseHeader> response_headers;
  std::size_t rest_request_bytes_max = 0;

  ConverterChoice key_converter;
  ConverterChoice value_converter;
  ConverterChoice header_converter;

  std::string key_generation_algorithm;
  std::optional<std::int32_t> key_size_bits;
  milliseconds key_ttl{};
  std::string signature_algorithm;
  std::vector<std::string> verification_algorithms;

  bool topic_creation_enabled = true;
  bool topic_tracking_enabled = true;
  bool topic_tracking_reset_allowed = true;
  std::vector<std::string> plugin_path;
  std::vector<std::string> config_providers;

  std::string log_level;  ///< lower case
  WorkerLogFormat log_format = WorkerLogFormat::Text;

  /// What the file said. May hold secrets: never to be logged.
  Properties originals;

  /// The id under which the leader writes the config topic when exactly once is on, so that a deposed leader is fenced out of it.
  [[nodiscard]] std::string leader_transactional_id() const { return "connect-cluster-" + group_id; }
  /// Whether the leader writes the config topic with transactions.
  [[nodiscard]] bool transactional_leader() const { return exactly_once != ExactlyOnceSource::Disabled; }
};

/// Checks a worker's settings. All faults are named in the one error, each with its setting, the value and what is allowed.
[[nodiscard]] Result<WorkerConfig> make_worker_config(const Properties& properties);

}  // namespace fencepost::config
