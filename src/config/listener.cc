#include "config/listener.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace fencepost::config {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

Failure not_a_listener(std::string_view url) {
  return failure(ErrorKind::InvalidConfig, "'" + std::string(url) + "' is not of the form http://host:port or https://host:port");
}

/// Cuts at commas outside of double quotes, and takes the quotes off.
std::vector<std::string> split_rules(std::string_view text) {
  std::vector<std::string> rules(1);
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rules.emplace_back();
    } else {
      rules.back() += c;
    }
  }
  return rules;
}

std::optional<ResponseHeader::Action> parse_action(std::string_view name) {
  const std::string action = lower(name);
  if (action == "set") return ResponseHeader::Action::Set;
  if (action == "add") return ResponseHeader::Action::Add;
  if (action == "setdate") return ResponseHeader::Action::SetDate;
  if (action == "adddate") return ResponseHeader::Action::AddDate;
  return std::nullopt;
}

}  // namespace

std::string Listener::url() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return std::string(scheme()) + "://" + (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port) + "/";
}

Result<Listener> parse_listener(std::string_view url) {
  const auto separator = url.find("://");
  if (separator == std::string_view::npos) return not_a_listener(url);
  Listener listener;
  const std::string scheme = lower(url.substr(0, separator));
  if (scheme != "http" && scheme != "https") return not_a_listener(url);
  listener.tls = scheme == "https";

  std::string_view rest = url.substr(separator + 3);
  if (rest.ends_with('/')) rest.remove_suffix(1);
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos) return not_a_listener(url);
  std::string_view host = rest.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host.find_first_of("/?#[]@ ") != std::string_view::npos) return not_a_listener(url);
  listener.host = host;

  const std::string_view port = rest.substr(colon + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || end != port.data() + port.size()) return not_a_listener(url);
  if (error != std::errc() || number > 65535) {
    return failure(ErrorKind::InvalidConfig, "port " + std::string(port) + " is out of range; use 0 to 65535");
  }
  listener.port = static_cast<std::uint16_t>(number);
  return listener;
}

Result<std::vector<ResponseHeader>> parse_response_headers(std::string_view text) {
  std::vector<ResponseHeader> out;
  if (trimmed(text).empty()) return out;
  for (const std::string& part : split_rules(text)) {
    const std::string_view rule = trimmed(part);
    const auto space = rule.find(' ');
    const auto colon = rule.find(':');
    const auto action = parse_action(rule.substr(0, space));
    const bool complete = space != std::string_view::npos && colon != std::string_view::npos && colon > space;
    const std::string_view name = complete ? trimmed(rule.substr(space, colon - space)) : std::string_view();
    if (!action || name.empty() || name.find(' ') != std::string_view::npos) {
      return failure(
          ErrorKind::InvalidConfig,
          "the rule '" + std::string(rule) + "' is not of the form '[set|add|setDate|addDate] [header name]:[header value]'");
    }
    const std::string_view value = trimmed(rule.substr(colon + 1));
    if (value.find_first_of("\r\n") != std::string_view::npos) {
      return failure(ErrorKind::InvalidConfig, "the value of header '" + std::string(name) + "' holds a line break");
    }
    out.push_back({*action, std::string(name), std::string(value)});
  }
  return out;
}

}  // namespace fencepost::config
