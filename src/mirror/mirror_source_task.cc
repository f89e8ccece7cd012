#include "mirror/mirror_source_task.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "fencepost/schema.h"

namespace fencepost::mirror {

using namespace std::chrono_literals;

namespace {

/// What one poll takes where the user did not set max.poll.records; the bytes are the real bound.
constexpr std::size_t kRecordsMax = 20'000;
constexpr auto kTellRestEvery = 1s;

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

OffsetSyncWriter::OffsetSyncWriter(OffsetSyncsPlace place, std::unique_ptr<kafka::Producer> producer)
    : place_(std::move(place)), producer_(std::move(producer)) {}

void OffsetSyncWriter::mirrored(const kafka::TopicPartition& source, std::int64_t upstream, std::int64_t downstream) {
  Partition& partition = partitions_.try_emplace(source, Partition{SyncRule(place_.lag_max), std::nullopt}).first->second;
  if (partition.rule.update(upstream, downstream)) {
    partition.untold.reset();
    tell(source, upstream, downstream);
  } else {
    partition.untold.emplace(upstream, downstream);
  }
}

void OffsetSyncWriter::tell_the_rest() {
  producer_->poll(0ms);
  const auto now = std::chrono::steady_clock::now();
  if (now - told_rest_ < kTellRestEvery) return;
  told_rest_ = now;
  for (auto& [source, partition] : partitions_) {
    if (const auto untold = std::exchange(partition.untold, std::nullopt)) tell(source, untold->first, untold->second);
  }
}

void OffsetSyncWriter::tell(const kafka::TopicPartition& source, std::int64_t upstream, std::int64_t downstream) {
  // As many as Java lets be on their way: more would only be newer words about the same partitions.
  constexpr std::size_t kOnTheirWayMax = 1000;
  if (producer_->deliveries_pending() >= kOnTheirWayMax) producer_->poll(0ms);
  if (producer_->deliveries_pending() >= kOnTheirWayMax) return;
  const std::string key = offset_sync_key(source.topic, source.partition);
  const std::string value = offset_sync_value(upstream, downstream);
  (void)producer_->produce({.topic = place_.topic, .partition = 0, .key = key, .value = value});
}

MirrorSourceTask::MirrorSourceTask() : bytes_schema_(Schema::bytes()) {}
MirrorSourceTask::~MirrorSourceTask() = default;

std::string MirrorSourceTask::version() const { return "4.3.1"; }

void MirrorSourceTask::start(const ConfigMap& config, SourceTaskContext& context) {
  topics_.emplace(config);
  context_ = &context;
  bytes_max_ = context.batch_bytes_max();
  const Properties given = client_properties(config, Side::Source, kafka::ClientKind::Consumer);
  const auto settings = or_raise(kafka::translate(kafka::ClientKind::Consumer, given));
  for (const std::string& warning : settings.warnings) context.log().warn(warning);
  records_max_ = given.contains("max.poll.records") ? settings.max_poll_records : kRecordsMax;
  consumer_ = or_raise(kafka::AssignedConsumer::create(settings, Log()));
  const OffsetSyncsPlace place = OffsetSyncsPlace::of(config, *topics_);
  if (place.enabled) {
    const auto producer = or_raise(
        kafka::translate(kafka::ClientKind::Producer, client_properties(config, place.side, kafka::ClientKind::Producer)));
    syncs_ = std::make_unique<OffsetSyncWriter>(place, or_raise(kafka::Producer::create(producer, Log(), {})));
  }
  const std::string reset = given.get_or("auto.offset.reset", "earliest");
  const std::int64_t fallback = reset == "latest" ? kafka::kOffsetEnd : kafka::kOffsetBeginning;
  std::vector<FieldMap> asked;
  for (const kafka::TopicPartition& at : assigned_partitions(config)) {
    FieldMap fields{{"cluster", Value(topics_->source_alias())}, {"partition", Value(at.partition)}, {"topic", Value(at.topic)}};
    auto part = std::make_unique<Part>(Part{at, SharedString(topics_->remote(at.topic)), SourcePartition(fields)});
    by_identity_.emplace(part->partition.identity(), part.get());
    parts_.push_back(std::move(part));
    asked.push_back(std::move(fields));
  }
  const auto offsets = context.offsets().offsets(asked);
  std::vector<kafka::PartitionOffset> from;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const Value* done = offsets[i] ? offsets[i]->find("offset") : nullptr;
    const bool known = done != nullptr && done->is_integer() && done->as_integer() >= 0;
    if (!known && reset == "none")
      throw ConnectError("no offset of " + parts_[i]->source.to_string() + " is committed, and auto.offset.reset is none");
    from.push_back({parts_[i]->source, known ? done->as_integer() + 1 : fallback});
  }
  consumer_->on_records_waiting([&context] { context.wake_up(); });
  or_raise(consumer_->start(from));
}

std::vector<SourceRecord> MirrorSourceTask::poll() {
  std::vector<SourceRecord> records;
  if (stopped_) return records;
  std::size_t bytes = 0;
  while (records.size() < records_max_ && bytes < bytes_max_) {
    const kafka::BatchPtr batch = or_raise(consumer_->poll(0ms, std::min<std::size_t>(records_max_ - records.size(), 2000)));
    for (const kafka::PartitionError& error : batch->errors) {
      context_->log().warn(fmt::format("reading {}: {}", error.at.to_string(), error.error.message()));
    }
    if (batch->messages.empty()) break;
    records.reserve(records.size() + batch->messages.size());
    for (const kafka::Message& message : batch->messages) {
      records.push_back(to_record(batch, message, part_of(message.topic, message.partition)));
    }
    bytes += batch->bytes + batch->messages.size() * sizeof(SourceRecord);
  }
  return records;
}

const MirrorSourceTask::Part& MirrorSourceTask::part_of(std::string_view topic, std::int32_t partition) {
  if (last_part_ != nullptr && last_part_->source.partition == partition && last_part_->source.topic == topic) return *last_part_;
  for (const auto& part : parts_) {
    if (part->source.partition == partition && part->source.topic == topic) {
      last_part_ = part.get();
      return *part;
    }
  }
  throw ConnectError(fmt::format("a record of {}-{} came that was not asked for", topic, partition));
}

SourceRecord MirrorSourceTask::to_record(const kafka::BatchPtr& batch, const kafka::Message& message, const Part& part) const {
  SourceRecord record;
  record.topic = part.remote;
  record.kafka_partition = message.partition;
  record.key_schema = bytes_schema_;
  record.key = bytes_value(batch, message.key);
  record.value_schema = bytes_schema_;
  record.value = bytes_value(batch, message.value);
  if (message.timestamp_ms >= 0) record.timestamp_ms = message.timestamp_ms;
  for (const kafka::HeaderView& header : message.headers()) {
    record.headers.add(SharedString(header.key), bytes_schema_, bytes_value(batch, header.value));
  }
  record.partition = part.partition;
  record.offset = SourceOffset(offset_field_, message.offset);
  return record;
}

void MirrorSourceTask::commit_record(const SourceRecord& record, const RecordMetadata* metadata) {
  if (!syncs_ || metadata == nullptr || metadata->offset < 0) return;
  const auto part = by_identity_.find(record.partition.identity());
  const auto* offset = record.offset.single();
  if (part == by_identity_.end() || offset == nullptr) return;
  syncs_->mirrored(part->second->source, offset->number, metadata->offset);
}

void MirrorSourceTask::commit() {
  if (syncs_) syncs_->tell_the_rest();
}

void MirrorSourceTask::stop() noexcept {
  stopped_ = true;
  if (consumer_) consumer_->wakeup();
}

}  // namespace fencepost::mirror
