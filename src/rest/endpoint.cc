#include "rest/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace fencepost::rest {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::optional<Endpoint> parse_endpoint(std::string_view entry) {
  const auto scheme_end = entry.find("://");
  if (scheme_end == std::string_view::npos) return std::nullopt;
  std::string_view rest = entry.substr(scheme_end + 3);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_port(rest.substr(colon + 1));
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  if (!port || host.find_first_of("/?#@[] ") != std::string_view::npos) return std::nullopt;
  return Endpoint{lower(entry.substr(0, scheme_end)), std::string(host), *port};
}

}  // namespace

std::string to_string(const Endpoint& endpoint) {
  const bool is_ipv6 = endpoint.host.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}", endpoint.scheme, is_ipv6 ? "[" + endpoint.host + "]" : endpoint.host, endpoint.port);
}

Result<std::vector<Endpoint>> parse_endpoints(std::string_view setting, const std::vector<std::string>& entries) {
  std::vector<Endpoint> out;
  for (const std::string& entry : entries) {
    const auto endpoint = parse_endpoint(entry);
    if (!endpoint) {
      return failure(ErrorKind::InvalidConfig,
                     fmt::format("{}: '{}' is not an address to listen on; use http://host:port, host may be empty for every "
                                 "interface, port may be 0 for any",
                                 setting, entry));
    }
    if (endpoint->scheme != "http" && endpoint->scheme != "https") {
      return failure(ErrorKind::InvalidConfig,
                     fmt::format("{}: protocol '{}' of '{}' is not supported; use http://host:port or https://host:port", setting,
                                 endpoint->scheme, entry));
    }
    out.push_back(*endpoint);
  }
  return out;
}

}  // namespace fencepost::rest
