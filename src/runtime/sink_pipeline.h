#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dead_letters.h"
#include "runtime/record_pipeline.h"

namespace fencepost::runtime {

/// Converters of key, value and headers, then transforms. What cannot be handled goes to the dead letter queue, if there is one,
/// whether errors are tolerated or not.
class SinkPipeline {
 public:
  SinkPipeline(std::vector<TransformStage> transforms, Converters converters, ErrorPolicy policy,
               std::unique_ptr<DeadLetterQueue> letters, Log log);

  /// Between RetryAt and the repeated call nothing else may be run.
  [[nodiscard]] StageOutcome run(const RecordIn& record, const std::shared_ptr<const void>& owner, Steady::time_point now);
  /// What became of the record, once the outcome is Ready.
  [[nodiscard]] SinkRecord take() { return std::move(out_); }
  /// A record that the task itself reports (KIP-610): nothing, or the trace with which the task fails.
  [[nodiscard]] std::optional<std::string> reported(const RecordIn& record, const std::string& task_class,
                                                    const std::exception_ptr& reason);
  /// What was reported before is in the dead letter queue.
  [[nodiscard]] Result<void> flush(Duration timeout);
  [[nodiscard]] bool tells_errors() const { return policy_.tolerate || policy_.log_errors || letters_ != nullptr; }

 private:
  enum class Step : unsigned char { Passed, DroppedIt };
  Step run_stage(const RecordIn& record, const std::shared_ptr<const void>& owner);
  void begin(const RecordIn& record);
  StageOutcome give_up(const RecordIn& record, std::string stage, std::string class_name, const std::exception_ptr& error);
  [[nodiscard]] std::string stage_name() const;
  [[nodiscard]] std::string stage_class() const;
  [[nodiscard]] std::size_t stages() const { return transforms_.size() + 3; }

  std::vector<TransformStage> transforms_;
  Converters converters_;
  ErrorPolicy policy_;
  std::unique_ptr<DeadLetterQueue> letters_;
  Log log_;
  std::size_t stage_ = 0;
  SinkRecord out_;  ///< as far as the stages have come, also while one waits to be tried again
  RetryClock retries_;
  SharedString last_topic_;
};

}  // namespace fencepost::runtime
