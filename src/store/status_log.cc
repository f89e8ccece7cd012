#include "store/status_log.h"

#include <fmt/format.h>

#include <atomic>
#include <utility>

#include "store/write_round.h"

namespace fencepost::store {

struct StatusLog::Shared {
  Shared(std::string topic_name, Log logger) : topic(std::move(topic_name)), log(std::move(logger)) {}

  /// Whether a record may still be written: nothing newer was ordered for its key, and the log is not being closed.
  bool newest(const std::string& key, std::uint64_t sequence) {
    const std::lock_guard lock(mutex);
    return !stopped && sequences[key] == sequence;
  }

  const std::string topic;
  const Log log;
  std::mutex mutex;
  bool stopped = false;
  std::map<std::string, std::uint64_t> sequences;
};

StatusLog::StatusLog(kafka::TopicLogOptions options, std::shared_ptr<kafka::LogWriter> writer, const Log& log, Post post)
    : writer_(std::move(writer)),
      shared_(std::make_shared<Shared>(options.topic.name, log)),
      log_(std::move(options), log, [post = std::move(post)](std::span<const kafka::LogRecord> records) {
        post(herder::StatusRecordsRead{to_topic_records(records)});
      }) {}

StatusLog::~StatusLog() { stop(); }

Result<void> StatusLog::start(std::chrono::milliseconds timeout) {
  FENCEPOST_CHECK(log_.start(timeout));
  writer_->prepare(log_.topic(), kPrepareTime);
  return {};
}

void StatusLog::stop() {
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
  }
  log_.stop();
}

void StatusLog::write(const herder::WriteStatusRecord& order) {
  std::uint64_t sequence = 0;
  {
    const std::lock_guard lock(shared_->mutex);
    sequence = ++shared_->sequences[order.key];
  }
  send(shared_, writer_, order, sequence);
}

void StatusLog::send(const std::shared_ptr<Shared>& shared, const std::shared_ptr<kafka::LogWriter>& writer,
                     const herder::WriteStatusRecord& order, std::uint64_t sequence) {
  // A record refused at once (the queue is full) is not repeated: that would go round in a circle.
  const auto queued = std::make_shared<std::atomic<bool>>(false);
  // The writer is held weakly: its last callbacks come from its destructor.
  writer->send(
      shared->topic, order.key, order.value,
      [shared, weak = std::weak_ptr(writer), order, sequence, queued](const Result<std::int64_t>& written) {
        if (written || !shared->newest(order.key, sequence)) return;
        const auto again = weak.lock();
        if (!again || !*queued || !written.error().retriable()) {
          shared->log.error(fmt::format("status record {} could not be written: {}", order.key, written.error().message()));
          return;
        }
        shared->log.warn(fmt::format("status record {} is written again: {}", order.key, written.error().message()));
        send(shared, again, order, sequence);
      });
  *queued = true;
}

}  // namespace fencepost::store
