#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fencepost/task.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"
#include "mirror/mirror_settings.h"
#include "mirror/offset_syncs.h"

namespace fencepost::mirror {

/// Tells the offset-syncs topic which offset became which. At least once and as best it can: a sync that is lost is followed by
/// another, and trouble here never stops the mirror. Its producer is made with the first sync, so an idle task has none.
/// Threads: one at a time.
class OffsetSyncWriter {
 public:
  OffsetSyncWriter(OffsetSyncsPlace place, kafka::Translated producer, const PluginLog& log);
  /// Gives what is on its way a second to arrive.
  ~OffsetSyncWriter();
  OffsetSyncWriter(const OffsetSyncWriter&) = delete;
  OffsetSyncWriter& operator=(const OffsetSyncWriter&) = delete;

  /// What is told about one partition; stays where it is.
  struct Partition {
    kafka::TopicPartition source;
    SyncRule rule;
    SyncSampler sampler;
    /// Known, and not worth telling by itself.
    std::optional<std::pair<std::int64_t, std::int64_t>> untold{};
  };
  [[nodiscard]] Partition& partition(const kafka::TopicPartition& source);
  void mirrored(Partition& partition, std::int64_t upstream, std::int64_t downstream);
  /// Tells what was not worth telling yet, at most once a second.
  void tell_the_rest();

 private:
  /// Whether it is on its way.
  [[nodiscard]] bool tell(const Partition& partition, std::int64_t upstream, std::int64_t downstream);
  void warn_once(const std::string& line);

  const OffsetSyncsPlace place_;
  const kafka::Translated settings_;
  const PluginLog& log_;
  bool warned_ = false;
  std::map<kafka::TopicPartition, Partition> partitions_;
  std::chrono::steady_clock::time_point told_rest_{};
  std::unique_ptr<kafka::Producer> producer_;
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
  [[nodiscard]] Kept kept(const SourceRecord& record) override;
  void stop() noexcept override;

 private:
  /// What records of one partition share.
  struct Part {
    kafka::TopicPartition source;
    SharedString remote;
    SourcePartition partition;
    OffsetSyncWriter::Partition* syncs = nullptr;
    std::uint64_t marked_in = 0;  ///< the poll in which the end of its batch was marked
  };
  void open_consumer(const Properties& given);
  void open_offset_syncs(const ConfigMap& config);
  void append_record(const kafka::BatchPtr& batch, const kafka::Message& message, std::vector<SourceRecord>& records);
  void append_headers(const kafka::BatchPtr& batch, const kafka::Message& message, Headers& headers);
  /// Tells the samplers with which record of each partition the batch ends.
  void mark_ends(const std::vector<SourceRecord>& records);
  void heed(const std::vector<kafka::PartitionError>& errors) const;
  [[nodiscard]] const Part& part_of(const kafka::Message& message);
  /// Null pointer for a record that is not this task's.
  [[nodiscard]] Part* part_of(const SourceRecord& record);

  std::optional<TopicChoice> topics_;
  std::unique_ptr<OffsetSyncWriter> syncs_;
  std::atomic<bool> stopped_ = false;
  SourceTaskContext* context_ = nullptr;
  std::size_t records_max_ = 0;
  std::size_t bytes_max_ = 0;
  std::vector<std::unique_ptr<Part>> parts_;
  const Part* last_part_ = nullptr;
  const char* last_topic_ = nullptr;  ///< the name of last_part_'s topic, as it lies in the consumer
  std::unordered_map<const void*, Part*> by_identity_;
  std::uint64_t polls_ = 1;
  const void* last_identity_ = nullptr;
  Part* last_committed_ = nullptr;
  std::unordered_map<std::string, SharedString> header_keys_;
  std::size_t record_bytes_ = 1024;  ///< the average of the last batch
  SharedString offset_field_{"offset"};
  SchemaPtr bytes_schema_;
  SchemaPtr optional_bytes_schema_;
  /// Last: its threads wake the runtime until it is gone.
  std::unique_ptr<kafka::AssignedConsumer> consumer_;
};

}  // namespace fencepost::mirror
