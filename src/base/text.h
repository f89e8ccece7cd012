#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fencepost {

/// Text of strangers (keys of records, settings) as a message may show it: bytes that are no printable UTF-8 become \xNN, and
/// what is longer than `limit` bytes is cut, with its length told.
[[nodiscard]] std::string shown(std::string_view text, std::size_t limit = 200);

/// Text for a log line: bytes that are no UTF-8, and control characters except tabs and new lines, become \xNN. A new line is
/// followed by a tab, so that no text can pass for a line of its own.
[[nodiscard]] std::string log_text(std::string_view text);

}  // namespace fencepost
