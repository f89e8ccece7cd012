#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/log.h"
#include "fencepost/plugin_log.h"
#include "kafka/admin.h"
#include "mirror/mirror_settings.h"

namespace fencepost::mirror {

/// Looks at both clusters and brings the target's topics up to the source's: made with the source's partitions and settings
/// before the first record goes there, since a broker that makes topics by itself would take its own defaults.
///
/// Threads: one at a time; calls block. `stopping` is asked between questions to a cluster, so that a cluster that does not
/// answer holds nobody up for long.
class TopicPlan {
 public:
  TopicPlan(ConfigMap config, const PluginLog& log, std::function<bool()> stopping);

  /// Partitions of the source's topics that are mirrored, by topic.
  using Partitions = std::map<std::string, std::int32_t>;
  [[nodiscard]] Result<Partitions> source_partitions();
  /// Makes and enlarges topics of the target, and answers what of `source` exists there now. A topic that cannot be made or
  /// enlarged is warned of, and so is left out, whole or in part; the error is a cluster that does not answer.
  [[nodiscard]] Result<Partitions> prepare_target(const Partitions& source);
  /// Copies the settings of these topics to the target; both sides must have them.
  [[nodiscard]] Result<void> copy_settings(const Partitions& source);
  [[nodiscard]] Result<void> make_offset_syncs_topic();
  /// Gives the connections to both clusters up; the next question makes new ones.
  void disconnect();

  [[nodiscard]] const TopicChoice& topics() const { return topics_; }

 private:
  [[nodiscard]] Result<kafka::Admin*> admin(Side side);
  [[nodiscard]] Result<std::vector<kafka::TopicInfo>> list(Side side);
  [[nodiscard]] Result<void> make(const std::string& topic, std::int32_t partitions);
  [[nodiscard]] Result<void> enlarge(const std::string& topic, std::int32_t partitions);
  [[nodiscard]] std::map<std::string, std::string> copied(const kafka::TopicConfigs& settings) const;
  [[nodiscard]] bool may_be_copied(const std::string& name, const kafka::TopicConfigEntry& entry) const;
  void warn_once(const std::string& line);

  const ConfigMap config_;
  const PluginLog& log_;
  const std::function<bool()> stopping_;
  const TopicChoice topics_;
  const std::chrono::milliseconds timeout_;
  const regex::Pattern excluded_settings_;
  const bool copies_defaults_;
  std::unique_ptr<kafka::Admin> source_;
  std::unique_ptr<kafka::Admin> target_;
  std::set<std::string> told_;  ///< warnings, each of which is given once
};

}  // namespace fencepost::mirror
