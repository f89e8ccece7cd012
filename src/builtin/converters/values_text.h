#pragma once

#include <string>
#include <string_view>

#include "fencepost/schema.h"

namespace fencepost::builtin {

/// Makes of a text what Connect's Values.parseString makes of it: null, booleans, the smallest number that fits, dates
/// ("2019-08-23", "14:34:54.346Z", "2019-08-23T14:34:54.346Z"), [arrays] and {maps} of these, and otherwise the text itself. Its
/// oddities are kept
/// ("1,5" is int8 1, "2019-02-31" is 3 March), since header values must not change their meaning between workers.
[[nodiscard]] SchemaAndValue parse_values_text(std::string_view text);

/// The text of a value as Values.convertToString writes it: strings bare, but quoted inside arrays, maps and structs; bytes in
/// Base64.
[[nodiscard]] std::string values_text(const Value& value);

}  // namespace fencepost::builtin
