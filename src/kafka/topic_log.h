#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kafka/admin.h"
#include "kafka/client_settings.h"
#include "kafka/consumer.h"

namespace fencepost::kafka {

/// A record of a log; the views end with the callback.
struct LogRecord {
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = -1;
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
};

/// What an end under isolation.level=read_committed is, where transactions are open.
enum class OpenTransactions : unsigned char {
  Passed,             ///< the last stable offset: what was committed behind an open transaction is not seen yet
  AwaitedAfterStart,  ///< start() is as above, what is asked for later as below
  Awaited             ///< the last record: reached when all transactions have ended that were open, at most their timeout later
};

struct TopicLogOptions {
  /// Its configs are for a topic that must be made; cleanup.policy=compact is added.
  TopicSpec topic;
  /// The worker or connector setting that names the topic, for messages: "config.storage.topic".
  std::string setting{};
  bool create_if_missing = true;
  /// Whether exactly one partition is allowed.
  bool single_partition = false;
  OpenTransactions open_transactions = OpenTransactions::Passed;
  /// Only isolation.level decides what the end is; see log_consumer_defaults().
  Translated consumer{};
  Translated admin{};
  /// Told by start(), on its thread, what it does (nothing: it is done) and what its last try failed with.
  std::function<void(std::string_view doing, std::string_view last_failure)> on_start_step{};
  /// One client that several logs share, instead of one of each log's own made of `admin`. Ends are asked for on its connections:
  /// on the consumer's the answer would stand behind a fetch that waits for records.
  std::shared_ptr<Admin> shared_admin{};
};

/// A compacted topic as a log that everyone replays: read from its start to its end, then followed.
///
/// Under isolation.level=read_committed an open transaction of somebody who died hides all that others have committed behind it;
/// see OpenTransactions.
///
/// Threads: records come on the log's thread, one batch after the other; during start() too. All methods may be called from any
/// thread, start() once. Callbacks must not call stop() nor wait for the log.
class TopicLog {
 public:
  using RecordsCallback = std::function<void(std::span<const LogRecord>)>;
  /// The end of each partition at the time of asking, by partition number; all records before were delivered.
  using Ends = std::vector<std::int64_t>;
  using EndCallback = std::function<void(Result<Ends>)>;

  TopicLog(TopicLogOptions options, Log log, RecordsCallback records);
  ~TopicLog();
  TopicLog(const TopicLog&) = delete;
  TopicLog& operator=(const TopicLog&) = delete;

  /// Makes the topic if it is missing, checks it, reads it to its present end and goes on following it. Waits for brokers that
  /// are away, at most `timeout`; then Timeout or Unavailable. InvalidConfig, with the cure, for a topic that is not compacted
  /// or has the wrong number of partitions: its records would be lost or out of order.
  [[nodiscard]] Result<void> start(std::chrono::milliseconds timeout);

  /// Asks the brokers for the present end and calls back, on the log's thread, when all before it was delivered. The error is
  /// Timeout or Unavailable where that did not come about in time; records go on being delivered.
  void read_to_end(std::chrono::milliseconds timeout, EndCallback callback);
  [[nodiscard]] Result<Ends> read_to_end(std::chrono::milliseconds timeout);

  /// From now on an end is only reached with `position`. For who committed records there: a transaction is committed before its
  /// marker is written, so for some milliseconds the last stable offset does not tell of it, not even to its writer.
  void must_reach(std::int32_t partition, std::int64_t position);

  /// Ends a start() or wait that is under way and reads no more. Idempotent.
  void stop();

  [[nodiscard]] const std::string& topic() const { return options_.topic.name; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Clock::time_point deadline;
    EndCallback callback;
    Ends targets;  ///< empty until the brokers told them
  };

  Result<void> open(Clock::time_point deadline);
  Result<std::int32_t> checked_partitions(std::chrono::milliseconds timeout);
  void run();
  void deliver(const Batch& batch);
  void take_new_requests();
  void find_targets();
  void complete_reached();
  [[nodiscard]] bool reached(const Ends& targets);
  [[nodiscard]] bool awaits_open_transactions() const;
  [[nodiscard]] bool stopped() const;

  TopicLogOptions options_;
  Log log_;
  RecordsCallback records_;
  std::unique_ptr<AssignedConsumer> consumer_;

  mutable std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;
  bool started_ = false;
  std::vector<Waiting> new_requests_;
  Ends floors_;

  // Of the log's thread.
  std::vector<Waiting> waiting_;
  Ends positions_;
  std::vector<LogRecord> records_of_batch_;
  std::string last_warning_;
  std::thread thread_;
};

/// How a log is read: from the beginning, and never from another place after a truncation.
[[nodiscard]] Properties log_consumer_defaults();

}  // namespace fencepost::kafka
