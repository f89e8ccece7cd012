#include "vectors.h"

#include <algorithm>

#include "assignor/eager.h"
#include "assignor/incremental.h"

namespace fencepost::assignor {
namespace {

using testing::Json;

Load load_from(const Json& json, const char* connectors = "connectors", const char* tasks = "tasks") {
  Load out;
  if (json.contains(connectors)) out.connectors = json[connectors].get<std::vector<std::string>>();
  for (const std::string name : json.value(tasks, Json::array())) {
    const auto hyphen = name.rfind('-');
    out.tasks.push_back({name.substr(0, hyphen), std::stoi(name.substr(hyphen + 1))});
  }
  return out;
}

Load without_order(Load load) {
  std::sort(load.connectors.begin(), load.connectors.end());
  std::sort(load.tasks.begin(), load.tasks.end());
  return load;
}

Configured configured_from(const Json& json, const Json& inconsistent = Json::array()) {
  Configured out;
  for (const auto& [connector, tasks] : json.items()) {
    const bool complete = std::find(inconsistent.begin(), inconsistent.end(), connector) == inconsistent.end();
    out[connector] = complete ? tasks.get<std::int32_t>() : 0;
  }
  return out;
}

Round round_from(const Json& json) {
  Round out;
  out.now = Time(Duration(json["time"].get<std::int64_t>()));
  out.generation = Generation(json["generation"].get<std::int32_t>());
  out.last_completed_generation = Generation(json["last_completed_generation"].get<std::int32_t>());
  out.configured = configured_from(json["configured"], json["inconsistent"]);
  // The order of Java's HashMap decides who keeps an extra one.
  for (const std::string id : json["worker_order"]) {
    const auto member =
        std::find_if(json["members"].begin(), json["members"].end(), [&](const Json& m) { return m["id"] == id; });
    out.workers.push_back({id, load_from(*member)});
  }
  return out;
}

TEST(IncrementalVectors, GiveInEachRoundWhatJavaGives) {
  std::size_t rounds = 0;
  for (const Json& scenario : testing::vectors("incremental_assignor.json")) {
    if (!scenario.contains("rounds")) continue;
    const Duration max_delay(scenario["max_delay_ms"].get<std::int64_t>());
    std::map<int, Incremental> assignors;
    for (const Json& json : scenario["rounds"]) {
      SCOPED_TRACE(scenario["name"].get<std::string>() + ", generation " + json["generation"].dump() + ": " +
                   json["event"].get<std::string>());
      ++rounds;
      Incremental& assignor = assignors.try_emplace(json["assignor_instance"].get<int>(), max_delay).first->second;
      const Outcome outcome = assignor.assign(round_from(json));
      EXPECT_EQ(outcome.delay.count(), json["delay"].get<std::int64_t>());
      EXPECT_EQ(outcome.rebalance_again, json["rebalance_again"].get<bool>());
      ASSERT_EQ(outcome.changes.size(), json["assignments"].size());
      for (const auto& [id, expected] : json["assignments"].items()) {
        SCOPED_TRACE(id);
        const Change& change = outcome.changes.at(id);
        EXPECT_EQ(without_order(change.assigned), without_order(load_from(expected)));
        EXPECT_EQ(without_order(change.revoked), without_order(load_from(expected, "revoked_connectors", "revoked_tasks")));
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_EQ(rounds, 573U);
}

TEST(EagerVectors, GiveWhatJavaGives) {
  for (const Json& c : testing::vectors("eager_assignor.json")) {
    SCOPED_TRACE(c["about"].get<std::string>());
    if (c["leader_offset"] < c["member_offset"]) continue;
    const auto loads = assign_eagerly(c["members"].get<std::vector<std::string>>(), configured_from(c["configured"]));
    ASSERT_EQ(loads.size(), c["assignments"].size());
    for (const auto& [id, expected] : c["assignments"].items()) {
      EXPECT_EQ(without_order(loads.at(id)), without_order(load_from(expected))) << id;
    }
  }
}

}  // namespace
}  // namespace fencepost::assignor
