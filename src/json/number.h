#pragma once

#include <string>
#include <string_view>

namespace fencepost::json {

/// Appends a number as Java prints it (Double.toString since JDK 19): "100.0", "1.0E21", "1.0E-5", "4.9E-324", "NaN",
/// "-Infinity"; the fewest digits that tell it from its neighbours, at least one after the point.
void append_double(std::string& out, double value);
/// The same as Float.toString.
void append_float(std::string& out, float value);

/// A decimal number in JSON's grammar as a double, rounded correctly; infinite or zero beyond the range.
[[nodiscard]] double parse_double(std::string_view spelling);

}  // namespace fencepost::json
