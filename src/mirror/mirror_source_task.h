#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fencepost/task.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"
#include "mirror/mirror_settings.h"
#include "mirror/offset_syncs.h"

namespace fencepost::mirror {

/// Tells the offset-syncs topic which offset became which. At least once and as best it can: a sync that is lost is followed by
/// another. Threads: one at a time.
class OffsetSyncWriter {
 public:
  OffsetSyncWriter(OffsetSyncsPlace place, std::unique_ptr<kafka::Producer> producer);

  void mirrored(const kafka::TopicPartition& source, std::int64_t upstream, std::int64_t downstream);
  /// Tells what is known and was not worth telling yet, at most once a second.
  void tell_the_rest();

 private:
  struct Partition {
    SyncRule rule;
    std::optional<std::pair<std::int64_t, std::int64_t>> untold;
  };
  void tell(const kafka::TopicPartition& source, std::int64_t upstream, std::int64_t downstream);

  OffsetSyncsPlace place_;
  std::unique_ptr<kafka::Producer> producer_;
  std::map<kafka::TopicPartition, Partition> partitions_;
  std::chrono::steady_clock::time_point told_rest_{};
};

/// Reads partitions of the source and hands their records on, bytes untouched: key, value and headers refer to the memory into
/// which the consumer read them.
class MirrorSourceTask final : public SourceTask {
 public:
  MirrorSourceTask();
  ~MirrorSourceTask() override;

  [[nodiscard]] std::string version() const override;
  void start(const ConfigMap& config, SourceTaskContext& context) override;
  [[nodiscard]] std::vector<SourceRecord> poll() override;
  void commit() override;
  void commit_record(const SourceRecord& record, const RecordMetadata* metadata) override;
  [[nodiscard]] bool wants_commit_record() const override { return true; }
  void stop() noexcept override;

 private:
  /// What records of one partition share.
  struct Part {
    kafka::TopicPartition source;
    SharedString remote;
    SourcePartition partition;
  };
  [[nodiscard]] SourceRecord to_record(const kafka::BatchPtr& batch, const kafka::Message& message, const Part& part) const;
  [[nodiscard]] const Part& part_of(std::string_view topic, std::int32_t partition);

  std::optional<TopicChoice> topics_;
  std::unique_ptr<kafka::AssignedConsumer> consumer_;
  std::unique_ptr<OffsetSyncWriter> syncs_;
  std::atomic<bool> stopped_ = false;
  SourceTaskContext* context_ = nullptr;
  std::size_t records_max_ = 0;
  std::size_t bytes_max_ = 0;
  std::vector<std::unique_ptr<Part>> parts_;
  const Part* last_part_ = nullptr;
  std::map<const void*, const Part*> by_identity_;
  SharedString offset_field_{"offset"};
  SchemaPtr bytes_schema_;
};

}  // namespace fencepost::mirror
