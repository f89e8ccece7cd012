#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <iostream>
#include <stdexcept>

#include "world_run.h"

namespace fencepost::simulation {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t fallback) {
  const char* text = std::getenv(variable);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

std::string lines(const std::vector<std::string>& all) {
  std::string text;
  for (const auto& line : all) text += "  " + line + "\n";
  return text;
}

/// The last lines of a world that went wrong; all of them are printed when the seed is replayed.
std::string trace_of(std::uint64_t seed) {
  constexpr std::size_t kLines = 400;
  std::deque<std::string> last;
  std::size_t all = 0;
  Counters counters;
  (void)run(
      seed,
      [&](const std::string& line) {
        ++all;
        last.push_back(line);
        if (last.size() > kLines) last.pop_front();
      },
      counters);
  std::string text = "the last " + std::to_string(last.size()) + " of " + std::to_string(all) + " events:\n";
  for (const auto& line : last) text += line + "\n";
  return text;
}

struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 0;
};

/// FENCEPOST_SEEDS (10,000) from FENCEPOST_FIRST_SEED (1) on; of these, with FENCEPOST_SHARD=k/n, the k-th of n parts.
Seeds seeds_to_run() {
  Seeds seeds{.first = number_from("FENCEPOST_FIRST_SEED", 1), .count = number_from("FENCEPOST_SEEDS", 10'000)};
  if (const char* shard = std::getenv("FENCEPOST_SHARD"); shard != nullptr) {
    char* end = nullptr;
    const std::uint64_t part = std::strtoull(shard, &end, 10);
    const std::uint64_t parts = *end == '/' ? std::strtoull(end + 1, nullptr, 10) : 0;
    if (part >= parts) throw std::invalid_argument("FENCEPOST_SHARD is '" + std::string(shard) + "', not k/n with k below n");
    seeds.count /= parts;
    seeds.first += part * seeds.count;
  }
  return seeds;
}

// FENCEPOST_SEED=n runs that seed alone with its full trace.
TEST(ClusterSimulation, NoTaskIsCommittedByTwoIncarnationsAndAllComesToRest) {
  Counters counters;
  if (const auto seed = number_from("FENCEPOST_SEED", 0); seed != 0) {
    const auto wrong = run(
        seed, [](const std::string& line) { std::cerr << line << "\n"; }, counters);
    EXPECT_TRUE(wrong.empty()) << lines(wrong);
    return;
  }
  const auto [first, count] = seeds_to_run();
  const std::uint64_t failures_max = number_from("FENCEPOST_FAILURES", 3);
  std::uint64_t failed = 0;
  for (std::uint64_t seed = first; seed < first + count && failed < failures_max; ++seed) {
    const auto wrong = run(seed, nullptr, counters);
    if (wrong.empty()) continue;
    ADD_FAILURE() << "seed " << seed << "; replay with its full trace: FENCEPOST_SEED=" << seed
                  << " build/release/simulation_test\n"
                  << lines(wrong) << (++failed == 1 && failures_max <= 3 ? trace_of(seed) : "");
  }
  for (const auto& [what, times] : counters) std::cout << "  " << times << "  " << what << "\n";
  if (count < 200) return;
  // A sweep that never met these has proved nothing about them.
  for (const char* what : {"worker paused",
                           "worker killed",
                           "worker shut down",
                           "membership lost",
                           "fence of producers",
                           "producer fenced",
                           "ended as superseded",
                           "leader fenced out of the config topic",
                           "request to a worker lost",
                           "request to a worker doubled",
                           "slow read of the config topic",
                           "failed write",
                           "first batch without a client",
                           "source offsets changed",
                           "worker restarted as preparing",
                           "worker restarted as enabled",
                           "worker restarted with another connect.protocol",
                           "group protocol changed",
                           "tombstone removed from the config topic",
                           "tombstone removed from the status topic"}) {
    EXPECT_GT(counters[what], 0U) << "never happened: " << what;
  }
}

}  // namespace
}  // namespace fencepost::simulation
