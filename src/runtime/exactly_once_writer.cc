#include "runtime/exactly_once_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/offset_fields.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

/// An idle client is kept so long: making one takes half a second, which a source with a record every few seconds should not pay.
constexpr auto kIdleClientLeaves = 15s;
/// While records of an open transaction are on their way: how soon it is looked whether they arrived.
constexpr auto kDeliveriesLook = 200ms;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

Time time_of(Steady::time_point at) { return Time(std::chrono::duration_cast<Duration>(at.time_since_epoch())); }
Steady::time_point steady_of(Time at) { return Steady::time_point(at.time_since_epoch()); }

}  // namespace

ExactlyOnceWriter::ExactlyOnceWriter(Settings settings, WriterHost& host, ClientsPort& clients, OffsetsPort& global,
                                     ConnectorOffsets& offsets, TopicMaker& topics, std::shared_ptr<TransactionRecord> record,
                                     Log log)
    : settings_(std::move(settings)),
      host_(host),
      clients_(clients),
      global_(global),
      offsets_(offsets),
      topics_(topics),
      record_(std::move(record)),
      log_(std::move(log)),
      offsets_topic_(offsets.commit_topic()),
      boundary_(settings_.boundary, settings_.interval, time_of(Steady::now())),
      partitions_(settings_.connector),
      restarts_(settings_.restarts) {}

ExactlyOnceWriter::~ExactlyOnceWriter() = default;

void ExactlyOnceWriter::interrupt() noexcept {
  interrupted_ = true;
  const std::lock_guard lock(interrupt_mutex_);
  if (producer_) producer_->cancel();
}

void ExactlyOnceWriter::write(Batch batch) {
  draining_ = false;
  batch_ = std::move(batch);
  for (auto& step : boundary_.on_batch(batch_.polled, time_of(Steady::now()))) steps_.push_back(step);
  run_steps();
}

void ExactlyOnceWriter::drain() {
  if (interrupted_ && first_batch_ && (owner_asked_ || init_due_)) first_batch(exactly_once::StopOrdered{});
  if (draining_ || over_ || !ready()) return;
  draining_ = true;
  for (auto& step : boundary_.on_end()) steps_.push_back(step);
  run_steps();
}

Steady::time_point ExactlyOnceWriter::proceed(Steady::time_point now) {
  if (init_due_ && !over_) {
    if (*init_due_ > now) return *init_due_;
    init_producer();
  }
  if (over_ || busy_) return Steady::time_point::max();
  if (!steps_.empty()) run_steps();
  if (!ready() || took_harm()) return Steady::time_point::max();
  const bool on_their_way = producer_ && transaction_open_ && producer_->pending() > 0;
  const auto look = on_their_way ? now + kDeliveriesLook : Steady::time_point::max();
  if (const auto due = boundary_.next_commit()) {
    if (steady_of(*due) > now) return std::min(steady_of(*due), look);
    batch_ = {};
    for (auto& step : boundary_.on_batch({}, time_of(now))) steps_.push_back(step);
    run_steps();
    return Steady::time_point::max();
  }
  if (!producer_ || transaction_open_) return look;
  if (now - last_use_ < kIdleClientLeaves) return last_use_ + kIdleClientLeaves;
  log_.debug("closes its idle transactional client");
  drop_client();
  return Steady::time_point::max();
}

void ExactlyOnceWriter::run_steps() {
  while (!steps_.empty() && !busy_ && !over_) {
    const exactly_once::Step step = steps_.front();
    if (std::holds_alternative<exactly_once::Begin>(step)) {
      if (!begin()) return;
    } else if (const auto* range = std::get_if<exactly_once::Send>(&step)) {
      if (!send(*range)) return;
    } else if (std::holds_alternative<exactly_once::Commit>(step)) {
      commit();
      return;
    } else {
      abort(std::holds_alternative<exactly_once::AbortAndRewind>(step));
      return;
    }
    steps_.pop_front();
  }
}

