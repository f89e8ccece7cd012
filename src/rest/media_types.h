#pragma once

#include <optional>
#include <string_view>

namespace fencepost::rest {

// JAX-RS' rules for resources that consume and produce application/json.

/// Whether a request with this Content-Type may reach a JSON resource at all: none, application/json with any parameters, and
/// the wildcards that cover it.
[[nodiscard]] bool may_consume_json(std::optional<std::string_view> content_type);
/// Whether a body of this Content-Type is read as JSON: it must be said, and without a wildcard.
[[nodiscard]] bool is_json(std::optional<std::string_view> content_type);
/// Whether somebody with this Accept header takes JSON; a missing or empty one takes anything.
[[nodiscard]] bool accepts_json(std::optional<std::string_view> accept);

}  // namespace fencepost::rest
