#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wire/types.h"

namespace fencepost::wire {

struct HeartbeatResponse {
  static constexpr Api kApi{.key = 12, .name = "HeartbeatResponse", .versions = {0, 4}, .flexible_since = 4};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(1));
    v.field("ErrorCode", m.error_code);
  }
  friend bool operator==(const HeartbeatResponse&, const HeartbeatResponse&) = default;
};

/// Keeps the member's session alive and asks whether a rebalance has begun.
struct HeartbeatRequest {
  static constexpr Api kApi{.key = 12, .name = "HeartbeatRequest", .versions = {0, 4}, .flexible_since = 4};
  using Response = HeartbeatResponse;

  std::string group_id;
  std::int32_t generation_id = 0;
  std::string member_id;
  std::optional<std::string> group_instance_id;

  static void describe(auto& m, auto& v) {
    v.field("GroupId", m.group_id);
    v.field("GenerationId", m.generation_id);
    v.field("MemberId", m.member_id);
    v.field("GroupInstanceId", m.group_instance_id, since(3));
  }
  friend bool operator==(const HeartbeatRequest&, const HeartbeatRequest&) = default;
};

}  // namespace fencepost::wire
