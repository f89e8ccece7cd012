#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "fencepost/connector.h"
#include "mirror/topic_plan.h"

namespace fencepost::mirror {

/// One connector's look at its clusters from time to time: which partitions there are to mirror, and the topics of the target
/// kept ready for them.
///
/// Threads: look() comes from one thread at a time, everything else from any. close() does not wait for a look that is under way:
/// that one ends by itself and touches the connector's context no more.
class TopicWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// ConfigError where a setting is wrong. No cluster is asked yet.
  TopicWatch(const ConfigMap& config, ConnectorContext& context);

  /// Does what is due; returns when to come again. Asks for new task configs when the partitions have changed.
  [[nodiscard]] Clock::duration look();
  /// What is to be mirrored, every partition of it ready in the target; nothing where a cluster has not answered within
  /// `patience`.
  [[nodiscard]] std::optional<TopicPlan::Partitions> partitions(Clock::duration patience);
  /// Why the last look failed; empty where it did not.
  [[nodiscard]] std::string trouble();
  void close();

 private:
  /// The context's log until the connector ends, then nothing.
  class GatedLog final : public PluginLog {
   public:
    explicit GatedLog(const PluginLog& log) : log_(&log) {}
    void write(Severity severity, std::string_view line) const override;
    void shut();

   private:
    mutable std::mutex mutex_;
    const PluginLog* log_;
  };

  [[nodiscard]] bool closed();
  [[nodiscard]] bool refresh();
  void learn(TopicPlan::Partitions partitions);

  GatedLog log_;
  TopicPlan plan_;
  const bool refreshes_;
  const bool copies_settings_;
  const Clock::duration refresh_interval_;
  const Clock::duration settings_interval_;
  Clock::time_point refresh_due_{};
  Clock::time_point settings_due_{};
  bool syncs_topic_made_ = false;
  Clock::duration retry_;

  std::mutex mutex_;
  std::condition_variable changed_;
  ConnectorContext* context_;  ///< null once closed
  std::optional<TopicPlan::Partitions> known_;
  std::string trouble_;
};

}  // namespace fencepost::mirror
