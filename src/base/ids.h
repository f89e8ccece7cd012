#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace fencepost {

/// Which task of which connector; printed as Connect prints it, "orders-0".
struct TaskId {
  std::string connector;
  std::int32_t task = 0;

  [[nodiscard]] std::string to_string() const { return connector + "-" + std::to_string(task); }
  friend auto operator<=>(const TaskId&, const TaskId&) = default;
};

/// A whole number that cannot be confused with another one: Generation, LogPosition, RunId ...
template <class Tag, class Number>
struct Numbered {
  Number value{};

  constexpr Numbered() = default;
  constexpr explicit Numbered(Number number) : value(number) {}
  friend constexpr auto operator<=>(const Numbered&, const Numbered&) = default;
  [[nodiscard]] std::string to_string() const { return std::to_string(value); }
};

/// Generation of the worker group, counted by the broker's coordinator; -1 before the first.
struct GenerationTag;
using Generation = Numbered<GenerationTag, std::int32_t>;
inline constexpr Generation kNoGeneration{-1};

/// A place in a log: the offset of a record, or of the end (one past the last record read); -1 before any.
struct LogPositionTag;
using LogPosition = Numbered<LogPositionTag, std::int64_t>;
inline constexpr LogPosition kNoPosition{-1};

/// One start of a connector or task on this worker. What an earlier run still reports is recognised by its older id.
struct RunIdTag;
using RunId = Numbered<RunIdTag, std::uint64_t>;

/// One thing asked of another part of the worker, to match its answer.
struct RequestIdTag;
using RequestId = Numbered<RequestIdTag, std::uint64_t>;

}  // namespace fencepost

template <>
struct std::hash<fencepost::TaskId> {
  std::size_t operator()(const fencepost::TaskId& id) const noexcept {
    return std::hash<std::string>{}(id.connector) * 31 + static_cast<std::size_t>(id.task);
  }
};
