#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "kafka/message.h"
#include "kafka/native.h"

namespace fencepost::kafka {

/// Takes batches out of a queue of librdkafka. rd_kafka_consume_batch_queue() itself waits until its array is full, so the
/// waiting is done here, on the queue's "not empty any more" event.
class MessageQueue {
 public:
  explicit MessageQueue(native::Queue queue);
  ~MessageQueue();
  MessageQueue(const MessageQueue&) = delete;
  MessageQueue& operator=(const MessageQueue&) = delete;

  /// Returns as soon as there is anything; empty when the time is over, wakeup() was called, or only a transaction marker or a
  /// callback came. One thread at a time.
  std::shared_ptr<Batch> poll(std::chrono::milliseconds timeout, std::size_t messages_max);
  /// Any thread. The running or else the next poll() returns at once.
  void wakeup();
  /// Called from librdkafka's threads when the empty queue gets something: must be quick and must not call this client.
  void on_waiting(std::function<void()> callback);
  [[nodiscard]] rd_kafka_queue_t* native() const { return queue_.get(); }

 private:
  static void signalled(rd_kafka_t* client, void* opaque);
  std::shared_ptr<Batch> take(std::size_t messages_max);

  native::Queue queue_;
  std::vector<rd_kafka_message_t*> slots_;
  std::mutex mutex_;
  std::condition_variable ready_;
  bool signalled_ = true;  ///< something may lie in the queue
  bool woken_ = false;
  std::function<void()> on_waiting_;
};

}  // namespace fencepost::kafka
