#include "assignor/eager.h"

#include <algorithm>

namespace fencepost::assignor {

std::map<std::string, Load> assign_eagerly(std::vector<std::string> workers, const Configured& configured) {
  std::map<std::string, Load> out;
  if (workers.empty()) return out;
  std::sort(workers.begin(), workers.end(), JavaLess());
  std::vector<Load*> circle;
  circle.reserve(workers.size());
  for (const std::string& worker : workers) circle.push_back(&out[worker]);

  std::size_t next = 0;
  const auto turn = [&]() -> Load& { return *circle[next++ % circle.size()]; };
  const Work all = all_of(configured);
  for (const std::string& connector : all.connectors) turn().connectors.push_back(connector);
  for (const TaskId& task : all.tasks) turn().tasks.push_back(task);
  return out;
}

}  // namespace fencepost::assignor
