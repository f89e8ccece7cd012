#include "runtime/plain_writer.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/offset_fields.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {
/// Deliveries come in calls of the task's own thread, so it looks for them this often while it waits for some.
constexpr auto kLookForDeliveries = 5ms;
/// As for transactional clients: an idle one is not kept.
constexpr auto kIdleClientLeaves = 15s;
/// Marks the deliveries of offsets in the connector's own topic.
constexpr std::uint64_t kOffsetsTag = 0;
}  // namespace

PlainWriter::PlainWriter(Settings settings, WriterHost& host, ClientsPort& clients, OffsetsPort& global,
                         ConnectorOffsets& offsets, TopicMaker& topics, Log log)
    : settings_(std::move(settings)),
      host_(host),
      clients_(clients),
      global_(global),
      offsets_(offsets),
      topics_(topics),
      log_(std::move(log)),
      partitions_(settings_.connector),
      next_flush_(Steady::now() + settings_.flush_interval) {}

PlainWriter::~PlainWriter() = default;

void PlainWriter::interrupt() noexcept {
  interrupted_ = true;
  const std::lock_guard lock(interrupt_mutex_);
  if (producer_) producer_->cancel();
}

Result<void> PlainWriter::ensure_client() {
  if (producer_) return {};
  FENCEPOST_TRY(std::shared_ptr<ProducerPort> made, clients_.producer(settings_.producer, false, log_, [this](const Delivery& d) {
    if (d.tag == kOffsetsTag) {
      if (d.error && !own_topic_error_) own_topic_error_ = d.error;
    } else {
      finish(d.tag, d);
    }
  }));
  const std::lock_guard lock(interrupt_mutex_);
  producer_ = std::move(made);
  return {};
}

void PlainWriter::write(Batch batch) {
  drained_ = false;
  draining_ = false;
  if (auto there = ensure_client(); !there) return fail(trace_of(there.error()));
  for (std::size_t i = 0; i < batch.records.size() && !over_; ++i) {
    if (!send(batch.records[i], batch.ready[i])) break;
  }
  producer_->poll();
  last_use_ = Steady::now();
  forget_finished();
  if (failure_) fail(*failure_);
}

bool PlainWriter::send(SourceRecord& record, const ReadyRecord& ready) {
  InFlight entry;
  if (record.partition.has_value() && record.offset.has_value()) {
    const auto number = partitions_.number(record.partition);
    auto value = offset_value_of(record.offset);
    if (!number || !value) {
      fail(trace_of(number ? value.error() : number.error()));
      return false;
    }
    entry.place = fmt::format(" (source partition {}, offset {})", partitions_.key(*number), *value);
    entry.offset = tracker_.submit(tracker_.partition(partitions_.key(*number)), *std::move(value));
  }
  if (ready.kept) entry.record = std::move(record);
  const std::uint64_t tag = first_tag_ + in_flight_.size();
  in_flight_.push_back(std::move(entry));
  if (ready.dropped) {
    finish(tag, {.tag = tag, .topic = ready.topic.view(), .error = std::nullopt});
    return true;
  }
  if (const auto there = topics_.ensure(ready.topic.view()); !there) {
    if (interrupted_) return false;
    fail(trace_of(there.error()));
    return false;
  }
  if (auto produced = producer_->produce(to_record_out(ready, tag, headers_)); !produced) {
    return submit_failed(tag, ready, std::move(produced).error());
  }
  host_.topic_used(ready.topic.str());
  return !failure_.has_value();
}

/// A record that never reached the queue: refused for good, or there was no room until the task was interrupted.
bool PlainWriter::submit_failed(std::uint64_t tag, const ReadyRecord& ready, Error error) {
  if (error.kind() == ErrorKind::Timeout && interrupted_) return false;
  finish(tag, {.tag = tag, .topic = ready.topic.view(), .error = std::move(error)});
  return !failure_.has_value();
}

