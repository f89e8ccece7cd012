#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exactly_once/source_task_start.h"
#include "fencepost/task.h"
#include "runtime/connector_offsets.h"
#include "runtime/exactly_once_writer.h"
#include "runtime/source_context.h"
#include "runtime/source_writer.h"
#include "runtime/task_run.h"
#include "runtime/topic_creation.h"

namespace fencepost::runtime {

/// A source task: start in KIP-618's order, then poll, transform and convert while the writer commits what came before.
class SourceTaskRun final : public TaskRun, private WriterHost {
 public:
  SourceTaskRun(herder::StartTask order, RunSurroundings surroundings);
  ~SourceTaskRun() override;
  void hurry() noexcept override;

 private:
  enum class Phase : unsigned char { Waiting, Starting, Running, Paused, Ending, Over };

  void hold() override;
  Steady::time_point proceed() override;
  void interrupt() noexcept override;

  // starting
  void begin_start();
  [[nodiscard]] Result<void> set_up();
  [[nodiscard]] Result<void> set_up_writer(const Properties& config);
  void drive_start(const exactly_once::StartEvent& event);
  void carry_out(const exactly_once::StartAction& action);
  void fence_own_id();
  void load_offsets();
  void start_plugin();
  void step_failed(const Error& error);

  // running
  Steady::time_point run_turn(Steady::time_point now);
  void poll(Steady::time_point now);
  void convert(Steady::time_point now);
  void back_off(Steady::time_point now);

  // ending
  void begin_end();
  Steady::time_point end_turn();
  void tear_down();

  // WriterHost
  void call_apart(std::function<void()> blocking, std::function<void()> then) override;
  void later(std::function<void()> then) override;
  void ask_owner(std::function<void(exactly_once::OwnershipAnswered)> then) override;
  void fail(std::string trace) override;
  void yield_to_successor(const std::string& reason) override;
  void start_anew(const std::string& note) override;
  exactly_once::LateFences& late_fences() override { return late_fences_; }
  void topic_used(const std::string& topic) override { report_topic(topic); }
  void record_done(const SourceRecord& record, const RecordMetadata* metadata) override;
  void commit_done() override;
  Duration slowest_poll() override;

  Phase phase_ = Phase::Waiting;
  std::uint64_t life_ = 0;  ///< counts starts: answers to an earlier one are not heard
  std::size_t calls_apart_ = 0;
  bool anew_ = false;  ///< begin again once nothing of the old life is under way
  int restarts_ = 0;
  exactly_once::LateFences late_fences_;
  bool paused_told_ = false;

  Properties config_;
  std::optional<exactly_once::SourceTaskStart> start_;
  std::optional<exactly_once::StartEvent> start_retry_;
  Steady::time_point start_retry_at_{};
  int start_failures_ = 0;
  bool take_id_by_client_ = false;
  std::string transactional_id_;
  std::shared_ptr<TransactionRecord> transactions_;  ///< null pointer without exactly once

  std::unique_ptr<SourceContext> context_;
  std::mutex pointers_mutex_;  // guards plugin_ and writer_ against interrupt() and hurry()
  std::shared_ptr<SourceTask> plugin_;
  bool plugin_started_ = false;
  bool wants_records_ = false;
  std::unique_ptr<ConnectorOffsets> offsets_;
  std::unique_ptr<TopicMaker> topics_;
  std::unique_ptr<SourcePipeline> pipeline_;
  std::shared_ptr<SourceWriter> writer_;
  ExactlyOnceWriter* exactly_once_writer_ = nullptr;

  std::optional<Batch> batch_;
  Steady::time_point convert_at_{};
  Steady::time_point poll_at_{};
  Steady::time_point held_until_{};
  Steady::duration back_off_{0};
  std::atomic<bool> records_waiting_ = false;
  Steady::duration slowest_poll_{0};
};

}  // namespace fencepost::runtime
