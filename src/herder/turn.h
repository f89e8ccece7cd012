#pragma once

#include <string>
#include <utility>

#include "base/time.h"
#include "herder/actions.h"

namespace fencepost::herder {

/// What the machines of one herder share while an event is worked on: the time, the orders that come of it, fresh ids.
class Turn {
 public:
  void begin(Time now) { now_ = now; }
  [[nodiscard]] Actions take() { return std::exchange(actions_, {}); }

  [[nodiscard]] Time now() const { return now_; }
  void order(Action action) { actions_.push_back(std::move(action)); }
  void note(LogLevel level, std::string context, std::string text) {
    order(Note{.level = level, .context = std::move(context), .text = std::move(text)});
  }
  [[nodiscard]] RequestId next_request() { return RequestId{++last_request_}; }
  [[nodiscard]] RunId next_run() { return RunId{++last_run_}; }

 private:
  Time now_{};
  Actions actions_;
  // Ids of questions of our own; those of clients' requests come from the shell and live in a map of their own.
  std::uint64_t last_request_ = 0;
  std::uint64_t last_run_ = 0;
};

}  // namespace fencepost::herder
