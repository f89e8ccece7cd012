#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fencepost::rest {

/// As Integer.valueOf reads it: digits with or without a sign that fit into 32 bits.
[[nodiscard]] std::optional<std::int32_t> parse_task_number(std::string_view text);

}  // namespace fencepost::rest
