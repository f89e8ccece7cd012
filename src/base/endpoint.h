#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fencepost {

/// Where a broker listens. An IPv6 address stands without brackets.
struct Endpoint {
  std::string host;
  std::uint16_t port = 0;

  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

/// The value of a bootstrap.servers: "a:9092, PLAINTEXT://b:9092, [::1]:9092". InvalidConfig names the part that is wrong and the
/// cure, but not the setting, which has many names (source.cluster.bootstrap.servers, ...).
[[nodiscard]] Result<std::vector<Endpoint>> parse_endpoints(std::string_view list);

}  // namespace fencepost
