#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fencepost/config_def.h"

namespace fencepost::mirror {

/// How topics of a source cluster are called in the target (KIP-382), and which topics are a cluster's own business.
class ReplicationPolicy {
 public:
  virtual ~ReplicationPolicy() = default;

  [[nodiscard]] virtual std::string remote_topic(std::string_view source_alias, std::string_view topic) const = 0;
  /// The alias of the cluster that a topic came from; nothing for one that was not mirrored.
  [[nodiscard]] virtual std::optional<std::string> topic_source(std::string_view topic) const = 0;
  /// Its name in that cluster.
  [[nodiscard]] virtual std::optional<std::string> upstream_topic(std::string_view topic) const = 0;
  /// Its name where it was first written.
  [[nodiscard]] virtual std::string original_topic(std::string_view topic) const;

  [[nodiscard]] std::string offset_syncs_topic(std::string_view alias) const;
  [[nodiscard]] std::string checkpoints_topic(std::string_view alias) const;
  [[nodiscard]] static std::string_view heartbeats_topic() { return "heartbeats"; }
  [[nodiscard]] bool is_heartbeats_topic(std::string_view topic) const { return original_topic(topic) == heartbeats_topic(); }
  [[nodiscard]] bool is_checkpoints_topic(std::string_view topic) const;
  [[nodiscard]] bool is_mm2_internal_topic(std::string_view topic) const;
  /// Never mirrored.
  [[nodiscard]] bool is_internal_topic(std::string_view topic) const;

 protected:
  explicit ReplicationPolicy(std::string internal_separator) : internal_separator_(std::move(internal_separator)) {}

 private:
  [[nodiscard]] std::string internal_suffix() const { return internal_separator_ + "internal"; }
  std::string internal_separator_;
};

/// Puts the source's alias and a separator in front: "a.orders".
class DefaultReplicationPolicy : public ReplicationPolicy {
 public:
  explicit DefaultReplicationPolicy(const ConfigMap& config);
  [[nodiscard]] std::string remote_topic(std::string_view source_alias, std::string_view topic) const override;
  [[nodiscard]] std::optional<std::string> topic_source(std::string_view topic) const override;
  [[nodiscard]] std::optional<std::string> upstream_topic(std::string_view topic) const override;

 private:
  std::string separator_;
};

/// Keeps names, for one direction only: nothing tells a mirrored topic from another. Heartbeats alone get an alias.
class IdentityReplicationPolicy final : public DefaultReplicationPolicy {
 public:
  explicit IdentityReplicationPolicy(const ConfigMap& config);
  [[nodiscard]] std::string remote_topic(std::string_view source_alias, std::string_view topic) const override;
  [[nodiscard]] std::optional<std::string> topic_source(std::string_view topic) const override;
  [[nodiscard]] std::optional<std::string> upstream_topic(std::string_view topic) const override;
  [[nodiscard]] std::string original_topic(std::string_view topic) const override;

 private:
  std::optional<std::string> source_alias_;
};

/// By replication.policy.class; ConfigError for a class that there is not.
[[nodiscard]] std::unique_ptr<ReplicationPolicy> make_replication_policy(const ConfigMap& config);

}  // namespace fencepost::mirror
