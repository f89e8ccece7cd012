#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <utility>

#include "base/time.h"

namespace fencepost::simulation {

/// Virtual time: what is due is done in order of time, then of scheduling. Equal seeds give equal runs.
class Schedule {
 public:
  [[nodiscard]] Time now() const { return now_; }
  void after(Duration wait, std::function<void()> what) { due_.emplace(std::pair(now_ + wait, ++last_), std::move(what)); }
  /// Does all that is due up to `end`, then it is `end`.
  void run_until(Time end) {
    while (!due_.empty() && due_.begin()->first.first <= end) {
      const auto next = due_.begin();
      steps_ = next->first.first == now_ ? steps_ + 1 : 0;
      if (steps_ > kStepsMax) throw std::runtime_error("the world goes in circles without time passing");
      now_ = next->first.first;
      const auto what = std::move(next->second);
      due_.erase(next);
      what();
    }
    now_ = end;
  }

 private:
  Time now_{std::chrono::milliseconds(1'000'000'000)};
  static constexpr std::uint64_t kStepsMax = 100'000;
  std::uint64_t last_ = 0;
  std::uint64_t steps_ = 0;
  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> due_;
};

/// The one source of chance.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}
  [[nodiscard]] bool happens(double probability) { return static_cast<double>(engine_() >> 11) * 0x1.0p-53 < probability; }
  [[nodiscard]] std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(high - low + 1));
  }
  [[nodiscard]] Duration wait(std::int64_t low_ms, std::int64_t high_ms) { return Duration(between(low_ms, high_ms)); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace fencepost::simulation
