#include "runtime/transaction_board.h"

#include <utility>

namespace fencepost::runtime {
namespace {

/// Tasks that left this worker are remembered up to here, so that their last words can be asked for.
constexpr std::size_t kRecordsMax = 4'096;

/// For people to read: the wall clock, which nothing is decided by.
Time wall_clock() { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); }

}  // namespace

std::string_view to_string(TransactionStage stage) {
  static constexpr std::string_view kNames[kTransactionStages] = {"no_client", "idle", "open", "committing", "aborting"};
  return kNames[static_cast<std::size_t>(stage)];
}

std::string_view to_string(AbortCause cause) {
  static constexpr std::string_view kNames[kAbortCauses] = {"timeout", "fenced", "failure", "connector", "stopped", "operator"};
  return kNames[static_cast<std::size_t>(cause)];
}

std::string_view to_string(Fencer fencer) {
  static constexpr std::string_view kNames[kFencers] = {"newer_generation", "foreign_producer"};
  return kNames[static_cast<std::size_t>(fencer)];
}

TransactionRecord::TransactionRecord(TaskId task, std::string transactional_id) {
  figures_.task = std::move(task);
  figures_.transactional_id = std::move(transactional_id);
}

void TransactionRecord::running(bool is) {
  const std::lock_guard lock(mutex_);
  figures_.running = is;
  figures_.stage = TransactionStage::NoClient;
  figures_.open_since.reset();
  figures_.uncommitted_records = 0;
  expected_abort_.reset();
}

void TransactionRecord::client(bool has) {
  const std::lock_guard lock(mutex_);
  figures_.stage = has ? TransactionStage::Idle : TransactionStage::NoClient;
  figures_.open_since.reset();
  figures_.uncommitted_records = 0;
  expected_abort_.reset();  // it was meant for the client before
}

void TransactionRecord::opened() {
  const std::lock_guard lock(mutex_);
  figures_.stage = TransactionStage::Open;
  figures_.open_since = wall_clock();
}

void TransactionRecord::wrote(std::uint64_t records) {
  const std::lock_guard lock(mutex_);
  figures_.uncommitted_records += records;
}

void TransactionRecord::committing() {
  const std::lock_guard lock(mutex_);
  figures_.stage = TransactionStage::Committing;
}

void TransactionRecord::committed() {
  const std::lock_guard lock(mutex_);
  figures_.stage = TransactionStage::Idle;
  figures_.open_since.reset();
  figures_.uncommitted_records = 0;
  figures_.last_commit = wall_clock();
  expected_abort_.reset();  // the commit was quicker
  ++figures_.commits;
}

void TransactionRecord::aborting() {
  const std::lock_guard lock(mutex_);
  figures_.stage = TransactionStage::Aborting;
}

void TransactionRecord::aborted(AbortCause cause, std::string reason) {
  const std::lock_guard lock(mutex_);
  figures_.stage = TransactionStage::Idle;
  figures_.open_since.reset();
  figures_.uncommitted_records = 0;
  ++figures_.aborts[static_cast<std::size_t>(cause)];
  figures_.last_abort = Happening{wall_clock(), std::move(reason)};
}

void TransactionRecord::fenced(Fencer by, std::string who) {
  const std::lock_guard lock(mutex_);
  ++figures_.fenced[static_cast<std::size_t>(by)];
  figures_.last_fenced = Happening{wall_clock(), std::move(who)};
}

void TransactionRecord::restarted(std::string note) {
  const std::lock_guard lock(mutex_);
  ++figures_.restarts;
  figures_.last_restart = Happening{wall_clock(), std::move(note)};
}

void TransactionRecord::expect_abort(std::string reason) {
  const std::lock_guard lock(mutex_);
  expected_abort_ = std::move(reason);
}

std::optional<std::string> TransactionRecord::take_expected_abort() {
  const std::lock_guard lock(mutex_);
  return std::exchange(expected_abort_, std::nullopt);
}

TransactionFigures TransactionRecord::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

std::shared_ptr<TransactionRecord> TransactionBoard::record(const TaskId& task, const std::string& transactional_id) {
  const std::lock_guard lock(mutex_);
  auto& place = records_[task];
  if (place) return place;
  place = std::make_shared<TransactionRecord>(task, transactional_id);
  auto made = place;
  if (records_.size() > kRecordsMax) {
    std::erase_if(records_, [&](const auto& entry) { return entry.second != made && !entry.second->figures().running; });
  }
  return made;
}

std::shared_ptr<TransactionRecord> TransactionBoard::find(const TaskId& task) const {
  const std::lock_guard lock(mutex_);
  const auto at = records_.find(task);
  return at == records_.end() ? nullptr : at->second;
}

void TransactionBoard::measure(metrics::Samples& into) const {
  std::vector<TransactionFigures> all;
  {
    const std::lock_guard lock(mutex_);
    all.reserve(records_.size());
    for (const auto& [task, record] : records_) all.push_back(record->figures());
  }
  const Time now = wall_clock();
  for (const TransactionFigures& of : all) {
    const metrics::Labels labels{{"connector", of.task.connector}, {"task", std::to_string(of.task.task)}};
    const auto with = [&](const char* name, std::string_view value) {
      metrics::Labels out = labels;
      out.emplace_back(name, value);
      return out;
    };
    if (of.running) {
      for (std::size_t i = 0; i < kTransactionStages; ++i) {
        const auto stage = static_cast<TransactionStage>(i);
        into.add(metrics::Id::TransactionState, with("state", to_string(stage)), of.stage == stage ? 1 : 0);
      }
      const double open = of.open_since ? std::chrono::duration<double>(now - *of.open_since).count() : 0;
      into.add(metrics::Id::TransactionOpenSeconds, labels, open);
      into.add(metrics::Id::TransactionUncommittedRecords, labels, static_cast<double>(of.uncommitted_records));
    }
    into.add(metrics::Id::TransactionCommits, labels, static_cast<double>(of.commits));
    for (std::size_t i = 0; i < kAbortCauses; ++i) {
      into.add(metrics::Id::TransactionAborts, with("reason", to_string(static_cast<AbortCause>(i))),
               static_cast<double>(of.aborts[i]));
    }
    for (std::size_t i = 0; i < kFencers; ++i) {
      into.add(metrics::Id::TaskFenced, with("by", to_string(static_cast<Fencer>(i))), static_cast<double>(of.fenced[i]));
    }
    into.add(metrics::Id::SelfHealingRestarts, labels, static_cast<double>(of.restarts));
  }
}

}  // namespace fencepost::runtime
