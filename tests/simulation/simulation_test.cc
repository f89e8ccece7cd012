#include "simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

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

/// One world: everything breaks, then the faults stop and the cluster must come to rest.
void run(std::uint64_t seed, bool traced, Counters& counters) {
  SCOPED_TRACE("replay with its full trace: FENCEPOST_SEED=" + std::to_string(seed) + " simulation_test");
  Simulation world(seed);
  world.traced = traced;
  world.storm(std::chrono::minutes(3));
  EXPECT_TRUE(world.violations().empty()) << world.settings() << "\n" << lines(world.violations());
  world.heal();
  EXPECT_TRUE(world.come_to_rest(std::chrono::minutes(10))) << world.settings() << "\n" << lines(world.unrest());
  EXPECT_TRUE(world.violations().empty()) << world.settings() << "\n" << lines(world.violations());
  for (const auto& [what, count] : world.counters()) counters[what] += count;
  counters["transaction committed"] += world.target.commits();
  counters["rebalance"] += static_cast<std::uint64_t>(world.coordinator->rebalances());
}

// FENCEPOST_SEED=n runs that seed alone with its full trace, FENCEPOST_SEEDS=n the first n.
TEST(ClusterSimulation, NoTaskIsCommittedByTwoIncarnationsAndAllComesToRest) {
  Counters counters;
  if (const auto seed = number_from("FENCEPOST_SEED", 0); seed != 0) return run(seed, true, counters);
  const std::uint64_t count = number_from("FENCEPOST_SEEDS", 250);
  const std::uint64_t first = number_from("FENCEPOST_FIRST_SEED", 1);
  const bool traced_progress = number_from("FENCEPOST_PROGRESS", 0) != 0;
  int failed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (traced_progress) std::cerr << "seed " << seed << "\n";
    run(seed, false, counters);
    if (HasFailure() && ++failed >= 3) break;
  }
  for (const auto& [what, times] : counters) std::cout << "  " << times << "  " << what << "\n";
  // A sweep that never met these has proved nothing about them.
  for (const char* what :
       {"worker paused", "worker killed", "worker shut down", "membership lost", "fence of producers", "producer fenced",
        "ended as superseded", "leader fenced out of the config topic", "request to a worker lost", "request to a worker doubled",
        "slow read of the config topic", "failed write", "first batch without a client"}) {
    EXPECT_GT(counters[what], 0U) << "never happened: " << what;
  }
}

}  // namespace
}  // namespace fencepost::simulation
