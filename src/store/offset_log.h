#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kafka/log_writer.h"
#include "kafka/topic_log.h"
#include "protocol/offsets.h"

namespace fencepost::store {

/// An offsets topic and what it says now: the worker's own, followed for as long as it runs, or a connector's, opened for one
/// reading. Records that are no offsets are warned of, each once, and change nothing.
///
/// Threads: any.
class OffsetLog {
 public:
  using Callback = std::function<void(const Result<void>&)>;
  /// Bytes of keys and values; no value is a tombstone: the source partition begins anew.
  using Records = std::vector<std::pair<std::string, std::optional<std::string>>>;
  struct Entry {
    std::string key;
    std::string value;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  /// `writer` may be absent for a log that is only read.
  OffsetLog(kafka::TopicLogOptions options, std::shared_ptr<kafka::LogWriter> writer, const Log& log);
  ~OffsetLog();

  /// See TopicLog::start(): reads to the end (under read_committed, to the last stable offset).
  [[nodiscard]] Result<void> start(std::chrono::milliseconds timeout);
  void stop() { log_.stop(); }

  /// What get() and entries() say afterwards is at least as new as the topic at the time of the call. The callback comes on the
  /// log's thread and must not wait.
  void read_to_end(std::chrono::milliseconds timeout, Callback callback);
  [[nodiscard]] Result<void> read_to_end(std::chrono::milliseconds timeout);

  /// The offset stored under the bytes of a key; nothing where there is none.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  /// All source partitions of a connector that have an offset, in the order of their keys.
  [[nodiscard]] std::vector<Entry> entries(std::string_view connector) const;

  /// Calls back once, with the first error, when all records are in the topic or given up; not necessarily read back.
  void write(const Records& records, Callback callback);

  [[nodiscard]] const std::string& topic() const { return log_.topic(); }

 private:
  void read(std::span<const kafka::LogRecord> records);

  Log logger_;
  std::shared_ptr<kafka::LogWriter> writer_;
  mutable std::mutex mutex_;
  protocol::OffsetState state_;
  kafka::TopicLog log_;
};

}  // namespace fencepost::store
