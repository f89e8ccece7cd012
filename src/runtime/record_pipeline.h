#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "fencepost/converter.h"
#include "fencepost/record.h"
#include "fencepost/transform.h"
#include "runtime/error_policy.h"
#include "runtime/ports.h"

namespace fencepost::runtime {

/// A transformation and when it is applied (KIP-585).
struct TransformStage {
  std::string alias;
  std::string class_name;
  std::unique_ptr<Transformation> transformation;
  std::shared_ptr<const Predicate> predicate;  ///< null pointer: always
  bool negate = false;
};

struct Converters {
  std::unique_ptr<Converter> key;
  std::unique_ptr<Converter> value;
  std::unique_ptr<HeaderConverter> header;
  std::string key_class{};
  std::string value_class{};
  std::string header_class{};
};

/// The transforms and converters that a connector's config names, made and configured; converters that it does not name are the
/// worker's. InvalidConfig names the setting and the class.
[[nodiscard]] Result<std::vector<TransformStage>> make_transforms(const PluginsPort& plugins, const Properties& connector);
[[nodiscard]] Result<Converters> make_converters(const PluginsPort& plugins, const Properties& connector,
                                                 const Properties& worker);

/// A record as bytes, ready for a producer.
struct ReadyRecord {
  SharedString topic;
  std::int32_t partition = -1;
  std::optional<Bytes> key;
  std::optional<Bytes> value;
  std::int64_t timestamp_ms = -1;
  std::vector<std::pair<SharedString, std::optional<Bytes>>> headers;
  bool dropped = false;  ///< by a transform or an error policy: its offset moves all the same
  bool kept = false;     ///< the task is to hear what became of it
};

/// What became of one record on its way through the stages.
struct StageOutcome {
  enum class Kind : unsigned char { Ready, Dropped, RetryAt, Failed };
  Kind kind = Kind::Ready;
  Steady::time_point retry_at{};
  std::string trace{};
};

/// Transforms, then converters of key, value and headers. An error that may pass is retried at the same stage, without blocking
/// the thread: the same call is made again at `retry_at`.
class SourcePipeline {
 public:
  SourcePipeline(std::vector<TransformStage> transforms, Converters converters, ErrorPolicy policy, Log log);

  /// `record` is changed on the way. Between RetryAt and the repeated call nothing else may be run, and the same two are given
  /// again as they were left: the stages before are not run twice.
  [[nodiscard]] StageOutcome run(ConnectRecord& record, ReadyRecord& ready, Steady::time_point now);
  [[nodiscard]] const ErrorPolicy& policy() const { return policy_; }

 private:
  enum class Step : unsigned char { Passed, DroppedIt };
  Step run_stage(ConnectRecord& record, ReadyRecord& ready);
  StageOutcome judge(const std::exception_ptr& error, bool may_pass, ConnectRecord& record, Steady::time_point now);
  [[nodiscard]] std::string stage_name() const;
  [[nodiscard]] std::size_t stages() const { return transforms_.size() + 3; }

  std::vector<TransformStage> transforms_;
  Converters converters_;
  ErrorPolicy policy_;
  Log log_;
  std::size_t stage_ = 0;
  RetryClock retries_;
  std::optional<ConnectRecord> before_stage_;
};

}  // namespace fencepost::runtime
