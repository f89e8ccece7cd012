#include "mirror/mirror_source_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "fencepost/schema.h"
#include "mirror/plugin_log_bridge.h"

namespace fencepost::mirror {

using namespace std::chrono_literals;

namespace {

/// What one poll takes where the user did not set max.poll.records; the bytes are the real bound.
constexpr std::size_t kRecordsMax = 50'000;
/// What a record takes in memory besides its key and value, here and in librdkafka.
constexpr std::size_t kRecordOverheadBytes = 64;
constexpr auto kTellRestEvery = 1s;
/// Keys of headers are few; where they are not, they are not kept for ever.
constexpr std::size_t kHeaderKeysMax = 1'000;

std::vector<kafka::TopicPartition> assigned_partitions(const ConfigMap& config) {
  const auto found = config.find("task.assigned.partitions");
  if (found == config.end()) throw ConfigError("task.assigned.partitions", "null", "a mirror's task config names its partitions");
  std::vector<kafka::TopicPartition> out;
  std::string_view rest = found->second;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    const auto dash = one.rfind('-');
    kafka::TopicPartition at{std::string(one.substr(0, dash)), -1};
    if (dash != std::string_view::npos) std::from_chars(one.data() + dash + 1, one.data() + one.size(), at.partition);
    if (at.partition < 0) throw ConfigError("task.assigned.partitions", one, "topic-partition is wanted");
    out.push_back(std::move(at));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return out;
}

Value bytes_value(const kafka::BatchPtr& batch, const std::optional<std::string_view>& bytes) {
  return bytes ? Value::bytes(Bytes(batch, *bytes)) : Value();
}

}  // namespace

OffsetSyncWriter::OffsetSyncWriter(OffsetSyncsPlace place, kafka::Translated producer, const PluginLog& log)
    : place_(std::move(place)), settings_(std::move(producer)), log_(log) {}

OffsetSyncWriter::~OffsetSyncWriter() {
  if (!producer_) return;
  if (const auto flushed = producer_->flush(1s); !flushed) warn_once(flushed.error().message());
}

OffsetSyncWriter::Partition& OffsetSyncWriter::partition(const kafka::TopicPartition& source) {
  return partitions_.try_emplace(source, Partition{source, SyncRule(place_.lag_max), SyncSampler(place_.lag_max)}).first->second;
}

void OffsetSyncWriter::mirrored(Partition& partition, std::int64_t upstream, std::int64_t downstream) {
  const bool wanted = partition.rule.update(upstream, downstream, partition.sampler.had_gap_before(upstream));
  if (wanted && tell(partition, upstream, downstream)) {
    partition.untold.reset();
  } else {
    partition.untold.emplace(upstream, downstream);
  }
}

void OffsetSyncWriter::tell_the_rest() {
  if (producer_) producer_->poll(0ms);
  const auto now = std::chrono::steady_clock::now();
  if (now - told_rest_ < kTellRestEvery) return;
  told_rest_ = now;
  for (auto& [source, partition] : partitions_) {
    if (partition.untold && tell(partition, partition.untold->first, partition.untold->second)) partition.untold.reset();
  }
}

bool OffsetSyncWriter::tell(const Partition& partition, std::int64_t upstream, std::int64_t downstream) {
  // More would only be newer words about the same partitions, and must not wait for room.
  constexpr std::size_t kOnTheirWayMax = 1000;
  if (!producer_) {
    auto made = kafka::Producer::create(settings_, bridge(log_), [this](const kafka::Delivered& delivery) {
      if (const auto error = delivery.error()) warn_once(error->message());
    });
    if (!made) {
      warn_once(made.error().message());
      return false;
    }
    producer_ = *std::move(made);
  }
  producer_->poll(0ms);
  if (producer_->deliveries_pending() >= kOnTheirWayMax) return false;
  const std::string key = offset_sync_key(partition.source.topic, partition.source.partition);
  const std::string value = offset_sync_value(upstream, downstream);
  const auto produced = producer_->produce({.topic = place_.topic, .partition = 0, .key = key, .value = value});
  if (!produced) warn_once(produced.error().message());
  return produced.has_value();
}

void OffsetSyncWriter::warn_once(const std::string& line) {
  if (!std::exchange(warned_, true)) {
    log_.warn(fmt::format("offset syncs do not reach topic '{}', so that checkpoints fall behind: {}", place_.topic, line));
  }
}

MirrorSourceTask::MirrorSourceTask() : bytes_schema_(Schema::bytes()), optional_bytes_schema_(Schema::optional_bytes()) {}
MirrorSourceTask::~MirrorSourceTask() = default;

std::string MirrorSourceTask::version() const { return kMirrorVersion; }

void MirrorSourceTask::start(const ConfigMap& config, SourceTaskContext& context) {
  topics_.emplace(config);
  context_ = &context;
  bytes_max_ = context.batch_bytes_max();
  for (const kafka::TopicPartition& at : assigned_partitions(config)) {
    FieldMap fields{{"cluster", Value(topics_->source_alias())}, {"partition", Value(at.partition)}, {"topic", Value(at.topic)}};
    auto part = std::make_unique<Part>(Part{at, SharedString(topics_->remote(at.topic)), SourcePartition(std::move(fields))});
    by_identity_.emplace(part->partition.identity(), part.get());
    parts_.push_back(std::move(part));
  }
  open_offset_syncs(config);
  open_consumer(client_properties(config, Side::Source, kafka::ClientKind::Consumer, "replication-consumer"));
}

void MirrorSourceTask::open_offset_syncs(const ConfigMap& config) {
  OffsetSyncsPlace place = OffsetSyncsPlace::of(config, *topics_);
  if (!place.enabled) return;
  const char* role = place.side == Side::Source ? "offset-syncs-source-producer" : "offset-syncs-target-producer";
  auto producer = or_raise(
      kafka::translate(kafka::ClientKind::Producer, client_properties(config, place.side, kafka::ClientKind::Producer, role)));
  syncs_ = std::make_unique<OffsetSyncWriter>(std::move(place), std::move(producer), context_->log());
  for (const auto& part : parts_) part->syncs = &syncs_->partition(part->source);
}

void MirrorSourceTask::open_consumer(const Properties& given) {
  const auto settings = or_raise(kafka::translate(kafka::ClientKind::Consumer, given));
  for (const std::string& warning : settings.warnings) context_->log().warn(warning);
  if (given.contains("max.poll.records")) records_max_ = settings.max_poll_records;
  // Made before the offsets are read: it connects meanwhile.
  consumer_ = or_raise(kafka::AssignedConsumer::create(settings, bridge(context_->log())));
  std::vector<FieldMap> asked;
  for (const auto& part : parts_) asked.push_back(part->partition.fields());
  const auto offsets = context_->offsets().offsets(asked);
  const std::string reset = given.get_or("auto.offset.reset", "earliest");
  const std::int64_t fallback = reset == "latest" ? kafka::kOffsetEnd : kafka::kOffsetBeginning;
  std::vector<kafka::PartitionOffset> from;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Value* done = offsets[i] ? offsets[i]->find("offset") : nullptr;
    const bool known = done != nullptr && done->is_integer() && done->as_integer() >= 0;
    if (offsets[i] && !known) {
      throw ConnectError(fmt::format("the committed offset of {} is no whole number; set or reset the connector's offsets",
                                     parts_[i]->source.to_string()));
    }
    if (!known && reset == "none")
      throw ConnectError("no offset of " + parts_[i]->source.to_string() + " is committed, and auto.offset.reset is none");
    from.push_back({parts_[i]->source, known ? done->as_integer() + 1 : fallback});
  }
  consumer_->on_records_waiting([context = context_] { context->wake_up(); });
  or_raise(consumer_->start(from));
}

