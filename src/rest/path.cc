#include "rest/path.h"

#include <algorithm>

#include "json/utf8.h"
#include "rest/http.h"

namespace fencepost::rest {
namespace {

constexpr std::string_view kUnreservedMarks = "-._~";
constexpr std::string_view kQueryMarks = "-._~!$&'()*+,;=:@/?%";
constexpr std::string_view kSegmentMarks = "-._~!$&'()*+,;=:@";

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The byte that the escape at `at` stands for, or -1.
int escaped_byte(std::string_view text, std::size_t at) {
  if (at + 2 >= text.size()) return -1;
  const int high = hex_digit(text[at + 1]);
  const int low = hex_digit(text[at + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/// UTF-8 without surrogates and without control characters.
bool is_clean_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t length = json::utf8_length(text, at);
    const bool is_surrogate = length == 3 && first == 0xED && static_cast<unsigned char>(text[at + 1]) >= 0xA0;
    if (length == 0 || is_surrogate || first < 0x20 || first == 0x7F) return false;
    at += length;
  }
  return true;
}

std::optional<std::string> decode_segment(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] != '%') {
      out += raw[at];
      continue;
    }
    const int byte = escaped_byte(raw, at);
    if (byte < 0) return std::nullopt;
    out += static_cast<char>(byte);
    at += 2;
  }
  if (!is_clean_text(out)) return std::nullopt;
  return out;
}

std::string encode(std::string_view text, std::string_view kept_marks) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_alphanumeric || kept_marks.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    }
  }
  return out;
}

std::string decode_query_part(std::string_view raw) {
  std::string out;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    const int byte = raw[at] == '%' ? escaped_byte(raw, at) : -1;
    if (byte >= 0) {
      out += static_cast<char>(byte);
      at += 2;
    } else {
      out += raw[at] == '+' ? ' ' : raw[at];
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<std::string>> split_path(std::string_view raw) {
  if (!raw.starts_with('/')) return std::nullopt;
  raw.remove_prefix(1);
  std::vector<std::string> segments;
  while (!raw.empty()) {
    const auto slash = raw.find('/');
    auto segment = decode_segment(raw.substr(0, slash));
    if (!segment || segment->empty()) return std::nullopt;
    segments.push_back(*std::move(segment));
    if (slash == std::string_view::npos) break;
    raw.remove_prefix(slash + 1);
  }
  return segments;
}

std::string encode_segment(std::string_view name) { return encode(name, kSegmentMarks); }

std::string encode_strictly(std::string_view name) { return encode(name, kUnreservedMarks); }

bool has_stray_percent(std::string_view name) {
  for (std::size_t at = name.find('%'); at != std::string_view::npos; at = name.find('%', at + 1)) {
    if (escaped_byte(name, at) < 0) return true;
  }
  return false;
}

std::string with_clean_query(std::string_view target) {
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return std::string(target);
  return std::string(target.substr(0, mark + 1)) + encode(target.substr(mark + 1), kQueryMarks);
}

Query parse_query(std::string_view raw) {
  Query out;
  while (!raw.empty()) {
    const auto end = raw.find('&');
    const std::string_view pair = raw.substr(0, end);
    if (!pair.empty()) {
      const auto equals = pair.find('=');
      out.emplace_back(decode_query_part(pair.substr(0, equals)),
                       equals == std::string_view::npos ? std::string() : decode_query_part(pair.substr(equals + 1)));
    }
    if (end == std::string_view::npos) break;
    raw.remove_prefix(end + 1);
  }
  return out;
}

std::optional<std::string_view> find_query(const Query& query, std::string_view name) {
  const auto found = std::find_if(query.begin(), query.end(), [&](const auto& pair) { return pair.first == name; });
  if (found == query.end()) return std::nullopt;
  return found->second;
}

bool query_flag(const Query& query, std::string_view name, bool fallback) {
  const auto value = find_query(query, name);
  return value ? equals_ignoring_case(*value, "true") : fallback;
}

}  // namespace fencepost::rest
