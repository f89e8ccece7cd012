#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

/// The mechanisms that the listener offers, also where it refuses ours.
struct SaslHandshakeResponse {
  static constexpr Api kApi{.key = 17, .name = "SaslHandshakeResponse", .versions = {0, 1}};

  std::int16_t error_code = 0;
  std::vector<std::string> mechanisms;

  static void describe(auto& m, auto& v) {
    v.field("ErrorCode", m.error_code);
    v.field("Mechanisms", m.mechanisms);
  }
  friend bool operator==(const SaslHandshakeResponse&, const SaslHandshakeResponse&) = default;
};

/// Chooses the SASL mechanism; SaslAuthenticate follows.
struct SaslHandshakeRequest {
  static constexpr Api kApi{.key = 17, .name = "SaslHandshakeRequest", .versions = {0, 1}};
  using Response = SaslHandshakeResponse;

  std::string mechanism;

  static void describe(auto& m, auto& v) { v.field("Mechanism", m.mechanism); }
  friend bool operator==(const SaslHandshakeRequest&, const SaslHandshakeRequest&) = default;
};

}  // namespace fencepost::wire
