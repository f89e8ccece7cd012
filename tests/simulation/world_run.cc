#include "world_run.h"

namespace fencepost::simulation {

std::vector<std::string> run(std::uint64_t seed, const Trace& trace, Counters& counters, const Breaches& breaches) {
  Simulation world(seed, trace, breaches);
  world.storm(std::chrono::minutes(3));
  world.heal();
  const bool rests = world.come_to_rest(std::chrono::minutes(10));
  std::vector<std::string> wrong = world.violations();
  if (!rests) {
    const auto unrest = world.unrest();
    wrong.insert(wrong.end(), unrest.begin(), unrest.end());
  }
  for (const auto& [what, count] : world.counters()) counters[what] += count;
  counters["transaction committed"] += world.target.commits();
  counters["group protocol changed"] += world.coordinator->protocol_changes();
  counters["rebalance"] += static_cast<std::uint64_t>(world.coordinator->rebalances());
  if (!wrong.empty()) wrong.insert(wrong.begin(), world.settings());
  return wrong;
}

}  // namespace fencepost::simulation
