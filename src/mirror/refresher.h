#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace fencepost::mirror {

/// The threads on which all mirror connectors of a worker look at their clusters from time to time. One is enough while the
/// connectors are idle, however many they are; a few more are made while clusters keep it waiting. Threads: any.
class Refresher {
 public:
  using Clock = std::chrono::steady_clock;

  Refresher() = default;
  ~Refresher();
  Refresher(const Refresher&) = delete;
  Refresher& operator=(const Refresher&) = delete;

  /// Calls `work` first after `interval`; it returns the pause before its next call. Must not throw.
  [[nodiscard]] std::uint64_t add(Clock::duration interval, std::function<Clock::duration()> work);
  /// The work is not called again. A call that is under way goes on, so what it uses must belong to it.
  void remove(std::uint64_t id);

 private:
  static constexpr std::size_t kThreadsMax = 4;

  struct Entry {
    Clock::time_point due;
    std::function<Clock::duration()> work;
    bool running = false;
  };
  using Entries = std::map<std::uint64_t, Entry>;
  void run(const std::stop_token& stop);
  /// The one that is to be called next and is not being called.
  [[nodiscard]] Entries::iterator next();
  void add_thread();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  Entries entries_;
  std::uint64_t last_id_ = 0;
  std::size_t idle_ = 0;
  std::uint64_t changes_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace fencepost::mirror
