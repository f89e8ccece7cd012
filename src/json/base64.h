#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fencepost::json {

/// RFC 4648's standard alphabet, padded, on one line.
[[nodiscard]] std::string base64_encode(std::string_view bytes);
void base64_append(std::string& out, std::string_view bytes);

enum class Base64Padding : unsigned char {
  Required,  ///< as Jackson reads binary
  Optional   ///< as java.util.Base64 reads: session keys, signatures
};

/// Nothing for a character outside the alphabet, a cut group, or wrong or missing padding.
[[nodiscard]] std::optional<std::string> base64_decode(std::string_view text, Base64Padding padding = Base64Padding::Required);

}  // namespace fencepost::json
