#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "base/time.h"

namespace boost::asio {
class io_context;
}

namespace fencepost::net {

using SteadyTime = std::chrono::steady_clock::time_point;

/// One event loop for sockets and timers, driven by one thread of the caller's. What lives on it (Cluster, GroupClient, Fencer)
/// is touched by that thread alone and must be gone before it.
///
/// Threads: post() and stop() from any; run() from one.
class Loop {
 public:
  Loop();
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Works until stop(), also while there is nothing to do.
  void run();
  void stop();
  void post(std::function<void()> work);

  [[nodiscard]] boost::asio::io_context& context() { return *context_; }

 private:
  std::unique_ptr<boost::asio::io_context> context_;
};

/// Calls back once, after a while, on the loop's thread. Starting it anew or destroying it cancels what was planned, for certain:
/// a cancelled callback never runs.
class Timer {
 public:
  explicit Timer(Loop& loop);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void start(Duration after, std::function<void()> callback) {
    start_at(std::chrono::steady_clock::now() + after, std::move(callback));
  }
  void start_at(SteadyTime when, std::function<void()> callback);
  void cancel();
  [[nodiscard]] bool running() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fencepost::net
