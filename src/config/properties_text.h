#pragma once

#include <string_view>

#include "base/error.h"
#include "base/properties.h"

namespace fencepost::config {

/// Reads the text of a Java properties file: `key=value`, `key: value`, `key value`; comments with # and !; lines continued by a
/// backslash; escapes \t \n \r \f \uXXXX and \ before any other character. A key that comes twice keeps its last value. Text is
/// taken as UTF-8 where it is that, and otherwise as ISO-8859-1, as Java does. Errors: InvalidConfig, naming the line, for a
/// damaged \u escape.
[[nodiscard]] Result<Properties> parse_properties(std::string_view text);

}  // namespace fencepost::config
