#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "herder/requests.h"

namespace fencepost::herder {

/// exactly.once.source.support (KIP-618).
enum class ExactlyOnce : std::uint8_t { Disabled, Preparing, Enabled };

/// What the herder must know of a plugin; the shell fills the table from what it loaded.
struct PluginInfo {
  std::string java_class;  ///< the name under which REST lists it
  ConnectorKind kind = ConnectorKind::Unknown;
  std::string version;
  friend bool operator==(const PluginInfo&, const PluginInfo&) = default;
};

/// Connector plugins by each name that a config may use: Java class, simple name, alias. A value: it does not change while the
/// worker runs.
class PluginTable {
 public:
  PluginTable() = default;
  explicit PluginTable(std::map<std::string, PluginInfo> by_name) : by_name_(std::move(by_name)) {}

  /// Null pointer for a class that nobody has.
  [[nodiscard]] const PluginInfo* find(std::string_view name) const {
    const auto it = by_name_.find(std::string(name));
    return it == by_name_.end() ? nullptr : &it->second;
  }
  /// Of the connector with this config.
  [[nodiscard]] ConnectorKind kind_of(const Properties& config) const {
    const PluginInfo* plugin = find(config.get_or("connector.class", ""));
    return plugin == nullptr ? ConnectorKind::Unknown : plugin->kind;
  }
  [[nodiscard]] std::string version_of(const Properties& config) const {
    const PluginInfo* plugin = find(config.get_or("connector.class", ""));
    return plugin == nullptr ? std::string() : plugin->version;
  }

 private:
  std::map<std::string, PluginInfo> by_name_;
};

/// Session keys of the sessioned protocol (KIP-507): inter.worker.*.
struct SessionKeyOptions {
  std::string generation_algorithm = "HmacSHA256";
  std::size_t key_bytes = 32;  ///< inter.worker.key.size in bytes
  Duration ttl = std::chrono::hours(1);
  std::string signature_algorithm = "HmacSHA256";
  std::vector<std::string> verification_algorithms = {"HmacSHA256"};
};

/// Settings of the herder, from the worker's properties.
struct Options {
  std::string group_id;
  std::string worker_id;       ///< advertised "host:port"
  std::string advertised_url;  ///< with a trailing slash
  std::string config_topic;    ///< config.storage.topic, for messages
  std::string status_topic;    ///< status.storage.topic, for messages
  ExactlyOnce exactly_once = ExactlyOnce::Disabled;
  std::string connect_protocol = "sessioned";  ///< eager, compatible or sessioned
  Duration scheduled_rebalance_max_delay = std::chrono::minutes(5);
  Duration rebalance_timeout = std::chrono::minutes(1);
  Duration worker_sync_timeout = std::chrono::seconds(3);
  Duration worker_unsync_backoff = std::chrono::minutes(5);
  Duration request_timeout = std::chrono::seconds(90);
  Duration graceful_shutdown_timeout = std::chrono::seconds(5);
  bool topic_tracking = true;
  SessionKeyOptions session_keys;
  PluginTable plugins;
};

}  // namespace fencepost::herder