bool ExactlyOnceWriter::begin() {
  if (producer_ && producer_->spent()) drop_client();
  if (!producer_) {
    init_attempts_ = 0;
    first_batch_.emplace();
    busy_ = true;
    first_batch(exactly_once::StartOrdered{});
    return false;
  }
  if (const auto begun = producer_->begin(); !begun) {
    failed(begun.error());
    return false;
  }
  transaction_open_ = true;
  produced_ = 0;
  record_->opened();
  delivery_error_.reset();
  began_ = Steady::now();
  (void)host_.slowest_poll();
  return true;
}

bool ExactlyOnceWriter::send(const exactly_once::Send& range) {
  for (std::size_t i = range.from; i < range.to; ++i) {
    if (!note_offset(i)) return false;
    if (!batch_.ready[i].dropped && !send_one(i)) return false;
    if (batch_.ready[i].dropped && batch_.ready[i].kept) sent_.push_back({std::move(batch_.records[i]), std::nullopt});
  }
  record_->wrote(produced_);
  produced_ = 0;
  return store_noted_offsets();
}

bool ExactlyOnceWriter::send_one(std::size_t index) {
  const ReadyRecord& ready = batch_.ready[index];
  const bool as_before = index > 0 && batch_.ready[index - 1].topic == ready.topic;
  if (!as_before && !may_write_to(ready.topic.view())) return false;
  const std::uint64_t tag = ready.kept ? sent_.size() + 1 : 0;
  if (auto produced = producer_->produce(to_record_out(ready, tag, headers_)); !produced) {
    refused(std::move(produced).error(), batch_place(index));
    return false;
  }
  ++produced_;
  if (ready.kept) sent_.push_back({std::move(batch_.records[index]), std::nullopt});
  if (!as_before) host_.topic_used(ready.topic.str());
  return true;
}

bool ExactlyOnceWriter::may_write_to(std::string_view topic) {
  if (topic == offsets_topic_) {
    // Who reads offsets reads to the last stable one: the task would wait for its own transaction.
    abort_and_fail(
        Error(ErrorKind::InvalidConfig,
              fmt::format("Source tasks may not produce to their own offsets topics when exactly-once support is enabled; "
                          "send these records elsewhere than to topic '{}'",
                          offsets_topic_)));
    return false;
  }
  const auto there = topics_.ensure(topic);
  if (!there) abort_and_fail(there.error());
  return there.has_value();
}

std::string ExactlyOnceWriter::batch_place(std::size_t index) const {
  std::string source;
  const SourceRecord& record = batch_.records[index];
  if (record.partition.has_value() && record.offset.has_value()) {
    const auto key = offset_key_of(settings_.connector, record.partition.fields());
    const auto value = offset_value_of(record.offset);
    if (key && value) source = fmt::format(" (source partition {}, offset {})", *key, *value);
  }
  return fmt::format("sending a record to topic '{}'{}", batch_.ready[index].topic.view(), source);
}

bool ExactlyOnceWriter::note_offset(std::size_t index) {
  const SourceRecord& record = batch_.records[index];
  if (!record.partition.has_value() || !record.offset.has_value()) return true;
  const auto number = partitions_.number(record.partition);
  if (!number) {
    abort_and_fail(number.error());
    return false;
  }
  if (*number >= last_of_partition_.size()) last_of_partition_.resize(*number + 1, kNone);
  if (last_of_partition_[*number] == kNone) touched_.push_back(*number);
  last_of_partition_[*number] = index;
  if (batch_.ready[index].kept) {
    // The record is moved away below, so its offset is written down now.
    last_of_partition_[*number] = kNone;
    auto value = offset_value_of(record.offset);
    if (!value) {
      abort_and_fail(value.error());
      return false;
    }
    transaction_offsets_.put(partitions_.key(*number), *std::move(value));
  }
  return true;
}

