#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "rest/endpoint.h"

namespace fencepost::rest {

/// What other workers and clients are told.
struct Advertised {
  std::string url;        ///< "http://host:port/"
  std::string worker_id;  ///< "host:port"
};

/// rest.advertised.listener, .host.name and .port.
struct AdvertisedSettings {
  std::string scheme;
  std::string host;
  std::optional<std::uint16_t> port;
};

/// From the settings, and from the first listener of the protocol where they are silent; a listener on every interface
/// advertises this machine's own address. Errors: InvalidConfig where no listener has the protocol.
[[nodiscard]] Result<Advertised> advertise(const std::vector<Endpoint>& listeners, const AdvertisedSettings& settings);

}  // namespace fencepost::rest
