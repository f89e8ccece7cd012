#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace fencepost::config {

/// Where the REST API listens.
struct Listener {
  bool tls = false;
  /// Empty: the default interface. An IPv6 address stands without brackets.
  std::string host{};
  /// 0: any free port.
  std::uint16_t port = 0;

  [[nodiscard]] std::string_view scheme() const { return tls ? "https" : "http"; }
  /// "http://[::1]:8083/": with a slash at the end, as in the group's metadata.
  [[nodiscard]] std::string url() const;
  friend bool operator==(const Listener&, const Listener&) = default;
};

/// Reads http://host:port or https://host:port; the host may be empty. Errors: InvalidConfig.
[[nodiscard]] Result<Listener> parse_listener(std::string_view url);

/// A header to put into REST answers.
struct ResponseHeader {
  enum class Action : std::uint8_t { Set, Add, SetDate, AddDate };
  Action action = Action::Set;
  std::string name;
  std::string value;

  friend bool operator==(const ResponseHeader&, const ResponseHeader&) = default;
};

/// Reads response.http.headers.config: `set X-Frame-Options: DENY, "add Cache-Control: no-cache, no-store"`. Errors:
/// InvalidConfig.
[[nodiscard]] Result<std::vector<ResponseHeader>> parse_response_headers(std::string_view text);

}  // namespace fencepost::config
