#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fencepost::rest {

/// The segments of a raw path: split on '/' first, then each one decoded, so that an encoded slash belongs to a name. Dots are
/// taken as they stand and a '/' at the end adds nothing. Nothing for an empty segment, a cut or wrong percent escape, a control
/// character, or what is not UTF-8 after decoding.
[[nodiscard]] std::optional<std::vector<std::string>> split_path(std::string_view raw);

/// A name as one segment of a Location: as UriBuilder writes it, but with every '%' and '/' encoded.
[[nodiscard]] std::string encode_segment(std::string_view name);
/// The same with nothing left but RFC 3986's unreserved characters, for URLs that another worker must read.
[[nodiscard]] std::string encode_strictly(std::string_view name);

/// Whether a decoded name still holds a '%' that begins no escape.
[[nodiscard]] bool has_stray_percent(std::string_view name);

/// A target with whatever its query may not hold percent-encoded: queries that nobody knows are ignored, not refused.
[[nodiscard]] std::string with_clean_query(std::string_view target);

/// Name and value pairs in their order, decoded ('+' is a blank); a damaged escape stands for itself.
using Query = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] Query parse_query(std::string_view raw);
/// The first value of a name.
[[nodiscard]] std::optional<std::string_view> find_query(const Query& query, std::string_view name);
/// As Boolean.valueOf reads it: "true" in any case is true, everything else false; `fallback` where it is not given.
[[nodiscard]] bool query_flag(const Query& query, std::string_view name, bool fallback);

}  // namespace fencepost::rest
