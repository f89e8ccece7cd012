#include "rest/media_types.h"

#include <charconv>
#include <string>
#include <vector>

#include "rest/http.h"

namespace fencepost::rest {
namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Splits at a separator outside quotes.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  bool quoted = false;
  std::size_t start = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (text[at] == separator && !quoted) {
      out.push_back(trim(text.substr(start, at - start)));
      start = at + 1;
    }
  }
  out.push_back(trim(text.substr(start)));
  return out;
}

struct MediaType {
  std::string_view type;
  std::string_view subtype;
  double quality = 1;
};

std::optional<MediaType> parse_media_type(std::string_view text) {
  const auto parts = split(text, ';');
  if (parts.front() == "*") return MediaType{"*", "*"};
  const auto slash = parts.front().find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  MediaType out{trim(parts.front().substr(0, slash)), trim(parts.front().substr(slash + 1))};
  if (out.type.empty() || out.subtype.empty()) return std::nullopt;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const std::string_view parameter = parts[i];
    if (parameter.size() < 2 || (parameter[0] != 'q' && parameter[0] != 'Q') || parameter[1] != '=') continue;
    const std::string_view value = parameter.substr(2);
    std::from_chars(value.data(), value.data() + value.size(), out.quality);
  }
  return out;
}

bool covers_json(const MediaType& media) {
  return (media.type == "*" && media.subtype == "*") || (equals_ignoring_case(media.type, "application") &&
                                                         (media.subtype == "*" || equals_ignoring_case(media.subtype, "json")));
}

}  // namespace

bool may_consume_json(std::optional<std::string_view> content_type) {
  if (!content_type) return true;
  const auto media = parse_media_type(*content_type);
  return media && covers_json(*media);
}

bool is_json(std::optional<std::string_view> content_type) {
  if (!content_type) return false;
  const auto media = parse_media_type(*content_type);
  return media && covers_json(*media) && media->subtype != "*";
}

bool accepts_json(std::optional<std::string_view> accept) {
  if (!accept || trim(*accept).empty()) return true;
  for (const std::string_view entry : split(*accept, ',')) {
    const auto media = parse_media_type(entry);
    if (media && media->quality > 0 && covers_json(*media)) return true;
  }
  return false;
}

}  // namespace fencepost::rest