/// One record a partition, the last one wins: so only the last offset of each partition is ever made into bytes.
bool ExactlyOnceWriter::store_noted_offsets() {
  for (const std::uint32_t number : touched_) {
    const std::size_t index = std::exchange(last_of_partition_[number], kNone);
    if (index == kNone) continue;
    auto value = offset_value_of(batch_.records[index].offset);
    if (!value) {
      touched_.clear();
      abort_and_fail(value.error());
      return false;
    }
    transaction_offsets_.put(partitions_.key(number), *std::move(value));
  }
  touched_.clear();
  return true;
}

void ExactlyOnceWriter::delivered(const Delivery& delivery) {
  if (delivery.error) {
    if (!delivery_error_) {
      delivery_error_ =
          Error(*delivery.error).while_doing(fmt::format("a record for topic '{}' was not written", delivery.topic));
    }
    return;
  }
  if (delivery.tag == 0 || delivery.tag > sent_.size()) return;
  Sent& sent = sent_[delivery.tag - 1];
  sent.metadata = RecordMetadata{.topic = {}, .partition = delivery.partition, .offset = delivery.offset};
}

void ExactlyOnceWriter::commit() {
  const std::string topic = offsets_.commit_topic();
  committing_.clear();
  for (const auto& [key, value] : transaction_offsets_.offsets()) {
    committing_.emplace_back(key, value);
    const RecordOut record{.topic = topic, .key = key, .value = value ? std::optional<std::string_view>(*value) : std::nullopt};
    if (auto produced = producer_->produce(record); !produced) {
      refused(std::move(produced).error(), "writing source offsets to topic '" + topic + "'");
      return;
    }
  }
  commit_again();
}

void ExactlyOnceWriter::commit_again() {
  busy_ = true;
  record_->committing();
  auto result = std::make_shared<TransactionOutcome>();
  host_.call_apart([producer = producer_, result] { *result = producer->commit(kTransactionCall); },
                   [this, result] {
                     busy_ = false;
                     if (over_) return;
                     if (*result) {
                       committed();
                     } else if (result->error().retriable && !interrupted_) {
                       // It is still in progress, so nothing but the same call may follow.
                       log_.warn("the commit is not answered yet and is asked for again: " + result->error().error.message());
                       commit_again();
                     } else {
                       failed(result->error());
                     }
                   });
}

void ExactlyOnceWriter::committed() {
  transaction_open_ = false;
  record_->committed();
  restarts_ = 0;
  last_use_ = Steady::now();
  transaction_offsets_.clear();
  offsets_.committed(committing_);
  if (offsets_.place().own_topic && !committing_.empty()) copy_to_global(std::move(committing_));
  committing_.clear();
  for (const Sent& sent : sent_) host_.record_done(sent.record, sent.metadata ? &*sent.metadata : nullptr);
  sent_.clear();
  host_.commit_done();
  steps_.pop_front();
  run_steps();
}

/// So that a worker which knows no offsets topic but its own finds recent ones; nothing depends on it here.
void ExactlyOnceWriter::copy_to_global(std::vector<OffsetRecord> records) {
  global_.write(std::move(records), [log = log_](const Result<void>& written) {
    if (!written) log.warn("the committed offsets could not be copied to the worker's topic: " + written.error().message());
  });
}

void ExactlyOnceWriter::abort(bool rewind) {
  busy_ = true;
  record_->aborting();
  auto result = std::make_shared<TransactionOutcome>();
  host_.call_apart(
      [producer = producer_, result] { *result = producer->abort(kTransactionCall); },
      [this, result, rewind] {
        busy_ = false;
        if (over_) return;
        transaction_open_ = false;
        sent_.clear();
        if (!*result) {
          failed(result->error());
          return;
        }
        record_->aborted(rewind ? AbortCause::Stopped : AbortCause::Connector,
                         rewind ? "the task was paused or stopped before its connector had finished the transaction"
                                : "the connector asked for it (transaction.boundary=connector)");
        if (rewind) {
          give_up([this] { host_.start_anew("the transaction that its connector had not finished was taken back"); });
        } else {
          steps_.pop_front();
          run_steps();
        }
      });
}

}  // namespace fencepost::runtime
