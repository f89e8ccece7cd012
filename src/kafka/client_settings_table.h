#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "kafka/client_settings.h"

namespace fencepost::kafka::table {

inline constexpr std::int64_t kIntMax = std::numeric_limits<std::int32_t>::max();

enum class Rule : unsigned char {
  Copy,           ///< the same text under librdkafka's name
  Endpoints,      ///< host:port,...: the same text when it can be read
  Lower,          ///< the same in small letters
  Number,         ///< a whole number, brought into librdkafka's range
  Flag,           ///< true or false
  Ours,           ///< carried out by the code below or by the callers of translate()
  NoCounterpart,  ///< has no meaning here: one warning
  Reserved        ///< the worker sets it; another value would change what the user was promised
};

struct Row {
  std::string_view java;
  unsigned kinds;
  Rule rule;
  std::string_view native{};
  std::int64_t low = 0;
  std::int64_t high = kIntMax;
};

/// The row of a setting that this kind of client knows, else null. The rows stand in client_settings.cc.
[[nodiscard]] const Row* find_row(ClientKind kind, std::string_view java);
/// "producer", "consumer" or "admin": as in the worker's prefixes and in messages.
[[nodiscard]] std::string_view name_of(ClientKind kind);

}  // namespace fencepost::kafka::table
