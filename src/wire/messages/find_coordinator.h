#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

struct FindCoordinatorResponse {
  struct Coordinator {
    std::string key;
    std::int32_t node_id = 0;
    std::string host;
    std::int32_t port = 0;
    std::int16_t error_code = 0;
    std::optional<std::string> error_message;

    static void describe(auto& m, auto& v) {
      v.field("Key", m.key, since(4));
      v.field("NodeId", m.node_id, since(4));
      v.field("Host", m.host, since(4));
      v.field("Port", m.port, since(4));
      v.field("ErrorCode", m.error_code, since(4));
      v.field("ErrorMessage", m.error_message, since(4));
    }
    friend bool operator==(const Coordinator&, const Coordinator&) = default;
  };

  static constexpr Api kApi{.key = 10, .name = "FindCoordinatorResponse", .versions = {0, 6}, .flexible_since = 3};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::optional<std::string> error_message;
  std::int32_t node_id = 0;
  std::string host;
  std::int32_t port = 0;
  std::vector<Coordinator> coordinators;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(1));
    v.field("ErrorCode", m.error_code, between(0, 3));
    v.field("ErrorMessage", m.error_message, between(1, 3));
    v.field("NodeId", m.node_id, between(0, 3));
    v.field("Host", m.host, between(0, 3));
    v.field("Port", m.port, between(0, 3));
    v.field("Coordinators", m.coordinators, since(4));
  }
  friend bool operator==(const FindCoordinatorResponse&, const FindCoordinatorResponse&) = default;
};

/// Which broker coordinates a group (key type 0) or a transactional id (1). Version 4 and later take many keys at once (KIP-699).
struct FindCoordinatorRequest {
  static constexpr Api kApi{.key = 10, .name = "FindCoordinatorRequest", .versions = {0, 6}, .flexible_since = 3};
  using Response = FindCoordinatorResponse;

  std::string key;
  std::int8_t key_type = 0;
  std::vector<std::string> coordinator_keys;

  static void describe(auto& m, auto& v) {
    v.field("Key", m.key, between(0, 3));
    v.field("KeyType", m.key_type, since(1));
    v.field("CoordinatorKeys", m.coordinator_keys, since(4));
  }
  friend bool operator==(const FindCoordinatorRequest&, const FindCoordinatorRequest&) = default;
};

}  // namespace fencepost::wire
