#include "config/properties_text.h"

#include <optional>
#include <string>

#include "json/utf8.h"

namespace fencepost::config {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f'; }

std::string_view without_leading_blanks(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return line;
}

std::string utf8_from_latin1(std::string_view text) {
  std::string out;
  for (const char c : text) json::utf8_append(out, static_cast<unsigned char>(c));
  return out;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = json::utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Cuts natural lines off a text and joins those that a backslash continues.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  /// The next logical line that says anything; nothing at the end.
  std::optional<std::string> next() {
    std::string logical;
    bool continued = false;
    while (!rest_.empty()) {
      std::string_view line = without_leading_blanks(natural());
      // A comment line is one of its own even if it ends in a backslash; a continuation is never a comment.
      if (!continued && (line.empty() || line.front() == '#' || line.front() == '!')) continue;
      if (!continued) first_line_ = line_;
      continued = ends_in_odd_backslashes(line);
      logical.append(continued ? line.substr(0, line.size() - 1) : line);
      if (!continued) return logical;
    }
    if (logical.empty()) return std::nullopt;
    return logical;
  }

  [[nodiscard]] std::size_t line() const { return first_line_; }

 private:
  std::string_view natural() {
    ++line_;
    const auto end = rest_.find_first_of("\r\n");
    std::string_view line = rest_.substr(0, end);
    if (end == std::string_view::npos) {
      rest_ = {};
    } else {
      const bool crlf = rest_.substr(end).starts_with("\r\n");
      rest_.remove_prefix(end + (crlf ? 2 : 1));
    }
    return line;
  }

  static bool ends_in_odd_backslashes(std::string_view line) {
    const auto last_other = line.find_last_not_of('\\');
    const std::size_t backslashes = last_other == std::string_view::npos ? line.size() : line.size() - last_other - 1;
    return backslashes % 2 == 1;
  }

  std::string_view rest_;
  std::size_t line_ = 0;
  std::size_t first_line_ = 0;
};

std::optional<char32_t> parse_hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  char32_t unit = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    unit = unit * 16 + static_cast<char32_t>(digit);
  }
  return unit;
}

/// Resolves escapes. Nothing for a damaged \u.
std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) break;
    switch (text[i]) {
      case 't':
        out += '\t';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 'f':
        out += '\f';
        break;
      case 'u': {
        std::optional<char32_t> unit = parse_hex4(text.substr(i + 1));
        if (!unit) return std::nullopt;
        i += 4;
        // Characters beyond the BMP are written as two escapes, the halves of a surrogate pair.
        if (*unit >= 0xD800 && *unit < 0xDC00 && text.substr(i + 1).starts_with("\\u")) {
          const std::optional<char32_t> low = parse_hex4(text.substr(i + 3));
          if (low && *low >= 0xDC00 && *low < 0xE000) {
            unit = 0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00);
            i += 6;
          }
        }
        json::utf8_append(out, *unit);
        break;
      }
      default:
        out += text[i];
    }
  }
  return out;
}

/// Where the key ends: at the first blank, = or : that is not escaped.
std::size_t key_length(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && !is_blank(line[at]) && line[at] != '=' && line[at] != ':') at += line[at] == '\\' ? 2 : 1;
  return std::min(at, line.size());
}

}  // namespace

Result<Properties> parse_properties(std::string_view text) {
  const std::string decoded = is_utf8(text) ? std::string(text) : utf8_from_latin1(text);
  std::string_view content = decoded;
  if (content.starts_with("\xef\xbb\xbf")) content.remove_prefix(3);
  Lines lines(content);
  Properties out;
  while (const auto line = lines.next()) {
    const std::size_t end = key_length(*line);
    std::string_view rest = without_leading_blanks(std::string_view(*line).substr(end));
    if (!rest.empty() && (rest.front() == '=' || rest.front() == ':')) rest = without_leading_blanks(rest.substr(1));
    const auto key = unescape(std::string_view(*line).substr(0, end));
    const auto value = unescape(rest);
    if (!key || !value) {
      return failure(ErrorKind::InvalidConfig, "line " + std::to_string(lines.line()) +
                                                   ": a \\u escape needs four hexadecimal digits; " +
                                                   "write \\\\u where a backslash is meant");
    }
    out.set(*key, *value);
  }
  return out;
}

}  // namespace fencepost::config
