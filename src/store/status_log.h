#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/log.h"
#include "herder/actions.h"
#include "kafka/log_writer.h"
#include "kafka/topic_log.h"
#include "store/config_log.h"

namespace fencepost::store {

/// The status topic. What is read is posted as StatusRecordsRead; a write that fails for want of a broker is repeated, but only
/// while nothing newer was ordered for its key.
///
/// Threads: any.
class StatusLog {
 public:
  StatusLog(kafka::TopicLogOptions options, std::shared_ptr<kafka::LogWriter> writer, const Log& log, Post post);
  ~StatusLog();

  [[nodiscard]] Result<void> start(std::chrono::milliseconds timeout);
  void stop();

  void write(const herder::WriteStatusRecord& order);
  /// Waits until what was written is in the topic: for the last statuses of a worker that ends.
  [[nodiscard]] Result<void> flush(std::chrono::milliseconds timeout) { return writer_->flush(timeout); }

 private:
  /// What outlives the log, for the writer still calls back.
  struct Shared;
  static void send(const std::shared_ptr<Shared>& shared, const std::shared_ptr<kafka::LogWriter>& writer,
                   const herder::WriteStatusRecord& order, std::uint64_t sequence);

  std::shared_ptr<kafka::LogWriter> writer_;
  std::shared_ptr<Shared> shared_;
  kafka::TopicLog log_;
};

}  // namespace fencepost::store
