#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace fencepost::assignor {

/// Java's order of strings, that of UTF-16 code units, on UTF-8: characters beyond U+FFFF come before U+E000 to U+FFFF.
/// Leaders in Java and here must deal in the same order, or a change of leader would move tasks.
struct JavaLess {
  using is_transparent = void;

  bool operator()(std::string_view a, std::string_view b) const;
  bool operator()(const TaskId& a, const TaskId& b) const;
};

/// What is configured: all connectors with the number of tasks that may run.
using Configured = std::map<std::string, std::int32_t, JavaLess>;

/// Connectors and tasks without order.
struct Work {
  std::set<std::string, JavaLess> connectors;
  std::set<TaskId, JavaLess> tasks;

  [[nodiscard]] bool empty() const { return connectors.empty() && tasks.empty(); }
  void add(const Work& other);
  void remove(const Work& other);
  [[nodiscard]] Work without(const Work& other) const;
  [[nodiscard]] bool intersects(const Work& other) const;
};

[[nodiscard]] Work all_of(const Configured& configured);

/// What one worker runs, in its own order: revocations are taken from the front.
struct Load {
  std::vector<std::string> connectors;
  std::vector<TaskId> tasks;

  [[nodiscard]] bool empty() const { return connectors.empty() && tasks.empty(); }
  /// Takes away what is in `work`, and returns what that was.
  Load take(const Work& work);
  friend bool operator==(const Load&, const Load&) = default;
};

[[nodiscard]] Work work_of(const Load& load);

}  // namespace fencepost::assignor
