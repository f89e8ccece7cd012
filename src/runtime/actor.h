#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/scheduler.h"

namespace fencepost::runtime {

/// A job whose state needs no lock: what other threads want of it is posted and runs in its next turn.
class Actor : public Job, public std::enable_shared_from_this<Actor> {
 public:
  explicit Actor(Scheduler& scheduler) : scheduler_(scheduler) {}

  /// Any thread.
  void post(std::function<void()> message) {
    {
      const std::lock_guard lock(mutex_);
      messages_.push_back(std::move(message));
    }
    wake();
  }
  /// Any thread. A turn soon.
  void wake() { scheduler_.wake(shared_from_this()); }

  Steady::time_point turn() final {
    std::vector<std::function<void()>> messages;
    {
      const std::lock_guard lock(mutex_);
      messages.swap(messages_);
    }
    for (const auto& message : messages) message();
    return proceed();
  }

 protected:
  /// What it does by itself, after its messages; returns when the next turn is due.
  virtual Steady::time_point proceed() = 0;

  /// Makes a blocking call on another thread of the pool, then gives its result to `then` in a turn of this actor.
  template <class Result>
  void call(std::function<Result()> blocking, std::function<void(Result)> then) {
    scheduler_.run([self = shared_from_this(), blocking = std::move(blocking), then = std::move(then)] {
      auto result = std::make_shared<Result>(blocking());
      self->post([then, result] { then(std::move(*result)); });
    });
  }

 private:
  Scheduler& scheduler_;
  std::mutex mutex_;
  std::vector<std::function<void()>> messages_;
};

}  // namespace fencepost::runtime
