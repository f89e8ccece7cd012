#include "kafka/message_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fencepost::kafka {
namespace {

std::optional<std::string_view> view(const void* bytes, std::size_t size) {
  if (bytes == nullptr) return std::nullopt;
  return std::string_view(static_cast<const char*>(bytes), size);
}

std::string_view topic_of(const rd_kafka_message_t& m) { return m.rkt == nullptr ? "" : rd_kafka_topic_name(m.rkt); }

}  // namespace

std::vector<HeaderView> Message::headers() const {
  std::vector<HeaderView> out;
  rd_kafka_headers_t* list = nullptr;
  if (native == nullptr || rd_kafka_message_headers(native, &list) != RD_KAFKA_RESP_ERR_NO_ERROR) return out;
  const char* name = nullptr;
  const void* bytes = nullptr;
  std::size_t size = 0;
  out.reserve(rd_kafka_header_cnt(list));
  for (std::size_t i = 0; rd_kafka_header_get_all(list, i, &name, &bytes, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    out.push_back(HeaderView{.key = name, .value = view(bytes, size)});
  }
  return out;
}

Batch::~Batch() {
  for (rd_kafka_message_t* message : owned_) rd_kafka_message_destroy(message);
}

MessageQueue::MessageQueue(native::Queue queue) : queue_(std::move(queue)) {
  rd_kafka_queue_cb_event_enable(queue_.get(), &MessageQueue::signalled, this);
}

MessageQueue::~MessageQueue() { rd_kafka_queue_cb_event_enable(queue_.get(), nullptr, nullptr); }

void MessageQueue::signalled(rd_kafka_t*, void* opaque) {
  auto* self = static_cast<MessageQueue*>(opaque);
  const std::lock_guard lock(self->mutex_);
  self->signalled_ = true;
  self->ready_.notify_one();
  if (self->on_waiting_) self->on_waiting_();
}

void MessageQueue::wakeup() {
  const std::lock_guard lock(mutex_);
  woken_ = true;
  ready_.notify_one();
}

void MessageQueue::on_waiting(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  on_waiting_ = std::move(callback);
}

std::shared_ptr<Batch> MessageQueue::poll(std::chrono::milliseconds timeout, std::size_t messages_max) {
  {
    std::unique_lock lock(mutex_);
    ready_.wait_for(lock, timeout, [this] { return signalled_ || woken_; });
    woken_ = false;
    signalled_ = false;
  }
  // Asked even where nothing was signalled: a member of a group that does not ask is thrown out (max.poll.interval.ms). What the
  // queue got may be a transaction marker or a callback: an empty batch then, but positions have moved.
  auto batch = take(messages_max);
  if (batch->owned_.size() == messages_max) {
    // The rest is signalled no more: the queue has not been empty in between.
    const std::lock_guard lock(mutex_);
    signalled_ = true;
  }
  return batch;
}

std::shared_ptr<Batch> MessageQueue::take(std::size_t messages_max) {
  auto batch = std::make_shared<Batch>();
  if (slots_.size() < messages_max) slots_.resize(messages_max);
  const auto got = rd_kafka_consume_batch_queue(queue_.get(), 0, slots_.data(), messages_max);
  if (got <= 0) return batch;
  const auto count = static_cast<std::size_t>(got);
  batch->owned_.assign(slots_.begin(), slots_.begin() + got);
  batch->messages.reserve(count);
  const rd_kafka_topic_t* last = nullptr;
  std::string_view topic;
  for (rd_kafka_message_t* m : batch->owned_) {
    if (m->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      batch->ends.push_back(PartitionEnd{.topic = topic_of(*m), .partition = m->partition, .offset = m->offset});
      continue;
    }
    if (m->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      batch->errors.push_back(PartitionError{
          .at = {std::string(topic_of(*m)), m->partition},
          .error = Error(native::kind_of(m->err), fmt::format("reading {}-{}: {} ({})", topic_of(*m), m->partition,
                                                              rd_kafka_message_errstr(m), rd_kafka_err2name(m->err)))});
      continue;
    }
    if (m->rkt != last) {
      last = m->rkt;
      topic = topic_of(*m);
    }
    rd_kafka_timestamp_type_t kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    const std::int64_t timestamp = rd_kafka_message_timestamp(m, &kind);
    batch->messages.push_back(Message{.topic = topic,
                                      .partition = m->partition,
                                      .offset = m->offset,
                                      .timestamp_ms = kind == RD_KAFKA_TIMESTAMP_NOT_AVAILABLE ? -1 : timestamp,
                                      .log_append_time = kind == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME,
                                      .key = view(m->key, m->key_len),
                                      .value = view(m->payload, m->len),
                                      .native = m});
    batch->bytes += m->len + m->key_len;
  }
  return batch;
}

}  // namespace fencepost::kafka
