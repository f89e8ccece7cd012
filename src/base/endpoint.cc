#include "base/endpoint.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace fencepost {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Result<Endpoint> parse_endpoint(std::string_view text) {
  const auto wrong = [text](std::string_view why) {
    return failure(ErrorKind::InvalidConfig, "'" + shown(text) + "' " + std::string(why) + "; use host:port");
  };
  // Java accepts PROTOCOL://host:port as well.
  std::string_view rest = text;
  if (const auto scheme = rest.find("://"); scheme != std::string_view::npos) rest.remove_prefix(scheme + 3);
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos) return wrong("has no port");
  std::string_view host = rest.substr(0, colon);
  const std::string_view digits = rest.substr(colon + 1);
  if (host.size() >= 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host.empty()) return wrong("has no host");
  if (host.find_first_of(kBlanks) != std::string_view::npos) return wrong("has a blank in the host");
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc{} || end != digits.data() + digits.size() || port == 0 || port > 65535) {
    return wrong("has no port between 1 and 65535");
  }
  return Endpoint{.host = std::string(host), .port = static_cast<std::uint16_t>(port)};
}

}  // namespace

std::string Endpoint::to_string() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<std::vector<Endpoint>> parse_endpoints(std::string_view list) {
  std::vector<Endpoint> out;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view part = trim(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    if (part.empty()) continue;
    FENCEPOST_TRY(Endpoint endpoint, parse_endpoint(part));
    out.push_back(std::move(endpoint));
  }
  if (out.empty()) return failure(ErrorKind::InvalidConfig, "names no broker; use host:port[,host:port...]");
  return out;
}

}  // namespace fencepost
