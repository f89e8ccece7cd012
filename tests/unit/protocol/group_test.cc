#include "protocol/group.h"

#include <algorithm>

#include "vectors.h"

namespace fencepost::protocol {
namespace {

using testing::from_hex;
using testing::Json;
using testing::to_hex;

std::vector<TaskId> tasks_from(const Json& names) {
  std::vector<TaskId> out;
  for (const std::string name : names) {
    const auto hyphen = name.rfind('-');
    out.push_back({name.substr(0, hyphen), std::stoi(name.substr(hyphen + 1))});
  }
  return out;
}

/// A null leader is Java's way to say "no assignment".
std::optional<Assignment> assignment_from(const Json& json) {
  if (json.is_null() || json["leader"].is_null()) return std::nullopt;
  Assignment out;
  out.error = json["error"].get<std::int16_t>();
  out.leader = json["leader"];
  out.leader_url = json["leader_url"];
  out.config_offset = LogPosition(json["offset"].get<std::int64_t>());
  out.connectors = json["connectors"].get<std::vector<std::string>>();
  out.tasks = tasks_from(json["tasks"]);
  if (json.contains("revoked_connectors")) {
    out.revoked_connectors = json["revoked_connectors"].get<std::vector<std::string>>();
    out.revoked_tasks = tasks_from(json["revoked_tasks"]);
    out.delay = Duration(json["delay"].get<std::int32_t>());
  }
  return out;
}

template <class T>
std::vector<T> sorted(std::vector<T> list) {
  std::sort(list.begin(), list.end());
  return list;
}

Assignment without_order(Assignment a) {
  a.connectors = sorted(a.connectors);
  a.tasks = sorted(a.tasks);
  a.revoked_connectors = sorted(a.revoked_connectors);
  a.revoked_tasks = sorted(a.revoked_tasks);
  return a;
}

ConnectProtocol decoder(const Json& c) {
  if (c.contains("decoder")) return c["decoder"] == "v0" ? ConnectProtocol::Eager : ConnectProtocol::Sessioned;
  return static_cast<ConnectProtocol>(c["version"].get<int>());
}

WorkerMetadata metadata_from(const Json& json) {
  return {json["url"], LogPosition(json["offset"].get<std::int64_t>()),
          json.contains("assignment") ? assignment_from(json["assignment"]) : std::nullopt};
}

TEST(GroupMetadata, IsReadAndWrittenAsJavaDoes) {
  std::size_t read = 0;
  for (const Json& c : testing::vectors("group_metadata.json")) {
    SCOPED_TRACE(c["about"].get<std::string>());
    if (c.contains("mode")) continue;
    const auto decoded = decode_metadata(decoder(c), from_hex(c["bytes"]));
    ++read;
    if (c.contains("error")) {
      ASSERT_FALSE(decoded);
      EXPECT_EQ(decoded.error().kind(), ErrorKind::Corrupt);
      continue;
    }
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(*decoded, metadata_from(c["decoded"]));
    if (c.contains("decoder")) continue;
    EXPECT_EQ(to_hex(*encode_metadata(decoder(c), *decoded)), c["bytes"]);
    if (c["version"] == 0) continue;
    const auto own = decode_metadata(decoder(c), *encode_metadata(decoder(c), metadata_from(c)));
    ASSERT_EQ(own->assignment.has_value(), decoded->assignment.has_value());
    if (own->assignment) {
      EXPECT_EQ(without_order(*own->assignment), without_order(*decoded->assignment));
    }
  }
  EXPECT_GT(read, 60U);
}

TEST(GroupMetadata, OffersEveryProtocolUpToTheSetting) {
  std::size_t modes = 0;
  for (const Json& c : testing::vectors("group_metadata.json")) {
    if (!c.contains("mode")) continue;
    SCOPED_TRACE(c["about"].get<std::string>());
    ++modes;
    const auto newest = *parse_connect_protocol(c["mode"].get<std::string>());
    WorkerMetadata metadata = metadata_from(c);
    // Java's HashSet order, which the bytes follow.
    std::sort(metadata.assignment->connectors.begin(), metadata.assignment->connectors.end());
    const auto offered = join_protocols(newest, metadata);
    ASSERT_TRUE(offered);
    ASSERT_EQ(offered->size(), c["protocols"].size());
    for (std::size_t i = 0; i < offered->size(); ++i) {
      EXPECT_EQ((*offered)[i].name, c["protocols"][i]["name"]);
      EXPECT_EQ(to_hex((*offered)[i].metadata), c["protocols"][i]["metadata"]);
      EXPECT_TRUE(protocol_of_join_name((*offered)[i].name));
    }
  }
  EXPECT_EQ(modes, 3U);
  EXPECT_EQ(parse_connect_protocol("Eager").error().message(),
            "connect.protocol: 'Eager' is unknown; use eager, compatible or sessioned");
  EXPECT_FALSE(protocol_of_join_name("range"));
}

TEST(GroupAssignment, IsReadAndWrittenAsJavaDoes) {
  std::size_t read = 0;
  for (const Json& c : testing::vectors("assignments.json")) {
    SCOPED_TRACE(c["about"].get<std::string>());
    if (c["bytes"].is_null()) continue;
    const auto decoded = decode_assignment(decoder(c), from_hex(c["bytes"]));
    ++read;
    if (c.contains("error")) {
      ASSERT_FALSE(decoded);
      EXPECT_EQ(decoded.error().kind(), ErrorKind::Corrupt);
      continue;
    }
    ASSERT_TRUE(decoded) << decoded.error().message();
    EXPECT_EQ(*decoded, *assignment_from(c["decoded"]));
    if (c.contains("decoder")) continue;
    EXPECT_EQ(to_hex(*encode_assignment(decoder(c), *decoded)), c["bytes"]);
    const auto own = decode_assignment(decoder(c), *encode_assignment(decoder(c), *assignment_from(c["input"])));
    EXPECT_EQ(without_order(*own), without_order(*decoded));
  }
  EXPECT_GT(read, 50U);
}

TEST(GroupAssignment, IsNeverReadFromCutBytes) {
  for (const Json& c : testing::vectors("assignments.json")) {
    if (c["bytes"].is_null() || c.contains("error") || c.contains("decoder")) continue;
    const std::string bytes = from_hex(c["bytes"]);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      const auto cut = decode_assignment(decoder(c), std::string_view(bytes).substr(0, n));
      EXPECT_TRUE(cut || cut.error().kind() == ErrorKind::Corrupt);
    }
  }
}

TEST(GroupAssignment, TakesNullListsAsEmpty) {
  const std::string bytes = from_hex(
      "00020000000161000162"
      "0000000000000007"
      "ffffffff"
      "ffffffff"
      "0000000a");
  const auto read = decode_assignment(ConnectProtocol::Sessioned, bytes);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->delay, Duration(10));
  EXPECT_FALSE(read->revokes());
  EXPECT_FALSE(decode_assignment(ConnectProtocol::Eager, bytes));
}

TEST(GroupAssignment, RefusesACountThatCannotBeTrue) {
  const std::string bytes = from_hex(
      "00020000000161000162"
      "0000000000000007"
      "7fffffff");
  EXPECT_EQ(decode_assignment(ConnectProtocol::Sessioned, bytes).error().message(),
            "reading an assignment: the assigned list claims 2147483647 elements, but only 0 bytes are left");
}

TEST(GroupAssignment, RefusesAConnectorNameThatTheFormatCannotHold) {
  Assignment assignment;
  assignment.connectors = {std::string(32768, 'x')};
  EXPECT_EQ(encode_assignment(ConnectProtocol::Sessioned, assignment).error().kind(), ErrorKind::InvalidConfig);
}

}  // namespace
}  // namespace fencepost::protocol
