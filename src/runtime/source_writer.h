#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "exactly_once/fenced_verdict.h"
#include "exactly_once/source_task_start.h"
#include "exactly_once/transaction_boundary.h"
#include "fencepost/task.h"
#include "runtime/record_pipeline.h"
#include "runtime/scheduler.h"

namespace fencepost::runtime {

/// What one poll brought, and its records as bytes.
struct Batch {
  std::vector<SourceRecord> records;
  std::vector<ReadyRecord> ready;  ///< of records[0..]; the one after the `done` first waits in the middle of its stages
  std::size_t done = 0;
  std::optional<ConnectRecord> copy;  ///< what transforms make of that one where the task is to be shown its own
  exactly_once::BatchPolled polled;

  [[nodiscard]] bool converted() const { return done == records.size(); }
};

/// What a writer asks of the run that it works for; in turns only.
class WriterHost {
 public:
  virtual ~WriterHost() = default;
  /// A blocking call on another thread of the pool; `then` in a turn.
  virtual void call_apart(std::function<void()> blocking, std::function<void()> then) = 0;
  /// Any thread: a function for the next turn.
  virtual void later(std::function<void()> then) = 0;
  virtual void ask_owner(std::function<void(exactly_once::OwnershipAnswered)> then) = 0;
  /// The task fails with this trace.
  virtual void fail(std::string trace) = 0;
  /// A successor runs: end without a word.
  virtual void yield_to_successor(const std::string& reason) = 0;
  /// Throw everything away and begin from the committed offsets.
  virtual void start_anew(const std::string& note) = 0;
  /// Of all lives of the run.
  [[nodiscard]] virtual exactly_once::LateFences& late_fences() = 0;
  virtual void topic_used(const std::string& topic) = 0;
  /// Records are durable or dropped (null metadata), then everything before a commit is.
  virtual void record_done(const SourceRecord& record, const RecordMetadata* metadata) = 0;
  virtual void commit_done() = 0;
  /// The longest poll since the last call.
  [[nodiscard]] virtual Duration slowest_poll() = 0;
};

/// Takes batches to Kafka. In turns of its run; interrupt() from any thread.
class SourceWriter {
 public:
  virtual ~SourceWriter() = default;
  /// Whether write() may be called.
  [[nodiscard]] virtual bool ready() const = 0;
  virtual void write(Batch batch) = 0;
  /// What has to be done by the clock; when to come again.
  virtual Steady::time_point proceed(Steady::time_point now) = 0;
  /// Commit what is complete; drained() is true afterwards, until the next write().
  virtual void drain() = 0;
  [[nodiscard]] virtual bool drained() const = 0;
  /// Calls that wait for the broker return soon.
  virtual void interrupt() noexcept = 0;
};

/// Numbers the source partitions of a task. Copies of one handle are told apart without comparing their fields.
class PartitionNumbers {
 public:
  explicit PartitionNumbers(std::string connector) : connector_(std::move(connector)) {}
  /// InvalidConfig where a field cannot be stored.
  [[nodiscard]] Result<std::uint32_t> number(const SourcePartition& partition);
  /// The key in the offsets topic.
  [[nodiscard]] const std::string& key(std::uint32_t number) const { return keys_[number]; }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  struct Known {
    SourcePartition handle;  // keeps the identity from being used again
    std::uint32_t number = 0;
  };
  std::string connector_;
  const void* last_identity_ = nullptr;
  std::uint32_t last_number_ = 0;
  std::unordered_map<const void*, Known> by_identity_;
  std::unordered_map<std::string, std::uint32_t> by_key_;
  std::vector<std::string> keys_;
};

/// The record as its producer takes it. The views live as long as `ready` and `headers` do.
[[nodiscard]] RecordOut to_record_out(const ReadyRecord& ready, std::uint64_t tag, std::vector<HeaderOut>& headers);

}  // namespace fencepost::runtime
