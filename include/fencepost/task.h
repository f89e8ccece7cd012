#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "fencepost/config_def.h"
#include "fencepost/errors.h"
#include "fencepost/offset_storage_reader.h"
#include "fencepost/plugin_log.h"
#include "fencepost/record.h"

namespace fencepost {

/// Lets a task say where its transactions end, under transaction.boundary=connector (KIP-618).
/// Threads: the task's own, from poll().
class TransactionContext {
 public:
  virtual ~TransactionContext() = default;
  /// After the batch that the current poll() returns.
  virtual void commit_transaction() = 0;
  /// After this record of that batch has been sent. Records are told apart by their place in the batch: `index`.
  virtual void commit_transaction_after(std::size_t index) = 0;
  /// Drops the records of the batch, and all since the last commit; their offsets still move, so they are not read again.
  virtual void abort_transaction() = 0;
  virtual void abort_transaction_after(std::size_t index) = 0;
};

/// What the runtime offers to a source task.
class SourceTaskContext {
 public:
  virtual ~SourceTaskContext() = default;

  /// The task's config as it is now, references to secrets resolved.
  [[nodiscard]] virtual const ConfigMap& configs() const = 0;
  [[nodiscard]] virtual OffsetStorageReader& offsets() = 0;
  /// Null pointer unless the connector defines the transactions.
  [[nodiscard]] virtual TransactionContext* transaction_context() = 0;
  /// About how many bytes (SourceRecord::size_estimate) one poll() should return at most. More is not refused, but memory is
  /// planned by this.
  [[nodiscard]] virtual std::size_t batch_bytes_max() const = 0;
  /// Records are waiting: poll now. Any thread, at any time between start() and the task's destruction; cheap, and harmless when
  /// there is nothing.
  virtual void wake_up() = 0;
  [[nodiscard]] virtual const PluginLog& log() const = 0;
};

/// Copies data from another system into Kafka. One object is one task: a share of its connector's work.
///
/// Threads: one call at a time, but not always from the same thread: many idle tasks share few threads. stop() alone may come
/// from any
///          thread at any time.
/// Life:    start, poll*, stop, once; a restarted task is a new object.
/// Errors:  RetriableError from poll(): it is called again later. Any other exception fails this task, stands as its trace in the
///          status, and touches no other task.
class SourceTask {
 public:
  virtual ~SourceTask() = default;

  [[nodiscard]] virtual std::string version() const = 0;
  /// Called once, before the first poll(). The last committed offsets are in context.offsets(); the context outlives the task.
  virtual void start(const ConfigMap& config, SourceTaskContext& context) = 0;
  /// The next records in source order: whatever is there, at once. An empty vector means "nothing now": the runtime comes again
  /// after a back-off of up to 500 ms, or at once after context.wake_up(). A task that is told of new data by a thread of its own
  /// (a consumer, an inotify watch) therefore returns at once and wakes the runtime. poll() may block for about a second, no
  /// longer, but it occupies one of few threads meanwhile. Large batches are welcome; the runtime bounds memory by bytes, so stop
  /// at about context.batch_bytes_max().
  [[nodiscard]] virtual std::vector<SourceRecord> poll() = 0;
  /// The offsets of all records before the last commit are durable.
  virtual void commit() {}
  /// This record is in Kafka (metadata), or was dropped by a transform or by errors.tolerance (null pointer). Only called if
  /// wants_commit_record().
  virtual void commit_record(const SourceRecord& /*record*/, const RecordMetadata* /*metadata*/) {}
  /// Whether commit_record() does anything: if not, records need not be kept until they are acknowledged.
  [[nodiscard]] virtual bool wants_commit_record() const { return false; }
  /// What of a record is kept until it is in Kafka, for commit_record().
  enum class Kept : std::uint8_t { Nothing, Place, Record };
  /// Asked for each record of a batch in order, perhaps twice in a row for the same one, if wants_commit_record(). Nothing: no
  /// commit_record() for this one. Place: it comes with source partition and offset only, so that topic, key, value and headers
  /// need no memory until a long transaction ends.
  [[nodiscard]] virtual Kept kept(const SourceRecord& /*record*/) { return Kept::Record; }
  /// Makes a blocked poll() return soon. Resources are released in the destructor, or in the last poll().
  virtual void stop() noexcept = 0;

