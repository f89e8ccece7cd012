#include "balance.h"

#include <algorithm>

namespace fencepost::simulation {

namespace {

template <class Count>
void compare(const std::vector<Share>& shares, const std::string& what, Count count, std::vector<std::string>& wrong) {
  const auto [least, most] = std::ranges::minmax_element(shares, {}, count);
  if (count(*most) <= count(*least) + 1) return;
  wrong.push_back(most->worker + " has " + std::to_string(count(*most)) + " " + what + " while " + least->worker + " has " +
                  std::to_string(count(*least)));
}

}  // namespace

std::vector<std::string> unevenness(const std::vector<Share>& shares, const std::string& protocol) {
  std::vector<std::string> wrong;
  if (shares.empty()) return wrong;
  compare(
      shares, "connectors", [](const Share& share) { return share.connectors; }, wrong);
  if (protocol == "default") {
    compare(
        shares, "connectors and tasks", [](const Share& share) { return share.connectors + share.tasks; }, wrong);
  } else {
    compare(
        shares, "tasks", [](const Share& share) { return share.tasks; }, wrong);
  }
  return wrong;
}

}  // namespace fencepost::simulation
