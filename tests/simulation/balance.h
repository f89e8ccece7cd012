#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fencepost::simulation {

/// What one worker owns.
struct Share {
  std::string worker;
  std::size_t connectors = 0;
  std::size_t tasks = 0;
};

/// What of the work is not spread evenly, by the rules of the group's protocol (its name in JoinGroup); empty: nothing.
///
/// Eager deals connectors, then tasks, round the workers: both together differ by one at most, and so do connectors alone.
/// Incremental (KIP-415) spreads connectors and tasks each for themselves. Java's leaders keep this but for one case that ours do
/// not share: a new leader takes deleted connectors in a member's report for load, until there is another rebalance.
[[nodiscard]] std::vector<std::string> unevenness(const std::vector<Share>& shares, const std::string& protocol);

}  // namespace fencepost::simulation
