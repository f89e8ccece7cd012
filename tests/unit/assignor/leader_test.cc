#include "assignor/leader.h"

#include <algorithm>

#include "protocol/config_records.h"
#include "vectors.h"

namespace fencepost::assignor {
namespace {

using protocol::Assignment;
using protocol::ConfigState;
using protocol::ConnectProtocol;
using testing::Json;

/// A config log with these connectors that ends at `offset`.
ConfigState configs_of(const Json& configured, std::int64_t offset) {
  std::vector<protocol::Record> records;
  for (const auto& [name, tasks] : configured.items()) {
    records.push_back(protocol::connector_record(name, {{"name", name}}));
    for (int i = 0; i < tasks.get<int>(); ++i) records.push_back(protocol::task_record({name, i}, {}));
    records.push_back(protocol::commit_record(name, tasks.get<int>()));
  }
  ConfigState out;
  for (const auto& record : records) out.read(LogPosition(0), record.key, record.value);
  out.read(LogPosition(offset - 1), "nothing", "{}");
  return out;
}

protocol::WorkerMetadata member(const std::string& id, std::int64_t offset) {
  return {"http://" + id + ":8083/", LogPosition(offset), std::nullopt};
}

Assignment without_order(Assignment a) {
  std::sort(a.connectors.begin(), a.connectors.end());
  std::sort(a.tasks.begin(), a.tasks.end());
  return a;
}

void expect_bytes(const std::map<std::string, Assignment>& ours, const Json& expected, ConnectProtocol protocol) {
  ASSERT_EQ(ours.size(), expected.size());
  for (const auto& [id, theirs] : expected.items()) {
    const auto decoded = protocol::decode_assignment(protocol, testing::from_hex(theirs["bytes"]));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(without_order(ours.at(id)), without_order(*decoded)) << id;
  }
}

TEST(Leader, DealsEagerlyAsJavaDoes) {
  for (const Json& c : testing::vectors("eager_assignor.json")) {
    SCOPED_TRACE(c["about"].get<std::string>());
    LeaderRound round{ConnectProtocol::Eager, c["leader"], Time{}, Generation(1), kNoGeneration, {}};
    for (const std::string id : c["members"]) round.members[id] = member(id, c["member_offset"].get<std::int64_t>());
    Leader leader(Duration(300000));
    expect_bytes(leader.assign(round, configs_of(c["configured"], c["leader_offset"].get<std::int64_t>())), c["assignments"],
                 round.protocol);
  }
}

TEST(Leader, TellsAllWhenItIsBehindAMemberOfTheGroup) {
  for (const Json& c : testing::vectors("incremental_assignor.json")) {
    if (c["assignor"] != "incremental-bytes") continue;
    SCOPED_TRACE(c["about"].get<std::string>());
    LeaderRound round{ConnectProtocol::Sessioned,
                      c["leader"],
                      Time{},
                      Generation(c["generation"].get<std::int32_t>()),
                      Generation(c["last_completed_generation"].get<std::int32_t>()),
                      {}};
    for (const auto& [id, offset] : c["members"].items()) round.members[id] = member(id, offset.get<std::int64_t>());
    EXPECT_EQ(newest_config_offset(round), LogPosition(11));
    Leader leader(Duration(300000));
    const auto assignments =
        leader.assign(round, configs_of(c["fresh_configured"], c["leader_fresh_offset"].get<std::int64_t>()));
    expect_bytes(assignments, c["out"], round.protocol);
  }
}

TEST(Leader, DealsNoTasksOfInconsistentConnectorsAndNothingOfDeletedOnes) {
  ConfigState configs = configs_of(Json::parse(R"({"a":2,"b":1})"), 20);
  configs.read(LogPosition(20), "commit-a", R"({"tasks":3})");
  configs.read(LogPosition(21), "connector-b", std::nullopt);
  EXPECT_EQ(configured_in(configs), (Configured{{"a", 0}}));
}

TEST(Leader, CallsAnotherRoundWhereAMemberStillRunsWhatIsDeleted) {
  const ConfigState configs = configs_of(Json::parse(R"({"a":1,"b":1})"), 20);
  LeaderRound round{ConnectProtocol::Sessioned, "w1", Time{}, Generation(2), Generation(1), {}};
  round.members = {{"w1", member("w1", 20)}, {"w2", member("w2", 20)}};
  Assignment running;
  running.connectors = {"gone"};
  running.tasks = {{"gone", 0}};
  round.members["w1"].assignment = running;

  Leader leader(Duration(300000));
  const auto first = leader.assign(round, configs);
  EXPECT_EQ(first.at("w2").connectors.size(), 2U) << "what is deleted counts as load, as with Java's";
  EXPECT_TRUE(leader.left_deleted_work());

  running.connectors = {"gone"};
  round.members["w2"].assignment = first.at("w2");
  round.generation = Generation(3);
  round.last_completed_generation = Generation(2);
  EXPECT_EQ(leader.assign(round, configs).at("w1").revoked_connectors, running.connectors);
  EXPECT_FALSE(leader.left_deleted_work());
}

TEST(JavaLess, OrdersByUtf16CodeUnits) {
  const std::vector<std::string> sorted{"", "B", "a", "a-b", "ab", "\u00e4", "\U0001F600", "\uE000", "\uFFFD"};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t k = 0; k < sorted.size(); ++k) EXPECT_EQ(JavaLess()(sorted[i], sorted[k]), i < k) << i << " " << k;
  }
  EXPECT_TRUE(JavaLess()(TaskId{"a", 2}, TaskId{"a", 10}));
}

}  // namespace
}  // namespace fencepost::assignor
