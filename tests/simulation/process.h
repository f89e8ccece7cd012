#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <utility>

#include "schedule.h"

namespace fencepost::simulation {

/// A process that can be started, paused as by SIGSTOP, and killed. What is due in it waits while it is paused, and never happens
/// once it is gone.
class Process {
 public:
  explicit Process(Schedule& schedule) : schedule_(schedule) {}

  void start() {
    ++incarnation_;
    alive_ = true;
    paused_ = false;
    deferred_.clear();
  }
  void end() {
    ++incarnation_;
    alive_ = false;
    paused_ = false;
    deferred_.clear();
  }
  void pause() { paused_ = true; }
  void resume() {
    paused_ = false;
    for (auto& what : std::exchange(deferred_, {})) in(Duration(0), std::move(what));
  }
  [[nodiscard]] bool alive() const { return alive_; }
  [[nodiscard]] bool paused() const { return paused_; }
  /// Of two moments with equal numbers it is the same life.
  [[nodiscard]] std::uint64_t incarnation() const { return incarnation_; }

  void in(Duration wait, std::function<void()> what) {
    schedule_.after(wait, [this, incarnation = incarnation_, what = std::move(what)]() mutable {
      if (incarnation != incarnation_) return;
      if (paused_) {
        deferred_.push_back(std::move(what));
      } else {
        what();
      }
    });
  }
  /// The same, but never before what was ordered in this line earlier.
  void in_line(Time& line, Duration wait, std::function<void()> what) {
    line = std::max(line, schedule_.now() + wait);
    in(std::chrono::duration_cast<Duration>(line - schedule_.now()), std::move(what));
  }

 private:
  Schedule& schedule_;
  bool alive_ = false;
  bool paused_ = false;
  std::uint64_t incarnation_ = 0;
  std::deque<std::function<void()>> deferred_;
};

}  // namespace fencepost::simulation
