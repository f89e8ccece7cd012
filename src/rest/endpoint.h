#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fencepost::rest {

/// One entry of `listeners`.
struct Endpoint {
  std::string scheme = "http";
  std::string host;  ///< empty: every interface
  std::uint16_t port = 0;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

/// "http://host:port"; an IPv6 host stands in brackets.
[[nodiscard]] std::string to_string(const Endpoint& endpoint);

/// Reads the worker settings `listeners` and `admin.listeners`: http://host:port or https://host:port, host may be empty, port
/// may be 0 (any that is free). Errors name the setting, the entry and what is allowed.
[[nodiscard]] Result<std::vector<Endpoint>> parse_endpoints(std::string_view setting, const std::vector<std::string>& entries);

}  // namespace fencepost::rest
