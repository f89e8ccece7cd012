#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace fencepost::mirror {

/// One thread on which all mirror connectors of a worker look at their clusters from time to time: they are many and idle.
/// Threads: any.
class Refresher {
 public:
  using Clock = std::chrono::steady_clock;

  Refresher() = default;
  ~Refresher();
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;

  /// Calls `work` first after `interval`; it returns the pause before its next call. Must not throw.
  [[nodiscard]] std::uint64_t add(Clock::duration interval, std::function<Clock::duration()> work);
  /// Once it returns, the work is not called any more; waits for a call under way.
  void remove(std::uint64_t id);

 private:
  struct Entry {
    Clock::time_point due;
    std::function<Clock::duration()> work;
  };
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t last_id_ = 0;
  std::uint64_t running_ = 0;
  std::jthread thread_;
};

}  // namespace fencepost::mirror
