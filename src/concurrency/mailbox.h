#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace fencepost::concurrency {

/// What crosses threads: any thread puts messages in, one thread takes them out in their order. After close() what is inside
/// can still be taken and what comes is dropped.
template <class Message>
class Mailbox {
 public:
  /// False where the mailbox is closed and the message was dropped.
  bool put(Message message) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      messages_.push_back(std::move(message));
    }
    ready_.notify_one();
    return true;
  }

  /// The next message; nothing when `until` passes first, or the mailbox is closed and empty.
  template <class Clock, class Span>
  std::optional<Message> take_until(std::chrono::time_point<Clock, Span> until) {
    std::unique_lock lock(mutex_);
    ready_.wait_until(lock, until, [this] { return closed_ || !messages_.empty(); });
    return pop();
  }

  std::optional<Message> take() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return closed_ || !messages_.empty(); });
    return pop();
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_all();
  }

  [[nodiscard]] bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }

 private:
  std::optional<Message> pop() {
    if (messages_.empty()) return std::nullopt;
    std::optional<Message> out(std::move(messages_.front()));
    messages_.pop_front();
    return out;
  }

  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Message> messages_;
  bool closed_ = false;
};

}  // namespace fencepost::concurrency
