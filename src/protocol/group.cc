#include "protocol/group.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "protocol/byte_cursor.h"

namespace fencepost::protocol {
namespace {

/// The connector itself in its entry, beside the numbers of its tasks.
constexpr std::int32_t kConnectorItself = -1;
constexpr std::size_t kEntryBytesMin = 2 + 4;
/// A task costs four bytes on the wire and repeats its connector's name in memory: without a bound a megabyte of hostile
/// bytes could ask for gigabytes.
constexpr std::size_t kTaskMemoryMax = std::size_t{64} << 20;

using Entry = std::pair<std::string_view, std::vector<std::int32_t>>;

/// One entry a connector: first those whose connector is assigned, then the others in order of appearance. Readers see tasks
/// grouped by connector, and the assignor revokes from the front of what it reads, so the order has a meaning.
std::vector<Entry> grouped(const std::vector<std::string>& connectors, const std::vector<TaskId>& tasks) {
  std::vector<Entry> out;
  std::map<std::string_view, std::size_t> places;
  const auto entry = [&](std::string_view connector) -> std::vector<std::int32_t>& {
    const auto [at, fresh] = places.try_emplace(connector, out.size());
    if (fresh) out.push_back({connector, {}});
    return out[at->second].second;
  };
  for (const std::string& connector : connectors) entry(connector) = {kConnectorItself};
  for (const TaskId& task : tasks) entry(task.connector).push_back(task.task);
  return out;
}

Result<void> write_entries(ByteWriter& out, const std::vector<std::string>& connectors, const std::vector<TaskId>& tasks) {
  const std::vector<Entry> entries = grouped(connectors, tasks);
  out.int32(static_cast<std::int32_t>(entries.size()));
  for (const auto& [connector, numbers] : entries) {
    FENCEPOST_CHECK(out.string("the connector name", connector));
    out.int32(static_cast<std::int32_t>(numbers.size()));
    for (const std::int32_t number : numbers) out.int32(number);
  }
  return {};
}

Result<void> read_entries(ByteReader& in, std::size_t count, std::vector<std::string>& connectors, std::vector<TaskId>& tasks) {
  std::size_t memory = 0;
  for (std::size_t i = 0; i < count; ++i) {
    FENCEPOST_TRY(const std::string connector, in.string("the connector name"));
    FENCEPOST_TRY(const std::size_t numbers, in.count("the task list", sizeof(std::int32_t)));
    memory += numbers * (connector.size() + sizeof(TaskId));
    if (memory > kTaskMemoryMax) return failure(ErrorKind::Corrupt, "the task lists are too large");
    for (std::size_t k = 0; k < numbers; ++k) {
      FENCEPOST_TRY(const std::int32_t number, in.int32("a task number"));
      if (number == kConnectorItself) {
        connectors.push_back(connector);
      } else {
        tasks.push_back({connector, number});
      }
    }
  }
  return {};
}

Result<void> read_version(ByteReader& in) {
  FENCEPOST_TRY(const std::int16_t version, in.int16("the version"));
  if (version < 0) return failure(ErrorKind::Corrupt, fmt::format("the version is {}", version));
  return {};
}

/// Fields that bytes of Eager end before.
Result<void> read_incremental_part(ByteReader& in, Assignment& out) {
  if (in.at_end()) return {};
  FENCEPOST_TRY(const auto revoked, in.nullable_count("the revoked list", kEntryBytesMin));
  FENCEPOST_CHECK(read_entries(in, revoked.value_or(0), out.revoked_connectors, out.revoked_tasks));
  if (in.at_end()) return {};
  FENCEPOST_TRY(const std::int32_t delay, in.int32("the delay"));
  out.delay = Duration(delay);
  return {};
}

Result<Assignment> read_assignment(ConnectProtocol protocol, std::string_view bytes) {
  ByteReader in(bytes);
  Assignment out;
  FENCEPOST_CHECK(read_version(in));
  FENCEPOST_TRY(out.error, in.int16("the error code"));
  FENCEPOST_TRY(out.leader, in.string("the leader"));
  FENCEPOST_TRY(out.leader_url, in.string("the leader's URL"));
  FENCEPOST_TRY(const std::int64_t offset, in.int64("the config offset"));
  out.config_offset = LogPosition(offset);
  if (protocol == ConnectProtocol::Eager) {
    FENCEPOST_TRY(const std::size_t assigned, in.count("the assigned list", kEntryBytesMin));
    FENCEPOST_CHECK(read_entries(in, assigned, out.connectors, out.tasks));
    return out;
  }
  if (in.at_end()) return out;
  FENCEPOST_TRY(const auto assigned, in.nullable_count("the assigned list", kEntryBytesMin));
  FENCEPOST_CHECK(read_entries(in, assigned.value_or(0), out.connectors, out.tasks));
  FENCEPOST_CHECK(read_incremental_part(in, out));
  return out;
}

Result<WorkerMetadata> read_metadata(ConnectProtocol protocol, std::string_view bytes) {
  ByteReader in(bytes);
  WorkerMetadata out;
  FENCEPOST_CHECK(read_version(in));
  FENCEPOST_TRY(out.url, in.string("the URL"));
  FENCEPOST_TRY(const std::int64_t offset, in.int64("the config offset"));
  out.config_offset = LogPosition(offset);
  if (protocol == ConnectProtocol::Eager || in.at_end()) return out;
  FENCEPOST_TRY(const auto assignment, in.nullable_bytes("the assignment"));
  if (assignment) {
    FENCEPOST_TRY(out.assignment, read_assignment(protocol, *assignment));
  }
  return out;
}

}  // namespace

std::string_view join_name(ConnectProtocol protocol) {
  switch (protocol) {
    case ConnectProtocol::Eager:
      return "default";
    case ConnectProtocol::Compatible:
      return "compatible";
    case ConnectProtocol::Sessioned:
      break;
  }
  return "sessioned";
}

Result<ConnectProtocol> protocol_of_join_name(std::string_view name) {
  for (const auto protocol : {ConnectProtocol::Eager, ConnectProtocol::Compatible, ConnectProtocol::Sessioned}) {
    if (join_name(protocol) == name) return protocol;
  }
  return failure(ErrorKind::Corrupt,
                 fmt::format("the group chose protocol '{}'; this worker knows default, compatible and sessioned", name));
}

Result<ConnectProtocol> parse_connect_protocol(std::string_view setting) {
  if (setting == "eager") return ConnectProtocol::Eager;
  if (setting == "compatible") return ConnectProtocol::Compatible;
  if (setting == "sessioned") return ConnectProtocol::Sessioned;
  return failure(ErrorKind::InvalidConfig,
                 fmt::format("connect.protocol: '{}' is unknown; use eager, compatible or sessioned", setting));
}

Result<std::string> encode_assignment(ConnectProtocol protocol, const Assignment& assignment) {
  std::string bytes;
  ByteWriter out(bytes);
  out.int16(static_cast<std::int16_t>(protocol));
  out.int16(assignment.error);
  FENCEPOST_CHECK(out.string("the leader's member id", assignment.leader));
  FENCEPOST_CHECK(out.string("the leader's URL", assignment.leader_url));
  out.int64(assignment.config_offset.value);
  FENCEPOST_CHECK(write_entries(out, assignment.connectors, assignment.tasks));
  if (protocol == ConnectProtocol::Eager) return bytes;
  FENCEPOST_CHECK(write_entries(out, assignment.revoked_connectors, assignment.revoked_tasks));
  constexpr Duration::rep kDelayMax = std::numeric_limits<std::int32_t>::max();
  out.int32(static_cast<std::int32_t>(std::clamp<Duration::rep>(assignment.delay.count(), 0, kDelayMax)));
  return bytes;
}

Result<std::string> encode_metadata(ConnectProtocol protocol, const WorkerMetadata& metadata) {
  std::string bytes;
  ByteWriter out(bytes);
  out.int16(static_cast<std::int16_t>(protocol));
  FENCEPOST_CHECK(out.string("the advertised URL", metadata.url));
  out.int64(metadata.config_offset.value);
  if (protocol == ConnectProtocol::Eager) return bytes;
  if (!metadata.assignment) {
    out.int32(-1);
    return bytes;
  }
  FENCEPOST_TRY(const std::string assignment, encode_assignment(protocol, *metadata.assignment));
  out.int32(static_cast<std::int32_t>(assignment.size()));
  bytes += assignment;
  return bytes;
}

Result<std::vector<JoinProtocol>> join_protocols(ConnectProtocol newest, const WorkerMetadata& metadata) {
  std::vector<JoinProtocol> out;
  for (const auto protocol : {ConnectProtocol::Sessioned, ConnectProtocol::Compatible, ConnectProtocol::Eager}) {
    if (protocol > newest) continue;
    FENCEPOST_TRY(std::string bytes, encode_metadata(protocol, metadata));
    out.push_back({std::string(join_name(protocol)), std::move(bytes)});
  }
  return out;
}

Result<WorkerMetadata> decode_metadata(ConnectProtocol protocol, std::string_view bytes) {
  auto out = read_metadata(protocol, bytes);
  if (!out) return Failure(std::move(out).error().while_doing("reading a member's metadata"));
  return out;
}

Result<Assignment> decode_assignment(ConnectProtocol protocol, std::string_view bytes) {
  auto out = read_assignment(protocol, bytes);
  if (!out) return Failure(std::move(out).error().while_doing("reading an assignment"));
  return out;
}

}  // namespace fencepost::protocol
