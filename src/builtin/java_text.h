#pragma once

#include <cstdint>
#include <string>

#include "fencepost/data.h"

namespace fencepost::builtin {

/// A value as Java's String.valueOf prints it: "null", "1.0", "[1, 2]", "{a=1}", "Struct{a=1}", dates as "Thu Jan 01 00:00:00 UTC
/// 1970". Bytes come out as the text that Java gives a ByteBuffer, since an array's text there is an address.
[[nodiscard]] std::string java_text(const Value& value);

/// A civil date in UTC.
struct CivilTime {
  std::int64_t year = 1970;
  unsigned month = 1;    ///< 1..12
  unsigned day = 1;      ///< 1..31
  unsigned weekday = 4;  ///< 0 = Sunday
  unsigned hour = 0, minute = 0, second = 0, millisecond = 0;
};
[[nodiscard]] CivilTime civil_time(std::int64_t milliseconds_since_epoch);

}  // namespace fencepost::builtin
