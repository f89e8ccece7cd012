#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/properties.h"
#include "fencepost/config_def.h"
#include "fencepost/plugin_log.h"
#include "kafka/client_settings.h"
#include "mirror/replication_policy.h"
#include "regex/pattern.h"

namespace fencepost::mirror {

/// What the mirror's plugins call their version: the worker's own.
inline constexpr const char* kMirrorVersion = "0.1.0";

/// The two clusters of a mirror, by which the prefixes of client settings are chosen.
enum class Side : std::uint8_t { Source, Target };

/// Settings of a client in Java's words: the cluster's addresses and security ("source.cluster."), over them the settings of the
/// kind ("consumer."), over them those of both ("source.consumer."). `role` ends the client.id, unless one is set.
[[nodiscard]] Properties client_properties(const ConfigMap& config, Side side, kafka::ClientKind kind,
                                           std::string_view role = {});

/// The settings of MirrorSourceConnector, as KIP-382 and its successors define them.
[[nodiscard]] ConfigDef mirror_source_config_def();

/// Which topics of the source are mirrored, by topics, topics.exclude and the policy.
class TopicChoice {
 public:
  /// ConfigError where an expression is none.
  explicit TopicChoice(const ConfigMap& config);

  enum class Verdict : std::uint8_t { Mirrored, NotAsked, Internal, Cycle };
  [[nodiscard]] Verdict judge(std::string_view topic) const;
  [[nodiscard]] std::string remote(std::string_view topic) const { return policy_->remote_topic(source_alias_, topic); }
  [[nodiscard]] const ReplicationPolicy& policy() const { return *policy_; }
  [[nodiscard]] const std::string& source_alias() const { return source_alias_; }
  [[nodiscard]] const std::string& target_alias() const { return target_alias_; }

 private:
  [[nodiscard]] bool is_cycle(std::string_view topic) const;

  std::unique_ptr<ReplicationPolicy> policy_;
  std::string source_alias_;
  std::string target_alias_;
  bool heartbeats_;
  regex::Pattern include_;
  regex::Pattern exclude_;
};

/// The offset-syncs topic and the cluster in which it lies.
struct OffsetSyncsPlace {
  bool enabled = true;
  Side side = Side::Source;
  std::string topic;
  std::int16_t replication_factor = 3;
  std::int64_t lag_max = 100;

  [[nodiscard]] static OffsetSyncsPlace of(const ConfigMap& config, const TopicChoice& topics);
};

// Reads one setting whose text was validated before; the definition's default where it is absent.
[[nodiscard]] std::string text_of(const ConfigMap& config, std::string_view name);
[[nodiscard]] bool flag_of(const ConfigMap& config, std::string_view name);
[[nodiscard]] std::int64_t number_of(const ConfigMap& config, std::string_view name);
[[nodiscard]] std::vector<std::string> list_of(const ConfigMap& config, std::string_view name);

/// An error of ours as a plugin's exception: one that may pass is RetriableError.
[[noreturn]] void raise(const Error& error);
template <class T>
T or_raise(Result<T> result) {
  if (!result) raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace fencepost::mirror