 protected:
  SourceTask() = default;
  SourceTask(const SourceTask&) = default;
  SourceTask& operator=(const SourceTask&) = default;
};

/// An offset to commit for a partition of a sink's topic: one past the last record that is safe.
struct SinkOffset {
  std::int64_t offset = -1;
  std::string metadata{};

  friend bool operator==(const SinkOffset&, const SinkOffset&) = default;
};
using SinkOffsets = std::map<TopicPartition, SinkOffset>;

/// Takes records that a sink cannot write, one by one (KIP-610): they count as errors of the task's errors.* settings, go to the
/// dead letter queue where there is one, and fail the task where errors.tolerance=none.
class ErrantRecordReporter {
 public:
  virtual ~ErrantRecordReporter() = default;
  /// Reports that were made before a flush() are in the dead letter queue before its offsets are committed.
  virtual void report(const SinkRecord& record, const std::exception& reason) = 0;
};

/// What the runtime offers to a sink task. Threads: the task's own.
class SinkTaskContext {
 public:
  virtual ~SinkTaskContext() = default;

  [[nodiscard]] virtual const ConfigMap& configs() const = 0;
  [[nodiscard]] virtual const std::set<TopicPartition>& assignment() const = 0;
  /// Nothing is consumed from these until resume().
  virtual void pause(const std::vector<TopicPartition>& partitions) = 0;
  virtual void resume(const std::vector<TopicPartition>& partitions) = 0;
  /// The next put() begins at these offsets.
  virtual void offset(const std::map<TopicPartition, std::int64_t>& offsets) = 0;
  /// After RetriableError, wait this long before the same records come again.
  virtual void timeout(std::chrono::milliseconds wait) = 0;
  /// Commit offsets soon, without waiting for offset.flush.interval.ms.
  virtual void request_commit() = 0;
  /// Null pointer where errors are neither tolerated nor reported.
  [[nodiscard]] virtual ErrantRecordReporter* errant_record_reporter() = 0;
  [[nodiscard]] virtual const PluginLog& log() const = 0;
};

/// Copies records of Kafka topics to another system.
///
/// Threads: one call at a time. Errors: RetriableError from put(): the same records come again; any other exception fails this
/// task.
class SinkTask {
 public:
  virtual ~SinkTask() = default;

  [[nodiscard]] virtual std::string version() const = 0;
  virtual void start(const ConfigMap& config, SinkTaskContext& context) = 0;
  /// Partitions that were newly assigned; records of them follow.
  virtual void open(const std::vector<TopicPartition>& /*partitions*/) {}
  /// Partitions that go elsewhere; their offsets have been asked for by pre_commit().
  virtual void close(const std::vector<TopicPartition>& /*partitions*/) {}
  /// In order within a partition. May keep them in memory until flush(). Called with no records too.
  virtual void put(const std::vector<SinkRecord>& records) = 0;
  /// Everything up to these offsets is to be safe when it returns.
  virtual void flush(const SinkOffsets& /*offsets*/) {}
  /// Which offsets to commit, given those of everything that was put. The default flushes and returns them all.
  [[nodiscard]] virtual SinkOffsets pre_commit(const SinkOffsets& offsets) {
    flush(offsets);
    return offsets;
  }
  virtual void stop() noexcept = 0;

 protected:
  SinkTask() = default;
  SinkTask(const SinkTask&) = default;
  SinkTask& operator=(const SinkTask&) = default;
};

}  // namespace fencepost
