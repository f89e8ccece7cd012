#include "runtime/sink_pipeline.h"

#include <gtest/gtest.h>

#include <utility>

#include "fakes.h"

namespace fencepost::runtime {
namespace {

/// Gives every record another topic and another partition.
class Renames final : public Transformation {
 public:
  void configure(const ConfigMap& /*config*/) override {}
  [[nodiscard]] ConfigDef config_def() const override { return {}; }
  [[nodiscard]] bool apply(ConnectRecord& record) override {
    record.topic = std::string(record.topic.view()) + "-x";
    record.kafka_partition = 9;
    return true;
  }
};

class Plain final : public Converter, public HeaderConverter {
 public:
  void configure(const ConfigMap& /*config*/, bool /*is_key*/) override {}
  void configure(const ConfigMap& /*config*/) override {}
  [[nodiscard]] ConfigDef config_def() const override { return {}; }
  std::optional<Bytes> from_connect(std::string_view, Headers&, const SchemaPtr&, const Value&) override { return std::nullopt; }
  SchemaAndValue to_connect(std::string_view, const Headers&, const std::optional<Bytes>&) override { return {}; }
  std::optional<Bytes> from_connect_header(std::string_view, std::string_view, const SchemaPtr&, const Value&) override {
    return std::nullopt;
  }
  SchemaAndValue to_connect_header(std::string_view, std::string_view, const std::optional<Bytes>&) override { return {}; }
};

// Offsets are committed for where a record was read, whatever transforms make of it (KIP-793).
TEST(SinkPipeline, KeepsTheOriginalPlaceOfARecordThatATransformSendsElsewhere) {
  std::vector<TransformStage> stages;
  stages.push_back({.alias = "r", .class_name = {}, .transformation = std::make_unique<Renames>(), .predicate = nullptr});
  Converters converters{
      .key = std::make_unique<Plain>(), .value = std::make_unique<Plain>(), .header = std::make_unique<Plain>()};
  SinkPipeline pipeline(std::move(stages), std::move(converters), {}, nullptr, Log());
  RecordIn in;
  in.topic = "orders";
  in.partition = 2;
  in.offset = 77;
  ASSERT_EQ(pipeline.run(in, nullptr, Steady::now()).kind, StageOutcome::Kind::Ready);
  const SinkRecord out = pipeline.take();
  EXPECT_EQ(out.topic.view(), "orders-x");
  EXPECT_EQ(out.kafka_partition, 9);
  EXPECT_EQ(out.kafka_offset, 77);
  EXPECT_EQ(out.original_topic.view(), "orders");
  EXPECT_EQ(out.original_partition, 2);
  EXPECT_EQ(out.original_offset, 77);
}

/// Says once that it may pass, at each stage that it is asked for.
class Stumbles final : public Transformation {
 public:
  void configure(const ConfigMap& /*config*/) override {}
  [[nodiscard]] ConfigDef config_def() const override { return {}; }
  [[nodiscard]] bool apply(ConnectRecord& record) override {
    record.kafka_partition = 3;
    if (!std::exchange(stumbled_, true)) throw RetriableError("not yet");
    return true;
  }

 private:
  bool stumbled_ = false;
};

TEST(SinkPipeline, GoesOnWithWhatTheStagesBeforeHaveMadeWhenOneIsTriedAgain) {
  std::vector<TransformStage> stages;
  stages.push_back({.alias = "r", .class_name = {}, .transformation = std::make_unique<Renames>(), .predicate = nullptr});
  stages.push_back({.alias = "s", .class_name = {}, .transformation = std::make_unique<Stumbles>(), .predicate = nullptr});
  Converters converters{
      .key = std::make_unique<Plain>(), .value = std::make_unique<Plain>(), .header = std::make_unique<Plain>()};
  SinkPipeline pipeline(std::move(stages), std::move(converters), {.retry_timeout = Duration(1'000)}, nullptr, Log());
  RecordIn in;
  in.topic = "orders";
  in.partition = 2;
  in.offset = 77;
  const auto now = Steady::now();
  const StageOutcome first = pipeline.run(in, nullptr, now);
  ASSERT_EQ(first.kind, StageOutcome::Kind::RetryAt);
  ASSERT_EQ(pipeline.run(in, nullptr, first.retry_at).kind, StageOutcome::Kind::Ready);
  const SinkRecord out = pipeline.take();
  EXPECT_EQ(out.topic.view(), "orders-x");
  EXPECT_EQ(out.kafka_partition, 3);
  EXPECT_EQ(out.original_offset, 77);
}

}  // namespace
}  // namespace fencepost::runtime
