#pragma once

#include <deque>
#include <functional>
#include <string>

#include "herder/turn.h"

namespace fencepost::herder {

/// The leader's changes of the config topic, one after the other, so that what a change has checked (no such connector yet) still
/// holds when it is written. A change may take many events; it calls its Done exactly once at its end, whatever came of it.
class ConfigWriter {
 public:
  using Done = std::function<void()>;
  using Change = std::function<void(Done)>;

  explicit ConfigWriter(Turn& turn) : turn_(turn) {}

  /// Runs the change as soon as those before it are done; at once if there are none.
  void submit(std::string what, Change change);
  /// The change under way, for a person who waits behind it.
  [[nodiscard]] std::optional<Stage> stage() const;
  [[nodiscard]] bool idle() const { return !busy_; }

 private:
  struct Waiting {
    std::string what;
    Change change;
  };
  void run_next();

  Turn& turn_;
  std::deque<Waiting> queue_;
  bool busy_ = false;
  bool running_next_ = false;
  std::string doing_;
  Time since_{};
};

}  // namespace fencepost::herder
