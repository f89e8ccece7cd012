#include "json/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fencepost::json {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kForeign = 255;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> out{};
  out.fill(kForeign);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) out[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

/// Two characters for each twelve bits.
constexpr auto make_pairs() {
  std::array<std::array<char, 2>, 4096> out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return out;
}
constexpr auto kPairs = make_pairs();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

}  // namespace

void base64_append(std::string& out, std::string_view bytes) {
  const std::size_t start = out.size();
  out.resize(start + (bytes.size() + 2) / 3 * 4);
  char* to = out.data() + start;
  std::size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    const std::uint32_t group = byte_at(bytes, i) << 16 | byte_at(bytes, i + 1) << 8 | byte_at(bytes, i + 2);
    to = std::copy_n(kPairs[group >> 12].data(), 2, to);
    to = std::copy_n(kPairs[group & 4095].data(), 2, to);
  }
  if (const std::size_t rest = bytes.size() - i; rest > 0) {
    const std::uint32_t group = byte_at(bytes, i) << 16 | (rest == 2 ? byte_at(bytes, i + 1) << 8 : 0);
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    *to++ = rest == 2 ? kAlphabet[group >> 6 & 63] : '=';
    *to++ = '=';
  }
}

std::string base64_encode(std::string_view bytes) {
  std::string out;
  base64_append(out, bytes);
  return out;
}

std::optional<std::string> base64_decode(std::string_view text, Base64Padding padding) {
  if (text.size() % 4 == 0) {
    if (text.ends_with("==")) {
      text.remove_suffix(2);
    } else if (text.ends_with('=')) {
      text.remove_suffix(1);
    }
  } else if (padding == Base64Padding::Required) {
    return std::nullopt;
  }
  if (text.size() % 4 == 1) return std::nullopt;

  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  std::size_t digits = 0;
  for (const char c : text) {
    const std::uint8_t value = kValues[static_cast<unsigned char>(c)];
    if (value == kForeign) return std::nullopt;
    group = group << 6 | value;
    if (++digits == 4) {
      out += static_cast<char>(group >> 16);
      out += static_cast<char>(group >> 8);
      out += static_cast<char>(group);
      digits = 0;
      group = 0;
    }
  }
  if (digits == 3) {
    out += static_cast<char>(group >> 10);
    out += static_cast<char>(group >> 2);
  } else if (digits == 2) {
    out += static_cast<char>(group >> 4);
  }
  return out;
}

}  // namespace fencepost::json
