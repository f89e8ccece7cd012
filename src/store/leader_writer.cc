#include "store/leader_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fencepost::store {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr auto kAbortTime = 10'000ms;

milliseconds until(std::chrono::steady_clock::time_point deadline) {
  return std::max(1ms, std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()));
}

}  // namespace

LeaderWriter::LeaderWriter(std::string topic, kafka::Translated producer, milliseconds write_timeout, Log log)
    : topic_(std::move(topic)), settings_(std::move(producer)), write_timeout_(write_timeout), log_(std::move(log)) {
  thread_ = std::thread([this] { run(); });
}

LeaderWriter::~LeaderWriter() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (producer_) producer_->cancel();
  }
  orders_.close();
  thread_.join();
}

void LeaderWriter::claim() { orders_.put(Claim{}); }

void LeaderWriter::release() { orders_.put(Release{}); }

void LeaderWriter::write(std::vector<herder::RecordToWrite> records, Callback callback) {
  orders_.put(Write{.records = std::move(records), .callback = std::move(callback)});
}

bool LeaderWriter::stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void LeaderWriter::drop() {
  std::unique_ptr<kafka::Producer> gone;
  const std::lock_guard lock(mutex_);
  gone.swap(producer_);
}

void LeaderWriter::run() {
  while (auto order = orders_.take()) {
    const auto deadline = Clock::now() + write_timeout_;
    std::visit([&](auto& what) { carry_out(what, deadline); }, *order);
  }
  drop();
}

void LeaderWriter::carry_out(Release&, Clock::time_point) { drop(); }

void LeaderWriter::carry_out(Claim&, Clock::time_point deadline) {
  drop();  // whoever led meanwhile has the newer epoch: only a new claim fences it
  if (stopping()) return;
  if (const auto claimed = ensure_claimed(deadline); !claimed && !stopping()) {
    log_.warn(fmt::format("config topic {}: the right to write as leader could not be claimed, the next write tries again: {}",
                          topic_, claimed.error().message()));
  }
}

void LeaderWriter::carry_out(Write& order, Clock::time_point deadline) {
  Result<std::int64_t> result =
      stopping() ? failure(ErrorKind::Unavailable, "the worker is stopping") : write_now(order.records, deadline);
  if (!result) {
    result = Failure(std::move(result).error().while_doing(fmt::format("Failed to write to the config topic '{}'", topic_)));
  }
  order.callback(result);
}

Result<void> LeaderWriter::ensure_claimed(Clock::time_point deadline) {
  if (producer_) return {};
  FENCEPOST_TRY(auto made, kafka::Producer::create(settings_, log_, [this](const kafka::Delivered& delivered) {
                  if (auto error = delivered.error(); error && !delivery_error_) delivery_error_ = std::move(error);
                  written_to_ = std::max(written_to_, delivered.offset + 1);
                }));
  {
    const std::lock_guard lock(mutex_);
    producer_ = std::move(made);
    if (stopping_) producer_->cancel();
  }
  const auto claimed = producer_->init_transactions(until(deadline));
  if (!claimed) return Failure(abandon(claimed.error()));
  FENCEPOST_CHECK(producer_->partition_count(topic_, until(deadline)));
  return {};
}

/// The producer is of no more use; says why.
Error LeaderWriter::abandon(const kafka::TransactionError& error) {
  drop();
  if (error.fenced)
    return {ErrorKind::Fenced, fmt::format("another worker has claimed the log as its leader: {}", error.message)};
  return error.to_error();
}

/// After a failure inside of a transaction. An abort that does not succeed in time leaves the transaction to the next claim.
void LeaderWriter::abort_or_drop(Clock::time_point deadline) {
  const auto aborted = producer_->abort(std::max(until(deadline), milliseconds(kAbortTime)));
  if (!aborted || producer_->spent()) drop();
}

Result<std::int64_t> LeaderWriter::write_now(const std::vector<herder::RecordToWrite>& records, Clock::time_point deadline) {
  FENCEPOST_CHECK(ensure_claimed(deadline));
  delivery_error_.reset();
  if (const auto begun = producer_->begin(); !begun) return Failure(abandon(begun.error()));
  for (const auto& record : records) {
    auto queued = producer_->produce({.topic = topic_, .partition = 0, .key = record.key, .value = record.value});
    if (queued) continue;
    abort_or_drop(deadline);
    return Failure(std::move(queued).error());
  }
  const auto committed = producer_->commit(until(deadline));
  if (committed) return written_to_;
  if (!committed.error().requires_abort) {
    // Dead, or still in progress at the deadline: nobody knows whether it will be committed, so success is not claimed.
    return Failure(abandon(committed.error()));
  }
  auto cause = delivery_error_;
  abort_or_drop(deadline);
  return Failure(cause ? *std::move(cause) : committed.error().to_error());
}

}  // namespace fencepost::store