void PlainWriter::finish(std::uint64_t tag, const Delivery& delivery) {
  if (tag < first_tag_ || tag - first_tag_ >= in_flight_.size()) return;
  InFlight& entry = in_flight_[tag - first_tag_];
  if (entry.done) return;
  if (delivery.error && !settings_.tolerate) {
    if (!failure_ && !interrupted_) {
      failure_ = trace_of(
          "Unrecoverable exception from producer send callback",
          trace_of(Error(*delivery.error).while_doing(fmt::format("a record for topic '{}'{}", delivery.topic, entry.place))));
    }
    return;  // its offset must not pass
  }
  entry.done = true;
  if (delivery.error) {
    log_.error(fmt::format("a record for topic '{}'{} is left out, as errors.tolerance=all wants: {}", delivery.topic,
                           entry.place, delivery.error->message()));
  }
  if (entry.offset) tracker_.acknowledge(*entry.offset);
  if (entry.record) {
    const RecordMetadata metadata{.topic = {}, .partition = delivery.partition, .offset = delivery.offset};
    host_.record_done(*entry.record, delivery.error || delivery.offset < 0 ? nullptr : &metadata);
  }
}

void PlainWriter::forget_finished() {
  while (!in_flight_.empty() && in_flight_.front().done) {
    in_flight_.pop_front();
    ++first_tag_;
  }
}

Steady::time_point PlainWriter::proceed(Steady::time_point now) {
  if (over_ || busy_) return Steady::time_point::max();
  if (producer_) producer_->poll();
  forget_finished();
  if (failure_) {
    fail(*failure_);
    return Steady::time_point::max();
  }
  if (now >= next_flush_ && !storing_now_) flush_offsets(false);
  if (producer_ && in_flight_.empty() && !storing_now_ && now - last_use_ > kIdleClientLeaves && !busy_) {
    const std::lock_guard lock(interrupt_mutex_);
    producer_.reset();
  }
  Steady::time_point due = next_flush_;
  if (!in_flight_.empty()) due = std::min(due, now + kLookForDeliveries);
  if (storing_now_) due = in_flight_.empty() ? Steady::time_point::max() : now + kLookForDeliveries;
  return due;
}

void PlainWriter::flush_offsets(bool last) {
  next_flush_ = Steady::now() + settings_.flush_interval;
  storing_ = tracker_.take_committable();
  if (storing_.offsets.empty()) {
    if (last) drained_ = true;
    return;
  }
  storing_now_ = true;
  std::vector<OffsetRecord> records(storing_.offsets.begin(), storing_.offsets.end());
  if (!offsets_.place().own_topic) {
    global_.write(std::move(records), [this, &host = host_, last](Result<void> outcome) {
      host.later([this, outcome = std::move(outcome), last] { stored(outcome, last); });
    });
    return;
  }
  busy_ = true;
  auto outcome = std::make_shared<Result<void>>();
  host_.call_apart([this, records, outcome] { *outcome = store_in_own_topic(records); },
                   [this, records, outcome, last] {
                     busy_ = false;
                     // The global topic only helps workers that know no other: nothing waits for it.
                     if (*outcome) global_.write(records, [](const Result<void>&) {});
                     stored(*outcome, last);
                   });
}

Result<void> PlainWriter::store_in_own_topic(const std::vector<OffsetRecord>& records) {
  FENCEPOST_CHECK(ensure_client());
  own_topic_error_.reset();
  for (const auto& [key, value] : records) {
    FENCEPOST_CHECK(producer_->produce({.topic = *offsets_.place().own_topic,
                                        .key = key,
                                        .value = value ? std::optional<std::string_view>(*value) : std::nullopt,
                                        .tag = kOffsetsTag}));
  }
  FENCEPOST_CHECK(producer_->flush(settings_.flush_timeout));
  if (own_topic_error_) return Failure(*own_topic_error_);
  return {};
}

void PlainWriter::stored(const Result<void>& outcome, bool last) {
  storing_now_ = false;
  if (outcome) {
    offsets_.committed({storing_.offsets.begin(), storing_.offsets.end()});
    host_.commit_done();
  } else {
    tracker_.restore(storing_);
    log_.error("the source offsets could not be stored and will be tried again: " + outcome.error().message());
  }
  storing_ = {};
  if (last) drained_ = true;
}

void PlainWriter::drain() {
  if (draining_ || busy_ || storing_now_ || drained_) return;
  draining_ = true;
  if (!producer_ || in_flight_.empty()) {
    flush_offsets(true);
    return;
  }
  busy_ = true;
  host_.call_apart(
      [this] {
        if (const auto flushed = producer_->flush(settings_.flush_timeout); !flushed) log_.warn(flushed.error().message());
      },
      [this] {
        busy_ = false;
        forget_finished();
        flush_offsets(true);
      });
}

void PlainWriter::fail(std::string trace) {
  if (over_) return;
  over_ = true;
  host_.fail(std::move(trace));
}

}  // namespace fencepost::runtime
