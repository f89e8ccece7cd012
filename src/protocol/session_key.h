#pragma once

#include <string>

#include "base/time.h"

namespace fencepost::protocol {

/// The secret with which workers sign their requests to one another. Never printed.
struct SessionKey {
  std::string secret;     ///< raw bytes
  std::string algorithm;  ///< of its generation, `inter.worker.key.generation.algorithm`
  Time created{};

  friend bool operator==(const SessionKey&, const SessionKey&) = default;
};

}  // namespace fencepost::protocol
