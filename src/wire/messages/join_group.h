#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

/// Comes when the rebalance is complete. Members are told to the leader alone; skip_assignment to a returning static leader
/// (KIP-814).
struct JoinGroupResponse {
  struct Member {
    std::string member_id;
    std::optional<std::string> group_instance_id;
    Bytes metadata;

    static void describe(auto& m, auto& v) {
      v.field("MemberId", m.member_id);
      v.field("GroupInstanceId", m.group_instance_id, since(5));
      v.field("Metadata", m.metadata);
    }
    friend bool operator==(const Member&, const Member&) = default;
  };

  static constexpr Api kApi{.key = 11, .name = "JoinGroupResponse", .versions = {0, 9}, .flexible_since = 6};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::int32_t generation_id = -1;
  std::optional<std::string> protocol_type;
  std::optional<std::string> protocol_name;
  std::string leader;
  bool skip_assignment = false;
  std::string member_id;
  std::vector<Member> members;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(2));
    v.field("ErrorCode", m.error_code);
    v.field("GenerationId", m.generation_id);
    v.field("ProtocolType", m.protocol_type, since(7));
    v.field("ProtocolName", m.protocol_name, since(0).nullable_since(7));
    v.field("Leader", m.leader);
    v.field("SkipAssignment", m.skip_assignment, since(9));
    v.field("MemberId", m.member_id);
    v.field("Members", m.members);
  }
  friend bool operator==(const JoinGroupResponse&, const JoinGroupResponse&) = default;
};

/// The first join of a member has an empty member id and gets one with MEMBER_ID_REQUIRED (version 4 and later, KIP-394).
struct JoinGroupRequest {
  struct Protocol {
    std::string name;
    Bytes metadata;

    static void describe(auto& m, auto& v) {
      v.field("Name", m.name);
      v.field("Metadata", m.metadata);
    }
    friend bool operator==(const Protocol&, const Protocol&) = default;
  };

  static constexpr Api kApi{.key = 11, .name = "JoinGroupRequest", .versions = {0, 9}, .flexible_since = 6};
  using Response = JoinGroupResponse;

  std::string group_id;
  std::int32_t session_timeout_ms = 0;
  std::int32_t rebalance_timeout_ms = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::string protocol_type;
  std::vector<Protocol> protocols;
  std::optional<std::string> reason;

  static void describe(auto& m, auto& v) {
    v.field("GroupId", m.group_id);
    v.field("SessionTimeoutMs", m.session_timeout_ms);
    v.field("RebalanceTimeoutMs", m.rebalance_timeout_ms, since(1));
    v.field("MemberId", m.member_id);
    v.field("GroupInstanceId", m.group_instance_id, since(5));
    v.field("ProtocolType", m.protocol_type);
    v.field("Protocols", m.protocols);
    v.field("Reason", m.reason, since(8));
  }
  friend bool operator==(const JoinGroupRequest&, const JoinGroupRequest&) = default;
};

}  // namespace fencepost::wire
