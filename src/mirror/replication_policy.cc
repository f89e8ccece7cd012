#include "mirror/replication_policy.h"

#include <vector>

#include "fencepost/errors.h"

namespace fencepost::mirror {
namespace {

std::string setting(const ConfigMap& config, std::string_view name, std::string_view fallback) {
  const auto found = config.find(name);
  return found == config.end() ? std::string(fallback) : found->second;
}

std::string separator_of(const ConfigMap& config) { return setting(config, "replication.policy.separator", "."); }

std::string internal_separator_of(const ConfigMap& config) {
  return setting(config, "replication.policy.internal.topic.separator.enabled", "true") == "false" ? "." : separator_of(config);
}

bool looks_like_heartbeat(std::string_view topic) { return topic.ends_with(ReplicationPolicy::heartbeats_topic()); }

/// The part before the first separator, as Java's String.split finds it: nothing where only empty parts follow. An empty
/// separator cuts after each character.
std::optional<std::string_view> first_part(std::string_view topic, std::string_view separator) {
  if (separator.empty()) {
    std::size_t first = 1;
    while (first < topic.size() && (static_cast<unsigned char>(topic[first]) & 0xC0U) == 0x80U) ++first;
    return topic.size() > first ? std::optional(topic.substr(0, first)) : std::nullopt;
  }
  const auto at = topic.find(separator);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = topic.substr(at + separator.size());
  while (rest.starts_with(separator)) rest.remove_prefix(separator.size());
  return rest.empty() ? std::nullopt : std::optional(topic.substr(0, at));
}

}  // namespace

std::string ReplicationPolicy::original_topic(std::string_view topic) const {
  const auto upstream = upstream_topic(topic);
  return upstream ? original_topic(*upstream) : std::string(topic);
}

std::string ReplicationPolicy::offset_syncs_topic(std::string_view alias) const {
  return "mm2-offset-syncs" + internal_separator_ + std::string(alias) + internal_suffix();
}

std::string ReplicationPolicy::checkpoints_topic(std::string_view alias) const {
  return std::string(alias) + internal_separator_ + "checkpoints" + internal_suffix();
}

bool ReplicationPolicy::is_checkpoints_topic(std::string_view topic) const {
  return topic.ends_with(internal_separator_ + "checkpoints" + internal_suffix());
}

bool ReplicationPolicy::is_mm2_internal_topic(std::string_view topic) const {
  return (topic.starts_with("mm2") && topic.ends_with(internal_suffix())) || is_checkpoints_topic(topic);
}

bool ReplicationPolicy::is_internal_topic(std::string_view topic) const {
  return topic.starts_with("__") || topic.starts_with(".") || is_mm2_internal_topic(topic);
}

DefaultReplicationPolicy::DefaultReplicationPolicy(const ConfigMap& config)
    : ReplicationPolicy(internal_separator_of(config)), separator_(separator_of(config)) {}

std::string DefaultReplicationPolicy::remote_topic(std::string_view source_alias, std::string_view topic) const {
  return std::string(source_alias) + separator_ + std::string(topic);
}

std::optional<std::string> DefaultReplicationPolicy::topic_source(std::string_view topic) const {
  const auto part = first_part(topic, separator_);
  return part ? std::optional(std::string(*part)) : std::nullopt;
}

std::optional<std::string> DefaultReplicationPolicy::upstream_topic(std::string_view topic) const {
  const auto source = topic_source(topic);
  if (!source) return std::nullopt;
  return std::string(topic.substr(source->size() + separator_.size()));
}

IdentityReplicationPolicy::IdentityReplicationPolicy(const ConfigMap& config) : DefaultReplicationPolicy(config) {
  if (const auto alias = config.find("source.cluster.alias"); alias != config.end()) source_alias_ = alias->second;
}

std::string IdentityReplicationPolicy::remote_topic(std::string_view source_alias, std::string_view topic) const {
  return looks_like_heartbeat(topic) ? DefaultReplicationPolicy::remote_topic(source_alias, topic) : std::string(topic);
}

std::optional<std::string> IdentityReplicationPolicy::topic_source(std::string_view topic) const {
  return looks_like_heartbeat(topic) ? DefaultReplicationPolicy::topic_source(topic) : source_alias_;
}

std::optional<std::string> IdentityReplicationPolicy::upstream_topic(std::string_view topic) const {
  return looks_like_heartbeat(topic) ? DefaultReplicationPolicy::upstream_topic(topic) : std::optional(std::string(topic));
}

std::string IdentityReplicationPolicy::original_topic(std::string_view topic) const {
  return looks_like_heartbeat(topic) ? DefaultReplicationPolicy::original_topic(topic) : std::string(topic);
}

std::unique_ptr<ReplicationPolicy> make_replication_policy(const ConfigMap& config) {
  const std::string name = setting(config, "replication.policy.class", "DefaultReplicationPolicy");
  const std::string simple = name.substr(name.rfind('.') + 1);
  if (simple == "DefaultReplicationPolicy") return std::make_unique<DefaultReplicationPolicy>(config);
  if (simple == "IdentityReplicationPolicy") return std::make_unique<IdentityReplicationPolicy>(config);
  throw ConfigError("replication.policy.class", name, "use DefaultReplicationPolicy or IdentityReplicationPolicy");
}

}  // namespace fencepost::mirror
