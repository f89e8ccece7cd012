#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

struct SyncGroupResponse {
  static constexpr Api kApi{.key = 14, .name = "SyncGroupResponse", .versions = {0, 5}, .flexible_since = 4};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  Bytes assignment;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(1));
    v.field("ErrorCode", m.error_code);
    v.field("ProtocolType", m.protocol_type, since(5));
    v.field("ProtocolName", m.protocol_name, since(5));
    v.field("Assignment", m.assignment);
  }
  friend bool operator==(const SyncGroupResponse&, const SyncGroupResponse&) = default;
};

/// The leader's carries everybody's assignment, the others' none.
struct SyncGroupRequest {
  struct Assignment {
    std::string member_id;
    Bytes assignment;

    static void describe(auto& m, auto& v) {
      v.field("MemberId", m.member_id);
      v.field("Assignment", m.assignment);
    }
    friend bool operator==(const Assignment&, const Assignment&) = default;
  };

  static constexpr Api kApi{.key = 14, .name = "SyncGroupRequest", .versions = {0, 5}, .flexible_since = 4};
  using Response = SyncGroupResponse;

  std::string group_id;
  std::int32_t generation_id = 0;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  std::vector<Assignment> assignments;

  static void describe(auto& m, auto& v) {
    v.field("GroupId", m.group_id);
    v.field("GenerationId", m.generation_id);
    v.field("MemberId", m.member_id);
    v.field("GroupInstanceId", m.group_instance_id, since(3));
    v.field("ProtocolType", m.protocol_type, since(5));
    v.field("ProtocolName", m.protocol_name, since(5));
    v.field("Assignments", m.assignments);
  }
  friend bool operator==(const SyncGroupRequest&, const SyncGroupRequest&) = default;
};

}  // namespace fencepost::wire
