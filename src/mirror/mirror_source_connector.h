#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fencepost/connector.h"
#include "mirror/refresher.h"
#include "mirror/topic_watch.h"

namespace fencepost::mirror {

/// MirrorMaker 2's source connector: copies topics of another cluster, partition by partition, byte by byte.
/// Threads: as Connector; its looks at the clusters are on the refresher's threads, the first one too.
class MirrorSourceConnector final : public SourceConnector {
 public:
  explicit MirrorSourceConnector(std::shared_ptr<Refresher> refresher) : refresher_(std::move(refresher)) {}
  ~MirrorSourceConnector() override;

  [[nodiscard]] std::string version() const override;
  [[nodiscard]] ConfigDef config_def() const override { return mirror_source_config_def(); }
  [[nodiscard]] std::vector<ConfigValue> validate(const ConfigMap& config) const override;
  void start(const ConfigMap& config, ConnectorContext& context) override;
  [[nodiscard]] std::vector<ConfigMap> task_configs(std::int32_t tasks_max) override;
  void stop() noexcept override;
  [[nodiscard]] std::optional<ExactlyOnceSupport> exactly_once_support(const ConfigMap& config) const override;
  bool alter_offsets(const ConfigMap& config, const SourceOffsetChanges& changes) override;

 private:
  std::shared_ptr<Refresher> refresher_;
  std::optional<std::uint64_t> refresh_id_;
  ConfigMap config_;
  std::shared_ptr<TopicWatch> watch_;  ///< none where `enabled` is false
};

/// The partitions of all topics dealt to at most `tasks_max` tasks in turn; "topic-0,topic-3" for each.
[[nodiscard]] std::vector<std::string> deal_partitions(const TopicPlan::Partitions& partitions, std::int32_t tasks_max);

}  // namespace fencepost::mirror
