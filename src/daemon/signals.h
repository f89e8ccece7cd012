#pragma once

#include <functional>
#include <thread>

namespace fencepost::daemon {

/// Turns SIGTERM and SIGINT into a call on a thread of its own. The second one ends the process at once: an operator who asks
/// twice does not want to wait. SIGPIPE is ignored for good: a peer that goes away is an error of that write alone.
///
/// Make it before any other thread, because threads inherit the blocked signals.
class Signals {
 public:
  explicit Signals(std::function<void()> on_stop);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  int stop_fd_;
  std::jthread thread_;
};

}  // namespace fencepost::daemon
