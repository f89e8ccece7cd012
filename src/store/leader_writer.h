#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "concurrency/mailbox.h"
#include "herder/actions.h"
#include "kafka/client_settings.h"
#include "kafka/producer.h"

namespace fencepost::store {

/// Writes the config topic as its leader: one transaction a call, under a transactional id that all leaders of a group share, so
/// that whoever claims it later fences the others out of the log (KIP-618).
///
/// A producer that failed is dropped; the next write claims the id anew. Success is only told after the commit.
///
/// Threads: any; the work is done in order on a thread of its own, which calls back.
class LeaderWriter {
 public:
  /// The offset after the last record of the transaction (its marker not counted), or why nothing was written.
  using Callback = std::function<void(const Result<std::int64_t>&)>;

  LeaderWriter(std::string topic, kafka::Translated producer, std::chrono::milliseconds write_timeout, Log log);
  /// Orders that were not begun are answered with an error.
  ~LeaderWriter();
  LeaderWriter(const LeaderWriter&) = delete;
  LeaderWriter& operator=(const LeaderWriter&) = delete;

  void claim();
  void release();
  void write(std::vector<herder::RecordToWrite> records, Callback callback);

 private:
  using Clock = std::chrono::steady_clock;
  struct Claim {};
  struct Release {};
  struct Write {
    std::vector<herder::RecordToWrite> records;
    Callback callback;
  };
  using Order = std::variant<Claim, Release, Write>;

  void run();
  void carry_out(Claim& order, Clock::time_point deadline);
  void carry_out(Release& order, Clock::time_point deadline);
  void carry_out(Write& order, Clock::time_point deadline);
  Result<void> ensure_claimed(Clock::time_point deadline);
  Result<std::int64_t> write_now(const std::vector<herder::RecordToWrite>& records, Clock::time_point deadline);
  Error abandon(const kafka::TransactionError& error);
  void abort_or_drop(Clock::time_point deadline);
  void drop();
  [[nodiscard]] bool stopping() const;

  std::string topic_;
  kafka::Translated settings_;
  std::chrono::milliseconds write_timeout_;
  Log log_;
  concurrency::Mailbox<Order> orders_;
  mutable std::mutex mutex_;
  bool stopping_ = false;
  std::unique_ptr<kafka::Producer> producer_;  // replaced under the mutex, so that the destructor can cancel it
  // Of the transaction under way; deliveries come in the thread's own calls.
  std::optional<Error> delivery_error_;
  std::int64_t written_to_ = 0;
  std::thread thread_;
};

}  // namespace fencepost::store
