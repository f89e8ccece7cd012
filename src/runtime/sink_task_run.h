#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fencepost/task.h"
#include "runtime/plugin_log_adapter.h"
#include "runtime/sink_pipeline.h"
#include "runtime/sink_topics.h"
#include "runtime/task_run.h"

namespace fencepost::runtime {

/// A sink task: a member of the group connect-NAME that takes records, converts and transforms them, hands them to the plugin,
/// and commits the offsets of what the plugin has made safe.
class SinkTaskRun final : public TaskRun, private SinkTaskContext, private ErrantRecordReporter {
 public:
  SinkTaskRun(herder::StartTask order, RunSurroundings surroundings);
  ~SinkTaskRun() override;
  void hurry() noexcept override { wake(); }

 private:
  enum class Phase : unsigned char { Waiting, Running, Paused, Ending, Over };

  Steady::time_point proceed() override;
  void interrupt() noexcept override {}

  void begin_start();
  [[nodiscard]] Result<void> set_up();
  [[nodiscard]] Result<void> subscribe(const Properties& config);
  [[nodiscard]] Result<std::unique_ptr<DeadLetterQueue>> dead_letters(const Properties& config) const;

  void follow_topics(Steady::time_point now);
  void subscribe_anew(const Result<std::vector<std::string>>& all);

  Steady::time_point run_turn(Steady::time_point now);
  void change_pause(bool paused);
  void poll();
  void convert(Steady::time_point now);
  void put(Steady::time_point now);
  void hold(Steady::time_point until);
  void go_on();
  void rewind();
  void commit(const std::set<Place>& partitions, bool closing);
  void end_turn();
  void fail(std::string trace);
  template <class Call>
  bool guarded(Call call);

  // told by the consumer, inside poll() and its end
  [[nodiscard]] PlaceOffsets assigned(const std::vector<Place>& partitions);
  void revoked(const std::vector<Place>& partitions, bool lost);

  // SinkTaskContext
  const ConfigMap& configs() const override { return task_config_; }
  const std::set<TopicPartition>& assignment() const override { return assignment_; }
  void pause(const std::vector<TopicPartition>& partitions) override;
  void resume(const std::vector<TopicPartition>& partitions) override;
  void offset(const std::map<TopicPartition, std::int64_t>& offsets) override;
  void timeout(std::chrono::milliseconds wait) override { timeout_ = wait; }
  void request_commit() override { commit_requested_ = true; }
  ErrantRecordReporter* errant_record_reporter() override { return pipeline_ && pipeline_->tells_errors() ? this : nullptr; }
  const PluginLog& log() const override { return plugin_log_; }
  // ErrantRecordReporter
  void report(const SinkRecord& record, const std::exception& reason) override;

  const PluginLogAdapter plugin_log_;
  Phase phase_ = Phase::Waiting;
  bool paused_told_ = false;
  ConfigMap task_config_;
  std::string plugin_class_;
  std::unique_ptr<SinkPipeline> pipeline_;
  std::unique_ptr<SinkTask> plugin_;
  bool plugin_started_ = false;
  Properties consumer_settings_;
  std::unique_ptr<ConsumerPort> consumer_;
  std::optional<SinkTopics> topics_;

  std::set<TopicPartition> assignment_;
  std::set<Place> paused_by_plugin_;
  PlaceOffsets rewinds_;
  std::optional<std::chrono::milliseconds> timeout_;
  bool commit_requested_ = false;

  RecordsIn raw_;
  std::size_t converted_ = 0;  ///< of raw_.records
  std::vector<SinkRecord> batch_;
  bool in_hand_ = false;  ///< raw_ is not put yet
  bool holding_ = false;  ///< all partitions are paused until the batch was taken
  Steady::time_point again_at_{};
  PlaceOffsets read_;   ///< after the last record that was read, dropped ones included
  PlaceOffsets taken_;  ///< the same, of what the plugin has taken
  PlaceOffsets committed_;
  Steady::time_point next_commit_{};
  std::optional<std::string> reported_failure_;
};

}  // namespace fencepost::runtime
