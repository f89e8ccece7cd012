#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "json/base64.h"
#include "json/parse.h"
#include "json/writer.h"

/// What can be read can be written, and reads the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace json = fencepost::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const json::ParseOptions& options : {json::ParseOptions{}, json::kConverterOptions}) {
    const auto value = json::parse(text, options);
    if (!value) continue;
    const std::string written = json::write(*value);
    const auto again = json::parse(written);
    FENCEPOST_ASSERT(again.has_value(), "the writer's text can be read");
    FENCEPOST_ASSERT(json::write(*again) == written, "written text is written the same again");
    if (const auto number = value->as_double())
      FENCEPOST_ASSERT(!value->as_int64() || *number == static_cast<double>(*value->as_int64()), "both numbers are one");
  }
  std::string quoted;
  json::append_quoted(quoted, text);
  FENCEPOST_ASSERT(json::parse(quoted).has_value(), "any bytes can be quoted");
  FENCEPOST_ASSERT(json::base64_decode(json::base64_encode(text)) == text, "Base64 loses nothing");
  static_cast<void>(json::base64_decode(text, json::Base64Padding::Optional));
  return 0;
}
