#include "runtime/sink_pipeline.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/traces.h"

namespace fencepost::runtime {

SinkPipeline::SinkPipeline(std::vector<TransformStage> transforms, Converters converters, ErrorPolicy policy,
                           std::unique_ptr<DeadLetterQueue> letters, Log log)
    : transforms_(std::move(transforms)),
      converters_(std::move(converters)),
      policy_(policy),
      letters_(std::move(letters)),
      log_(std::move(log)) {}

StageOutcome SinkPipeline::run(const RecordIn& record, const std::shared_ptr<const void>& owner, Steady::time_point now) {
  if (stage_ == 0) begin(record);
  const bool keep_copies = policy_.retry_timeout != Duration(0);
  for (; stage_ < stages(); ++stage_) {
    std::optional<SinkRecord> before;
    if (keep_copies && stage_ >= 3) before = out_;
    std::exception_ptr error;
    bool may_pass = false;
    try {
      if (run_stage(record, owner) == Step::DroppedIt) {
        stage_ = 0;
        return {.kind = StageOutcome::Kind::Dropped};
      }
    } catch (const RetriableError&) {
      error = std::current_exception();
      may_pass = true;
    } catch (...) {
      error = std::current_exception();
    }
    if (!error) {
      retries_.reset();
      continue;
    }
    if (may_pass) {
      if (const auto at = retries_.next(policy_, now)) {
        if (before) out_ = *std::move(before);
        return {.kind = StageOutcome::Kind::RetryAt, .retry_at = *at};
      }
    }
    std::string stage = stage_name();
    std::string class_name = stage_class();
    stage_ = 0;
    retries_.reset();
    return give_up(record, std::move(stage), std::move(class_name), error);
  }
  stage_ = 0;
  return {};
}

void SinkPipeline::begin(const RecordIn& record) {
  if (last_topic_.view() != record.topic) last_topic_ = SharedString(record.topic);
  out_ = SinkRecord();
  out_.topic = last_topic_;
  out_.kafka_partition = record.partition;
  out_.kafka_offset = record.offset;
  if (record.timestamp_ms >= 0) {
    out_.timestamp_ms = record.timestamp_ms;
    out_.timestamp_type = record.log_append_time ? TimestampType::LogAppendTime : TimestampType::CreateTime;
  }
  // Offsets are committed for the place that the record was read from, whatever transforms make of it.
  out_.original_topic = last_topic_;
  out_.original_partition = record.partition;
  out_.original_offset = record.offset;
}

SinkPipeline::Step SinkPipeline::run_stage(const RecordIn& record, const std::shared_ptr<const void>& owner) {
  const auto bytes = [&](const std::optional<std::string_view>& view) {
    return view ? std::optional(Bytes(owner, *view)) : std::nullopt;
  };
  switch (stage_) {
    case 0: {
      SchemaAndValue key = converters_.key->to_connect(record.topic, out_.headers, bytes(record.key));
      out_.key_schema = std::move(key.schema);
      out_.key = std::move(key.value);
      return Step::Passed;
    }
    case 1: {
      SchemaAndValue value = converters_.value->to_connect(record.topic, out_.headers, bytes(record.value));
      out_.value_schema = std::move(value.schema);
      out_.value = std::move(value.value);
      return Step::Passed;
    }
    case 2:
      out_.headers.clear();
      for (const HeaderOut& header : record.headers) {
        SchemaAndValue value = converters_.header->to_connect_header(record.topic, header.key, bytes(header.value));
        out_.headers.add(SharedString(header.key), std::move(value.schema), std::move(value.value));
      }
      return Step::Passed;
    default: {
      TransformStage& stage = transforms_[stage_ - 3];
      if (stage.predicate && stage.predicate->test(out_) == stage.negate) return Step::Passed;
      return stage.transformation->apply(out_) ? Step::Passed : Step::DroppedIt;
    }
  }
}

StageOutcome SinkPipeline::give_up(const RecordIn& record, std::string stage, std::string class_name,
                                   const std::exception_ptr& error) {
  const std::string trace = trace_of(error);
  if (policy_.log_errors) {
    log_.error(fmt::format("Error encountered in task at stage {} by {} for the record at {}-{}, offset {}: {}", stage,
                           class_name, record.topic, record.partition, record.offset, message_of(error)));
  }
  if (letters_) {
    const DeadLetter letter{.stage = std::move(stage),
                            .class_name = std::move(class_name),
                            .exception_class = trace.substr(0, trace.find(':')),
                            .message = message_of(error),
                            .trace = trace};
    if (const auto added = letters_->add(record, letter); !added) {
      return {.kind = StageOutcome::Kind::Failed, .trace = trace_of(added.error())};
    }
  }
  if (policy_.tolerate) return {.kind = StageOutcome::Kind::Dropped};
  return {.kind = StageOutcome::Kind::Failed, .trace = trace_of("Tolerance exceeded in error handler", trace)};
}

std::optional<std::string> SinkPipeline::reported(const RecordIn& record, const std::string& task_class,
                                                  const std::exception_ptr& reason) {
  StageOutcome outcome = give_up(record, "TASK_PUT", task_class, reason);
  if (outcome.kind == StageOutcome::Kind::Failed) return std::move(outcome.trace);
  return std::nullopt;
}

Result<void> SinkPipeline::flush(Duration timeout) { return letters_ ? letters_->flush(timeout) : Result<void>(); }

std::string SinkPipeline::stage_name() const {
  static constexpr const char* kNames[] = {"KEY_CONVERTER", "VALUE_CONVERTER", "HEADER_CONVERTER"};
  return stage_ < 3 ? kNames[stage_] : "TRANSFORMATION";
}

std::string SinkPipeline::stage_class() const {
  switch (stage_) {
    case 0:
      return converters_.key_class;
    case 1:
      return converters_.value_class;
    case 2:
      return converters_.header_class;
    default:
      return transforms_[stage_ - 3].class_name;
  }
}

}  // namespace fencepost::runtime
