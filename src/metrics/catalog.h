#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fencepost::metrics {

enum class Type : std::uint8_t { Counter, Gauge };

/// One metric: the row of the catalogue that its samples refer to.
struct Metric {
  std::string_view name;
  Type type = Type::Gauge;
  std::string_view help;
};

/// Where the catalogue's rows are: one name a row, in its order.
enum class Id : std::uint8_t {
  TransactionState,
  TransactionOpenSeconds,
  TransactionUncommittedRecords,
  TransactionCommits,
  TransactionAborts,
  TaskFenced,
  SelfHealingRestarts,
};

/// Everything that GET /metrics can show, in the order in which it does.
[[nodiscard]] std::span<const Metric> catalog();
[[nodiscard]] const Metric& metric(Id id);

}  // namespace fencepost::metrics
