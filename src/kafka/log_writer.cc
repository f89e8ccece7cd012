#include "kafka/log_writer.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace fencepost::kafka {

Properties log_producer_defaults() {
  return {{"acks", "all"},
          {"linger.ms", "0"},
          {"delivery.timeout.ms", "30000"},
          {"request.timeout.ms", "10000"},
          {"max.block.ms", "0"}};
}

LogWriter::LogWriter(Translated producer, Log log) : settings_(std::move(producer)), log_(std::move(log)) {
  settings_.max_block = Duration(0);  // a full queue is an error: who orders these records must not wait
}

LogWriter::~LogWriter() {
  producer_.reset();
  for (auto& [id, callback] : callbacks_) {
    if (callback) callback(failure(ErrorKind::Unavailable, "the worker ended before the record was written"));
  }
}

LogWriter::Callback LogWriter::take(std::uint64_t id) {
  const std::lock_guard lock(callbacks_mutex_);
  const auto at = callbacks_.find(id);
  if (at == callbacks_.end()) return {};
  Callback callback = std::move(at->second);
  callbacks_.erase(at);
  return callback;
}

void LogWriter::delivered(const Delivered& delivery) {
  const Callback callback = take(delivery.opaque);
  if (!callback) return;
  if (const auto error = delivery.error()) {
    callback(Failure(*error));
  } else {
    callback(delivery.offset);
  }
}

void LogWriter::send(std::string_view topic, std::optional<std::string_view> key, std::optional<std::string_view> value,
                     Callback callback) {
  std::uint64_t id = 0;
  Result<void> result;
  {
    const std::lock_guard producing(produce_mutex_);
    {
      const std::lock_guard lock(callbacks_mutex_);
      id = ++last_id_;
      callbacks_.emplace(id, std::move(callback));
    }
    auto made = producer();
    result =
        made ? (*made)->produce({.topic = topic, .key = key, .value = value, .opaque = id}) : Failure(std::move(made).error());
  }
  if (result) return;
  if (const Callback refused = take(id)) refused(Failure(std::move(result).error()));
}

Result<Producer*> LogWriter::producer() {
  if (!producer_) {
    FENCEPOST_TRY(producer_, Producer::create(
                                 settings_, log_, [this](const Delivered& d) { delivered(d); }, Producer::Polling::Background));
  }
  return producer_.get();
}

void LogWriter::prepare(const std::string& topic, std::chrono::milliseconds timeout) {
  Producer* ready = nullptr;
  {
    const std::lock_guard producing(produce_mutex_);
    ready = producer().value_or(nullptr);
  }
  // What is wrong with the topic or the settings shows when something is written.
  if (ready != nullptr) (void)ready->partition_count(topic, timeout);
}

Result<void> LogWriter::flush(std::chrono::milliseconds timeout) {
  Producer* producer = nullptr;
  {
    const std::lock_guard producing(produce_mutex_);
    producer = producer_.get();
  }
  if (producer == nullptr) return {};
  return producer->flush(timeout);
}

}  // namespace fencepost::kafka
