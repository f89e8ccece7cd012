#include "runtime/dead_letters.h"

#include <utility>

namespace fencepost::runtime {

Result<std::unique_ptr<DeadLetterQueue>> DeadLetterQueue::open(Settings settings, ClientsPort& clients, const Log& log) {
  const auto failed = [&](Error error) {
    return Failure(std::move(error).while_doing("preparing the dead letter queue topic '" + settings.topic + "'"));
  };
  auto there = clients.topic_partitions(settings.admin, settings.topic);
  if (!there) return failed(there.error());
  if (!*there) {
    auto made = clients.create_topic(
        settings.admin,
        {.name = settings.topic, .partitions = 1, .replication_factor = settings.replication_factor, .configs = {}});
    if (!made) return failed(made.error());
  }
  std::unique_ptr<DeadLetterQueue> queue(new DeadLetterQueue(std::move(settings)));
  FENCEPOST_TRY(queue->producer_,
                clients.producer(queue->settings_.producer, false, log, [self = queue.get()](const Delivery& d) {
                  if (d.error && !self->failure_) self->failure_ = d.error;
                }));
  return queue;
}

Result<void> DeadLetterQueue::add(const RecordIn& record, const DeadLetter& letter) {
  std::vector<HeaderOut> headers = record.headers;
  const std::string partition = std::to_string(record.partition);
  const std::string offset = std::to_string(record.offset);
  const std::string task = std::to_string(settings_.task.task);
  if (settings_.context_headers) {
    const auto put = [&](std::string_view name, std::string_view value) { headers.push_back({name, value}); };
    put("__connect.errors.topic", record.topic);
    put("__connect.errors.partition", partition);
    put("__connect.errors.offset", offset);
    put("__connect.errors.connector.name", settings_.task.connector);
    put("__connect.errors.task.id", task);
    put("__connect.errors.stage", letter.stage);
    put("__connect.errors.class.name", letter.class_name);
    put("__connect.errors.exception.class.name", letter.exception_class);
    put("__connect.errors.exception.message", letter.message);
    put("__connect.errors.exception.stacktrace", letter.trace);
  }
  FENCEPOST_CHECK(producer_->produce({.topic = settings_.topic,
                                      .key = record.key,
                                      .value = record.value,
                                      .timestamp_ms = record.timestamp_ms,
                                      .headers = headers,
                                      .tag = 1}));
  producer_->poll();
  if (failure_) return Failure(*failure_);
  return {};
}

Result<void> DeadLetterQueue::flush(Duration timeout) {
  if (producer_->pending() == 0 && !failure_) return {};
  FENCEPOST_CHECK(producer_->flush(timeout));
  if (failure_) return Failure(*failure_);
  return {};
}

}  // namespace fencepost::runtime
