#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wire/types.h"

namespace fencepost::wire {

/// The server's step. A session lifetime above 0 tells after how long the broker drops us unless we authenticate anew (KIP-368).
struct SaslAuthenticateResponse {
  static constexpr Api kApi{.key = 36, .name = "SaslAuthenticateResponse", .versions = {0, 2}, .flexible_since = 2};

  std::int16_t error_code = 0;
  std::optional<std::string> error_message;
  Bytes auth_bytes;
  std::int64_t session_lifetime_ms = 0;

  static void describe(auto& m, auto& v) {
    v.field("ErrorCode", m.error_code);
    v.field("ErrorMessage", m.error_message);
    v.field("AuthBytes", m.auth_bytes, since(0).secret());
    v.field("SessionLifetimeMs", m.session_lifetime_ms, since(1));
  }
  friend bool operator==(const SaslAuthenticateResponse&, const SaslAuthenticateResponse&) = default;
};

/// One step of the SASL exchange.
struct SaslAuthenticateRequest {
  static constexpr Api kApi{.key = 36, .name = "SaslAuthenticateRequest", .versions = {0, 2}, .flexible_since = 2};
  using Response = SaslAuthenticateResponse;

  Bytes auth_bytes;

  static void describe(auto& m, auto& v) { v.field("AuthBytes", m.auth_bytes, since(0).secret()); }
  friend bool operator==(const SaslAuthenticateRequest&, const SaslAuthenticateRequest&) = default;
};

}  // namespace fencepost::wire
