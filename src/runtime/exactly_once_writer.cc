#include "runtime/exactly_once_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/offset_fields.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;
using exactly_once::StartEvent;

namespace {

/// An idle client is kept so long: making one takes half a second, which a source with a record every few seconds should not pay.
constexpr auto kIdleClientLeaves = 15s;
/// Each call about a transaction waits so long before it looks whether it was interrupted; it is then made again.
constexpr Duration kTransactionCall = 30s;
/// While records of an open transaction are on their way: how soon it is looked whether they arrived.
constexpr auto kDeliveriesLook = 200ms;
/// Between attempts to make a client.
constexpr auto kInitBackoff = 200ms;
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
      boundary_(settings_.boundary, settings_.interval, time_of(Steady::now())),
      partitions_(settings_.connector),
      restarts_(settings_.restarts) {}

ExactlyOnceWriter::~ExactlyOnceWriter() = default;

void ExactlyOnceWriter::interrupt() noexcept {
  interrupted_ = true;
  const std::lock_guard lock(interrupt_mutex_);
  if (producer_) producer_->cancel();
}

Result<void> ExactlyOnceWriter::make_client() {
  auto made = clients_.producer(settings_.producer, true, log_, [this](const Delivery& d) { delivered(d); });
  if (!made) return Failure(std::move(made).error());
  std::shared_ptr<ProducerPort> producer = *std::move(made);
  {
    const std::lock_guard lock(interrupt_mutex_);
    producer_ = producer;
    if (interrupted_) producer->cancel();
  }
  if (auto initialised = producer->init_transactions(kTransactionCall); !initialised) {
    Error error = std::move(initialised).error().error;
    {
      const std::lock_guard lock(interrupt_mutex_);
      producer_.reset();
    }
    return Failure(std::move(error));
  }
  last_use_ = Steady::now();
  record_->client(true);
  return {};
}

void ExactlyOnceWriter::drop_client() {
  std::shared_ptr<ProducerPort> old;
  {
    const std::lock_guard lock(interrupt_mutex_);
    old = std::exchange(producer_, nullptr);
  }
  transaction_open_ = false;
  first_batch_.reset();
  record_->client(false);
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
  record_->opened();
  delivery_error_.reset();
  began_ = Steady::now();
  (void)host_.slowest_poll();
  return true;
}

void ExactlyOnceWriter::first_batch(const StartEvent& event) {
  if (!first_batch_ || over_) return;
  for (const exactly_once::StartAction& action : first_batch_->apply(event)) {
    if (std::holds_alternative<exactly_once::AskOwnership>(action)) {
      host_.ask_owner([this](const exactly_once::OwnershipAnswered& answer) { first_batch(answer); });
    } else if (std::holds_alternative<exactly_once::InitProducer>(action)) {
      init_producer();
    } else if (std::holds_alternative<exactly_once::CompareOffsets>(action)) {
      compare_offsets();
    } else if (std::holds_alternative<exactly_once::BeginTransaction>(action)) {
      busy_ = false;
      run_steps();
      return;
    } else if (const auto* abandon = std::get_if<exactly_once::AbandonStart>(&action)) {
      give_up([this, reason = abandon->reason] { host_.yield_to_successor(reason); });
    } else if (const auto* anew = std::get_if<exactly_once::StartAnew>(&action)) {
      give_up([this, reason = anew->reason] { host_.start_anew(reason); });
    } else if (const auto* fail = std::get_if<exactly_once::FailStart>(&action)) {
      give_up([this, error = fail->error] { host_.fail(trace_of(error)); });
    }
  }
}

void ExactlyOnceWriter::init_producer() {
  if (init_attempts_++ > 0 && !init_due_) {
    init_due_ = Steady::now() + kInitBackoff;  // proceed() comes back here
    return;
  }
  init_due_.reset();
  auto result = std::make_shared<Result<void>>();
  host_.call_apart([this, result] { *result = make_client(); },
                   [this, result] {
                     if (*result) {
                       first_batch(exactly_once::StepDone{});
                     } else {
                       first_batch(exactly_once::StepFailed{result->error()});
                     }
                   });
}

void ExactlyOnceWriter::compare_offsets() {
  auto result = std::make_shared<Result<bool>>(false);
  host_.call_apart([this, result] { *result = offsets_.still_as_known(); },
                   [this, result] {
                     if (*result) {
                       first_batch(exactly_once::OffsetsCompared{**result});
                     } else {
                       first_batch(exactly_once::StepFailed{result->error()});
                     }
                   });
}

bool ExactlyOnceWriter::send(const exactly_once::Send& range) {
  for (std::size_t i = range.from; i < range.to; ++i) {
    if (!note_offset(i)) return false;
    if (!batch_.ready[i].dropped && !send_one(i)) return false;
    if (batch_.ready[i].dropped && batch_.ready[i].kept) sent_.push_back({std::move(batch_.records[i]), std::nullopt});
  }
  return store_noted_offsets();
}

bool ExactlyOnceWriter::send_one(std::size_t index) {
  const ReadyRecord& ready = batch_.ready[index];
  if (const auto there = topics_.ensure(ready.topic.view()); !there) {
    abort_and_fail(there.error());
    return false;
  }
  const std::uint64_t tag = ready.kept ? sent_.size() + 1 : 0;
  if (auto produced = producer_->produce(to_record_out(ready, tag, headers_)); !produced) {
    if (produced.error().kind() == ErrorKind::Fenced) {
      fenced(produced.error());
    } else {
      abort_and_fail(std::move(produced).error().while_doing(batch_place(index)));
    }
    return false;
  }
  if (ready.kept) sent_.push_back({std::move(batch_.records[index]), std::nullopt});
  if (index == 0 || !(batch_.ready[index - 1].topic == ready.topic)) host_.topic_used(ready.topic.str());
  return true;
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
      if (produced.error().kind() == ErrorKind::Fenced) {
        fenced(produced.error());
      } else {
        abort_and_fail(std::move(produced).error().while_doing("writing source offsets to topic '" + topic + "'"));
      }
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

/// A transaction may stay open for minutes; that its producer was fenced or a record was refused is acted upon when it is known,
/// not when the commit comes.
bool ExactlyOnceWriter::took_harm() {
  if (!producer_ || !transaction_open_) return false;
  producer_->poll();
  if (!delivery_error_) return false;
  if (const auto dead = producer_->dead()) {
    failed(*dead);
  } else if (delivery_error_->kind() == ErrorKind::Fenced) {
    fenced(*delivery_error_);
  } else {
    abort_and_fail(*delivery_error_);
  }
  return true;
}

/// By the flags, never by the code alone.
void ExactlyOnceWriter::failed(const TransactionFailure& failure) {
  if (failure.fenced) {
    fenced(failure.error);
  } else if (failure.requires_abort || delivery_error_) {
    abort_and_fail(delivery_error_.value_or(failure.error));
  } else if (failure.retriable && interrupted_) {
    record_->aborted(AbortCause::Stopped, "the task was stopped while the transaction was in progress; its successor aborts it");
    give_up([this] { host_.yield_to_successor("interrupted while a transaction was in progress"); });
  } else {
    if (transaction_open_) record_->aborted(AbortCause::Failure, failure.error.message());
    give_up([this, error = failure.error] { host_.fail(trace_of(error)); });
  }
}

/// A fenced client is dead; who is to blame can only be told by asking whether this run is still the owner.
void ExactlyOnceWriter::fenced(const Error& error) {
  busy_ = true;
  exactly_once::FencedFacts facts;
  facts.transactional_id = settings_.transactional_id;
  if (transaction_open_) facts.open_for = std::chrono::duration_cast<Duration>(Steady::now() - began_);
  if (producer_) facts.transaction_timeout = producer_->transaction_timeout();
  facts.slowest_poll = host_.slowest_poll();
  facts.restarts = restarts_;
  facts.aborted_by_operator = record_->take_expected_abort();
  host_.ask_owner([this, facts, error](const exactly_once::OwnershipAnswered& answer) mutable {
    const auto now = std::chrono::duration_cast<Duration>(Steady::now().time_since_epoch());
    facts.superseded = answer.superseded;
    facts.late_fence_possible = answer.late_fence_possible;
    facts.late_fences = host_.late_fences().count(now);
    note_fencing(facts);
    const auto verdict = exactly_once::judge_fenced(facts);
    if (const auto* anew = std::get_if<exactly_once::RestartFromCommitted>(&verdict)) {
      if (anew->late_fence) host_.late_fences().add(now);
      give_up([this, note = anew->note] { host_.start_anew(note); });
    } else if (const auto* end = std::get_if<exactly_once::EndSilently>(&verdict)) {
      give_up([this, reason = end->reason] { host_.yield_to_successor(reason); });
    } else {
      const std::string trace = std::get<exactly_once::FailTask>(verdict).trace;
      give_up([this, trace, error] { host_.fail(trace_of(trace, trace_of(error))); });
    }
  });
}

void ExactlyOnceWriter::note_fencing(const exactly_once::FencedFacts& facts) {
  AbortCause cause = AbortCause::Fenced;
  std::string reason;
  if (facts.superseded) {
    reason = "fenced by a newer generation: " + *facts.superseded;
    record_->fenced(Fencer::NewerGeneration, *facts.superseded);
  } else if (facts.aborted_by_operator) {
    cause = AbortCause::Operator;
    reason = *facts.aborted_by_operator;
  } else if (exactly_once::ran_into_timeout(facts)) {
    cause = AbortCause::Timeout;
    reason = fmt::format("open for {} ms, beyond transaction.timeout.ms={}", facts.open_for->count(),
                         facts.transaction_timeout.count());
  } else {
    reason = facts.late_fence_possible ? "another client took the transactional id "
                                       : "another client, no task of this cluster, took the transactional id ";
    reason += facts.transactional_id;
    record_->fenced(Fencer::ForeignProducer, reason);
  }
  if (facts.open_for) record_->aborted(cause, std::move(reason));
}

/// The records are taken back; after a failed delivery the sequence numbers have a hole, so the client is not used again.
void ExactlyOnceWriter::abort_and_fail(const Error& cause) {
  busy_ = true;
  const bool may_pass = cause.retriable() && restarts_ < exactly_once::kTimeoutRestartsMax;
  if (transaction_open_) record_->aborted(AbortCause::Failure, cause.message());
  host_.call_apart(
      [producer = producer_, open = transaction_open_] {
        if (producer && open) (void)producer->abort(kTransactionCall);
      },
      [this, cause, may_pass] {
        give_up([this, cause, may_pass] {
          if (may_pass) {
            host_.start_anew("a transaction was aborted: " + cause.message());
          } else {
            host_.fail(trace_of(cause));
          }
        });
      });
}

void ExactlyOnceWriter::give_up(std::function<void()> last_word) {
  if (over_) return;
  over_ = true;
  busy_ = false;
  steps_.clear();
  drop_client();
  last_word();
}

}  // namespace fencepost::runtime
