#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "json/value.h"

namespace fencepost::json {

/// Where JSON's readers in Connect differ.
struct ParseOptions {
  /// Text after the first value is not looked at, as an ObjectMapper without FAIL_ON_TRAILING_TOKENS does.
  bool allow_trailing = false;
  /// 007 is 7, as JsonConverter reads it (KAFKA-15012). The zeros are not kept in the spelling.
  bool allow_leading_zeros = false;
  /// Arrays and objects within one another, Jackson's own bound.
  std::size_t depth_max = 1000;
};

/// What Kafka's JsonConverter accepts, so also the readers of the internal topics.
inline constexpr ParseOptions kConverterOptions{.allow_trailing = true, .allow_leading_zeros = true};

/// Reads one JSON value as Jackson does: UTF-8 with or without a byte order mark, no comments, no NaN, control characters
/// only as escapes, numbers of at most 1000 characters; of doubled names the last value wins, in the first one's place.
/// Errors: Corrupt, with the byte at which reading stopped and never with the text itself, which may be secret.
[[nodiscard]] Result<Value> parse(std::string_view text, const ParseOptions& options = {});

}  // namespace fencepost::json
