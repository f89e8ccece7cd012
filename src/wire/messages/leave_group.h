#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

struct LeaveGroupResponse {
  struct Member {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::int16_t error_code = 0;

    static void describe(auto& m, auto& v) {
      v.field("MemberId", m.member_id, since(3));
      v.field("GroupInstanceId", m.group_instance_id, since(3));
      v.field("ErrorCode", m.error_code, since(3));
    }
    friend bool operator==(const Member&, const Member&) = default;
  };

  static constexpr Api kApi{.key = 13, .name = "LeaveGroupResponse", .versions = {0, 5}, .flexible_since = 4};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::vector<Member> members;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(1));
    v.field("ErrorCode", m.error_code);
    v.field("Members", m.members, since(3));
  }
  friend bool operator==(const LeaveGroupResponse&, const LeaveGroupResponse&) = default;
};

/// Version 3 and later name several members, with a reason from version 5.
struct LeaveGroupRequest {
  struct Member {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    std::optional<std::string> reason;

    static void describe(auto& m, auto& v) {
      v.field("MemberId", m.member_id, since(3));
      v.field("GroupInstanceId", m.group_instance_id, since(3));
      v.field("Reason", m.reason, since(5));
    }
    friend bool operator==(const Member&, const Member&) = default;
  };

  static constexpr Api kApi{.key = 13, .name = "LeaveGroupRequest", .versions = {0, 5}, .flexible_since = 4};
  using Response = LeaveGroupResponse;

  std::string group_id;
  std::string member_id;
  std::vector<Member> members;

  static void describe(auto& m, auto& v) {
    v.field("GroupId", m.group_id);
    v.field("MemberId", m.member_id, between(0, 2));
    v.field("Members", m.members, since(3));
  }
  friend bool operator==(const LeaveGroupRequest&, const LeaveGroupRequest&) = default;
};

}  // namespace fencepost::wire