std::vector<SourceRecord> MirrorSourceTask::poll() {
  std::vector<SourceRecord> records;
  if (stopped_) return records;
  const std::size_t fit = std::clamp<std::size_t>(bytes_max_ / record_bytes_, 1, kRecordsMax);
  const auto batch = or_raise(consumer_->poll(0ms, records_max_ > 0 ? records_max_ : fit));
  heed(batch->errors);
  if (batch->messages.empty()) {
    if (syncs_) syncs_->tell_the_rest();
    return records;
  }
  records.reserve(batch->messages.size());
  for (const kafka::Message& message : batch->messages) append_record(batch, message, records);
  if (syncs_) mark_ends(records);
  record_bytes_ = batch->bytes / batch->messages.size() + kRecordOverheadBytes;
  return records;
}

void MirrorSourceTask::mark_ends(const std::vector<SourceRecord>& records) {
  const void* later = nullptr;
  for (auto record = records.rbegin(); record != records.rend(); ++record) {
    // The last record of each run is enough: a partition's later runs have overwritten nothing, since this goes backwards.
    if (record->partition.identity() == later) continue;
    later = record->partition.identity();
    Part* part = part_of(*record);
    if (part != nullptr && part->marked_in != polls_) {
      part->syncs->sampler.batch_ends_at(record->offset.single()->number);
      part->marked_in = polls_;
    }
  }
  ++polls_;
}

