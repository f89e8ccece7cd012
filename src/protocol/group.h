#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"

namespace fencepost::protocol {

/// What the members of a worker group have agreed on; the setting `connect.protocol` names the newest that a worker offers.
/// The number is the version in the bytes.
enum class ConnectProtocol : std::int16_t {
  Eager = 0,       ///< everybody stops everything before each rebalance
  Compatible = 1,  ///< incremental cooperative (KIP-415)
  Sessioned = 2    ///< the same, and internal REST requests are signed (KIP-507)
};

/// The name among JoinGroup's protocols: "default", "compatible", "sessioned".
[[nodiscard]] std::string_view join_name(ConnectProtocol protocol);
/// From the name that the broker chose. Corrupt for another name.
[[nodiscard]] Result<ConnectProtocol> protocol_of_join_name(std::string_view name);
/// From `connect.protocol`: eager, compatible or sessioned. InvalidConfig for another value.
[[nodiscard]] Result<ConnectProtocol> parse_connect_protocol(std::string_view setting);

/// What the leader deals to one member, and what a member says that it runs.
///
/// Under Eager it is all that the member shall run. Otherwise `connectors` and `tasks` in the leader's answer are only what
/// is new, and in a member's metadata all that it runs.
struct Assignment {
  enum Code : std::int16_t { Fine = 0, ConfigMismatch = 1 };

  std::int16_t error = Fine;  ///< ConfigMismatch: the leader's config log was behind; nobody gets anything, all rejoin
  std::string leader;         ///< member id
  std::string leader_url;     ///< with a trailing slash
  LogPosition config_offset = kNoPosition;
  std::vector<std::string> connectors;
  std::vector<TaskId> tasks;
  std::vector<std::string> revoked_connectors;  ///< never under Eager, as the three below
  std::vector<TaskId> revoked_tasks;
  Duration delay{};  ///< rejoin after it; 0 to 2^31-1 ms

  [[nodiscard]] bool failed() const { return error != Fine; }
  [[nodiscard]] bool revokes() const { return !revoked_connectors.empty() || !revoked_tasks.empty(); }
  friend bool operator==(const Assignment&, const Assignment&) = default;
};

/// What a member tells with JoinGroup.
struct WorkerMetadata {
  std::string url;  ///< advertised REST URL with a trailing slash
  LogPosition config_offset = kNoPosition;
  /// What it runs; nothing if it has had no assignment yet, and always nothing under Eager.
  std::optional<Assignment> assignment;

  friend bool operator==(const WorkerMetadata&, const WorkerMetadata&) = default;
};

struct JoinProtocol {
  std::string name;
  std::string metadata;

  friend bool operator==(const JoinProtocol&, const JoinProtocol&) = default;
};

/// All that a worker of this `connect.protocol` offers in JoinGroup, its preference first.
/// InvalidConfig for a connector name or URL of more than 32767 bytes.
[[nodiscard]] Result<std::vector<JoinProtocol>> join_protocols(ConnectProtocol newest, const WorkerMetadata& metadata);

[[nodiscard]] Result<std::string> encode_metadata(ConnectProtocol protocol, const WorkerMetadata& metadata);
[[nodiscard]] Result<std::string> encode_assignment(ConnectProtocol protocol, const Assignment& assignment);

// Readers take newer versions and surplus bytes, those of Compatible and Sessioned also bytes of Eager. Corrupt for anything
// that is cut or claims more than is there.

[[nodiscard]] Result<WorkerMetadata> decode_metadata(ConnectProtocol protocol, std::string_view bytes);
[[nodiscard]] Result<Assignment> decode_assignment(ConnectProtocol protocol, std::string_view bytes);

}  // namespace fencepost::protocol
