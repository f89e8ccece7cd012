#include "base/text.h"

namespace fencepost {
namespace {

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// How many bytes the UTF-8 character at the start of `text` has; 0: it is none, an overlong form or a surrogate.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const auto second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0U;
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  if (first < 0xE0) return continues(text, 1) ? 2 : 0;
  if (first < 0xF0) {
    const bool legal = !(first == 0xE0 && second < 0xA0) && !(first == 0xED && second >= 0xA0);
    return legal && continues(text, 1) && continues(text, 2) ? 3 : 0;
  }
  const bool legal = !(first == 0xF0 && second < 0x90) && !(first == 0xF4 && second >= 0x90);
  return legal && continues(text, 1) && continues(text, 2) && continues(text, 3) ? 4 : 0;
}

void append_escaped(unsigned char byte, std::string& out) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\x";
  out += kHex[byte >> 4U];
  out += kHex[byte & 15U];
}

/// Appends the first character of `text`, escaped where it is a control character or no character; tells how many bytes it took.
std::size_t append_character(std::string_view text, std::string& out) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = character_length(text);
  // C1 controls (U+0080 to U+009F) move cursors as escape sequences do.
  const bool control =
      first < 0x20 || first == 0x7F || (length == 2 && first == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0);
  if (length == 0 || control) {
    const std::size_t taken = length == 0 ? 1 : length;
    for (const char c : text.substr(0, taken)) append_escaped(static_cast<unsigned char>(c), out);
    return taken;
  }
  out += text.substr(0, length);
  return length;
}

}  // namespace

std::string shown(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size() && at < limit) at += append_character(text.substr(at), out);
  if (at < text.size()) out += "... (" + std::to_string(text.size()) + " bytes)";
  return out;
}

std::string log_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t taken = 1;
    if (text[0] == '\n') {
      out += text.size() > 1 && text[1] == '\t' ? "\n" : "\n\t";
    } else if (text[0] == '\t') {
      out += '\t';
    } else {
      taken = append_character(text, out);
    }
    text.remove_prefix(taken);
  }
  return out;
}

}  // namespace fencepost