void MirrorSourceTask::heed(const std::vector<kafka::PartitionError>& errors) const {
  for (const auto& [at, error] : errors) {
    // What may pass librdkafka tries again by itself; a topic that was deleted may come back, or is dropped at the next refresh.
    if (!error.retriable() && error.kind() != ErrorKind::NotFound) throw ConnectError(error.message());
    context_->log().warn(error.message());
  }
}

const MirrorSourceTask::Part& MirrorSourceTask::part_of(const kafka::Message& message) {
  // Records come in runs of one partition, and while the consumer lives, a topic's name lies in one place.
  if (message.topic.data() == last_topic_ && last_part_->source.partition == message.partition) return *last_part_;
  for (const auto& part : parts_) {
    if (part->source.partition == message.partition && part->source.topic == message.topic) {
      last_part_ = part.get();
      last_topic_ = message.topic.data();
      return *part;
    }
  }
  throw ConnectError(fmt::format("a record of {}-{} came that was not asked for", message.topic, message.partition));
}

void MirrorSourceTask::append_record(const kafka::BatchPtr& batch, const kafka::Message& message,
                                     std::vector<SourceRecord>& records) {
  const Part& part = part_of(message);
  SourceRecord& record = records.emplace_back();
  record.topic = part.remote;
  record.kafka_partition = message.partition;
  record.key_schema = optional_bytes_schema_;
  record.key = bytes_value(batch, message.key);
  record.value_schema = bytes_schema_;
  record.value = bytes_value(batch, message.value);
  if (message.timestamp_ms >= 0) record.timestamp_ms = message.timestamp_ms;
  record.partition = part.partition;
  record.offset = SourceOffset(offset_field_, message.offset);
  append_headers(batch, message, record.headers);
}

void MirrorSourceTask::append_headers(const kafka::BatchPtr& batch, const kafka::Message& message, Headers& headers) {
  const auto views = message.headers();
  if (views.empty()) return;
  headers.reserve(views.size());
  for (const auto& [key, value] : views) {
    if (header_keys_.size() > kHeaderKeysMax) header_keys_.clear();
    const SharedString& shared = header_keys_.try_emplace(std::string(key), key).first->second;
    headers.add(shared, value ? bytes_schema_ : optional_bytes_schema_, bytes_value(batch, value));
  }
}

MirrorSourceTask::Part* MirrorSourceTask::part_of(const SourceRecord& record) {
  if (record.partition.identity() != last_identity_) {
    const auto part = by_identity_.find(record.partition.identity());
    if (part == by_identity_.end()) return nullptr;
    last_identity_ = part->first;
    last_committed_ = part->second;
  }
  return last_committed_;
}

SourceTask::Kept MirrorSourceTask::kept(const SourceRecord& record) {
  if (!syncs_) return Kept::Nothing;
  const Part* part = part_of(record);
  const auto* offset = record.offset.single();
  return part != nullptr && offset != nullptr && part->syncs->sampler.wants(offset->number) ? Kept::Place : Kept::Nothing;
}

void MirrorSourceTask::commit_record(const SourceRecord& record, const RecordMetadata* metadata) {
  if (!syncs_ || metadata == nullptr || metadata->offset < 0) return;
  const Part* part = part_of(record);
  const auto* offset = record.offset.single();
  if (part != nullptr && offset != nullptr) syncs_->mirrored(*part->syncs, offset->number, metadata->offset);
}

void MirrorSourceTask::commit() {
  if (syncs_) syncs_->tell_the_rest();
}

void MirrorSourceTask::stop() noexcept {
  stopped_ = true;  // a poll never waits
}

}  // namespace fencepost::mirror
