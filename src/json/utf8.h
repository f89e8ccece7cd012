#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fencepost::json {

/// The length of the UTF-8 sequence that begins at `text[at]`, 0 if it is damaged. Code points of surrogates pass, as
/// they do in Java's strings.
[[nodiscard]] inline std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::size_t left = text.size() - at;
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2) return 0;
  if (first < 0xE0) return left >= 2 && follows(1) ? 2 : 0;
  if (first < 0xF0) return left >= 3 && follows(1) && follows(2) && (first != 0xE0 || byte(1) >= 0xA0) ? 3 : 0;
  if (first > 0xF4 || left < 4 || !follows(1) || !follows(2) || !follows(3)) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return 4;
}

/// Appends a code point up to U+10FFFF.
inline void utf8_append(std::string& out, char32_t point) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xC0 | point >> 6);
    put(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    put(0xE0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  } else {
    put(0xF0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3F));
    put(0x80 | (point >> 6 & 0x3F));
    put(0x80 | (point & 0x3F));
  }
}

}  // namespace fencepost::json
