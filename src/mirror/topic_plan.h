#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fencepost/plugin_log.h"
#include "kafka/admin.h"
#include "mirror/mirror_settings.h"

namespace fencepost::mirror {

/// Looks at both clusters and brings the target's topics up to the source's: made with the source's partitions and settings
/// before the first record goes there, since a broker that makes topics by itself would take its own defaults.
///
/// Threads: one at a time; calls block. It keeps no client between calls.
class TopicPlan {
 public:
  TopicPlan(ConfigMap config, const PluginLog& log);

  /// Partitions of the source's topics that are mirrored, by topic.
  using Partitions = std::map<std::string, std::int32_t>;
  [[nodiscard]] Result<Partitions> source_partitions();
  /// Makes and enlarges topics of the target.
  [[nodiscard]] Result<void> prepare_target(const Partitions& source);
  /// Copies the settings of the topics that are there on both sides.
  [[nodiscard]] Result<void> copy_settings(const Partitions& source);
  [[nodiscard]] Result<void> make_offset_syncs_topic();

  [[nodiscard]] const TopicChoice& topics() const { return topics_; }

 private:
  [[nodiscard]] Result<std::unique_ptr<kafka::Admin>> admin(Side side) const;
  [[nodiscard]] std::map<std::string, std::string> copied(const kafka::TopicConfigs& settings) const;
  [[nodiscard]] Result<std::map<std::string, kafka::TopicConfigs>> source_settings(const std::vector<std::string>& topics) const;

  const ConfigMap config_;
  const PluginLog& log_;
  const TopicChoice topics_;
  const std::chrono::milliseconds timeout_;
  const regex::Pattern excluded_settings_;
  std::set<std::string> told_;  ///< topics whose cycle was warned of
};

}  // namespace fencepost::mirror
