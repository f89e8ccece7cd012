#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulation.h"

namespace fencepost::simulation {

/// One world: everything breaks, then the faults stop and the cluster must come to rest. What is wrong with it; empty: nothing.
[[nodiscard]] std::vector<std::string> run(std::uint64_t seed, const Trace& trace, Counters& counters,
                                           const Breaches& breaches = {});

}  // namespace fencepost::simulation
