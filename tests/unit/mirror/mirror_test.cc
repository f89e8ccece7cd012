#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "mirror/mirror_settings.h"
#include "mirror/mirror_source_connector.h"
#include "mirror/offset_syncs.h"
#include "mirror/refresher.h"
#include "mirror/replication_policy.h"
#include "vectors.h"

namespace fencepost::mirror {
namespace {

using Json = ::fencepost::testing::Json;

ConfigMap config_of(const Json& vector) {
  ConfigMap config;
  for (const auto& [name, value] : vector["config"].items()) config[name] = value.get<std::string>();
  config["replication.policy.class"] = vector["policy"].get<std::string>();
  return config;
}

std::optional<std::string> text(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

TEST(ReplicationPolicy, NamesTopicsAsTheJavaClassesDo) {
  std::size_t seen = 0;
  for (const Json& vector : ::fencepost::testing::vectors("mirror.json")) {
    if (vector["kind"] != "policy") continue;
    SCOPED_TRACE(vector.dump());
    ++seen;
    const auto policy = make_replication_policy(config_of(vector));
    const auto topic = vector["topic"].get<std::string>();
    EXPECT_EQ(policy->remote_topic("a", topic), vector["remote_name_from_a"].get<std::string>());
    EXPECT_EQ(policy->topic_source(topic), text(vector["source"]));
    EXPECT_EQ(policy->upstream_topic(topic), text(vector["upstream"]));
    EXPECT_EQ(policy->original_topic(topic), vector["original"].get<std::string>());
    EXPECT_EQ(policy->is_checkpoints_topic(topic), vector["is_checkpoints"].get<bool>());
    EXPECT_EQ(policy->is_heartbeats_topic(topic), vector["is_heartbeats"].get<bool>());
    EXPECT_EQ(policy->is_mm2_internal_topic(topic), vector["is_mm2_internal"].get<bool>());
    EXPECT_EQ(policy->is_internal_topic(topic), vector["is_internal"].get<bool>());
  }
  EXPECT_GT(seen, 100U);
}

TEST(ReplicationPolicy, NamesItsOwnTopicsAsTheJavaClassesDo) {
  for (const Json& vector : ::fencepost::testing::vectors("mirror.json")) {
    if (vector["kind"] != "policy_topics") continue;
    SCOPED_TRACE(vector.dump());
    const auto policy = make_replication_policy(config_of(vector));
    EXPECT_EQ(policy->offset_syncs_topic("a"), vector["offset_syncs"].get<std::string>());
    EXPECT_EQ(policy->checkpoints_topic("a"), vector["checkpoints"].get<std::string>());
  }
}

TEST(OffsetSyncs, HaveTheBytesOfTheJavaClasses) {
  for (const Json& vector : ::fencepost::testing::vectors("mirror.json")) {
    if (vector["kind"] != "offset_sync") continue;
    SCOPED_TRACE(vector.dump());
    EXPECT_EQ(::fencepost::testing::to_hex(
                  offset_sync_key(vector["topic"].get<std::string>(), vector["partition"].get<std::int32_t>())),
              vector["key"].get<std::string>());
    EXPECT_EQ(::fencepost::testing::to_hex(offset_sync_value(vector["upstream_offset"].get<std::int64_t>(),
                                                             vector["downstream_offset"].get<std::int64_t>())),
              vector["value"].get<std::string>());
  }
}

TEST(OffsetSyncs, AreToldWhenTheJavaTaskTellsThem) {
  std::size_t seen = 0;
  for (const Json& vector : ::fencepost::testing::vectors("mirror.json")) {
    if (vector["kind"] != "want_sync") continue;
    SCOPED_TRACE(vector.dump());
    SyncRule rule(vector["offset_lag_max"].get<std::int64_t>());
    for (const Json& step : vector["steps"]) {
      ++seen;
      EXPECT_EQ(rule.update(step[0].get<std::int64_t>(), step[1].get<std::int64_t>()), step[2].get<bool>()) << step.dump();
    }
  }
  EXPECT_GT(seen, 50U);
}

// One in a hundred and one, as Java's rule would tell where the target has no markers in between.
TEST(OffsetSyncs, NeedThePlaceOfFewRecordsOnly) {
  SyncSampler sampler(100);
  std::vector<std::int64_t> wanted;
  sampler.batch_ends_at(299);
  for (std::int64_t offset = 0; offset < 300; ++offset) {
    if (sampler.wants(offset)) wanted.push_back(offset);
  }
  EXPECT_EQ(wanted, (std::vector<std::int64_t>{0, 101, 202, 299}));
  EXPECT_TRUE(sampler.wants(299)) << "the same answer when it is asked again";
}

TEST(OffsetSyncs, NeedThePlaceOfEachRecordAfterAGap) {
  SyncSampler sampler(100);
  EXPECT_TRUE(sampler.wants(10));
  EXPECT_FALSE(sampler.wants(11));
  EXPECT_TRUE(sampler.wants(13));
  EXPECT_TRUE(sampler.had_gap_before(10));
  EXPECT_FALSE(sampler.had_gap_before(12));
  EXPECT_TRUE(sampler.had_gap_before(20));
  EXPECT_FALSE(sampler.had_gap_before(20));
}

TEST(OffsetSyncs, OfSampledRecordsAreToldAsJavaTellsThem) {
  SyncSampler sampler(100);
  SyncRule sampled(100);
  SyncRule java(100);
  std::vector<std::int64_t> ours;
  std::vector<std::int64_t> theirs;
  for (std::int64_t offset = 0; offset < 1000; ++offset) {
    const std::int64_t upstream = offset < 500 ? offset : offset + 7;
    if (sampler.wants(upstream) && sampled.update(upstream, offset, sampler.had_gap_before(upstream))) ours.push_back(upstream);
    if (java.update(upstream, offset)) theirs.push_back(upstream);
  }
  EXPECT_EQ(ours, theirs);
}

TEST(MirrorSettings, AreThoseOfTheJavaConnectorWithItsDefaults) {
  const ConfigDef def = mirror_source_config_def();
  std::size_t seen = 0;
  for (const Json& owner : ::fencepost::testing::vectors("configdefs.json")) {
    if (owner["owner"] != "org.apache.kafka.connect.mirror.MirrorSourceConnector") continue;
    for (const Json& key : owner["keys"]) {
      const ConfigKey* mine = def.find(key["name"].get<std::string>());
      if (mine == nullptr) continue;
      SCOPED_TRACE(key.dump());
      ++seen;
      EXPECT_EQ(to_string(mine->type), key["type"].get<std::string>());
      EXPECT_EQ(to_string(mine->importance), key["importance"].get<std::string>());
      EXPECT_EQ(mine->required(), key["required"].get<bool>());
      if (mine->required() || key["default"].is_null()) continue;
      EXPECT_EQ(to_text(*mine->default_value), text(key["default"]));
    }
  }
  EXPECT_EQ(seen, def.keys().size());
}

TEST(TopicChoice, TakesWhatIsAskedForAndNeverTheClustersOwnTopics) {
  const TopicChoice topics({{"source.cluster.alias", "src"}, {"target.cluster.alias", "dst"}, {"topics", ".*"}});
  using Verdict = TopicChoice::Verdict;
  EXPECT_EQ(topics.judge("orders"), Verdict::Mirrored);
  EXPECT_EQ(topics.judge("x.internal"), Verdict::Mirrored);
  EXPECT_EQ(topics.judge("x.replica"), Verdict::NotAsked);
  EXPECT_EQ(topics.judge("__consumer_offsets"), Verdict::NotAsked);
  EXPECT_EQ(topics.judge("a.checkpoints.internal"), Verdict::Internal);
  EXPECT_EQ(topics.judge("other.orders"), Verdict::Mirrored);
}

// A source topic that happens to begin with the target's alias looks like one that came from there.
TEST(TopicChoice, CallsATopicFromTheTargetACycle) {
  const TopicChoice topics({{"source.cluster.alias", "src"}, {"target.cluster.alias", "orders"}});
  EXPECT_EQ(topics.judge("orders.v1"), TopicChoice::Verdict::Cycle);
  EXPECT_EQ(topics.judge("x.orders.v1"), TopicChoice::Verdict::Cycle);
  EXPECT_EQ(topics.judge("orders"), TopicChoice::Verdict::Mirrored);
}

TEST(TopicChoice, MirrorsHeartbeatsUnlessSwitchedOff) {
  ConfigMap config{{"source.cluster.alias", "src"}, {"topics", "orders"}};
  EXPECT_EQ(TopicChoice(config).judge("heartbeats"), TopicChoice::Verdict::Mirrored);
  config["heartbeats.replication.enabled"] = "false";
  EXPECT_EQ(TopicChoice(config).judge("heartbeats"), TopicChoice::Verdict::NotAsked);
}

TEST(ClientProperties, TakeTheMoreSpecialPrefixFirst) {
  const ConfigMap config{{"source.cluster.bootstrap.servers", "s:1"},
                         {"source.cluster.alias", "src"},
                         {"target.cluster.bootstrap.servers", "t:1"},
                         {"consumer.isolation.level", "read_uncommitted"},
                         {"source.consumer.isolation.level", "read_committed"}};
  const Properties consumer = client_properties(config, Side::Source, kafka::ClientKind::Consumer);
  EXPECT_EQ(consumer.get("bootstrap.servers"), "s:1");
  EXPECT_EQ(consumer.get("isolation.level"), "read_committed");
  EXPECT_EQ(consumer.get("auto.offset.reset"), "earliest");
  EXPECT_FALSE(consumer.contains("alias"));
  EXPECT_EQ(client_properties(config, Side::Target, kafka::ClientKind::Admin).get("bootstrap.servers"), "t:1");
}

TEST(MirrorSource, IsExactlyOnceOnlyWhereItReadsCommittedRecords) {
  const MirrorSourceConnector connector(std::make_shared<Refresher>());
  EXPECT_EQ(connector.exactly_once_support({{"source.cluster.alias", "a"}}), ExactlyOnceSupport::Unsupported);
  EXPECT_EQ(connector.exactly_once_support({{"consumer.isolation.level", "read_committed"}}), ExactlyOnceSupport::Supported);
  EXPECT_EQ(connector.exactly_once_support({{"source.consumer.isolation.level", "read_committed"}}),
            ExactlyOnceSupport::Supported);
}

TEST(MirrorSource, RefusesOffsetSyncsThatAreSetUpAndSwitchedOff) {
  const MirrorSourceConnector connector(std::make_shared<Refresher>());
  const auto values = connector.validate(
      {{"source.cluster.alias", "a"}, {"emit.offset-syncs.enabled", "false"}, {"offset-syncs.topic.replication.factor", "1"}});
  const auto found =
      std::find_if(values.begin(), values.end(), [](const auto& v) { return v.name == "emit.offset-syncs.enabled"; });
  ASSERT_NE(found, values.end());
  EXPECT_EQ(found->errors.size(), 1U);
}

TEST(MirrorSource, RefusesWrongValuesAsJavaDoes) {
  std::size_t seen = 0;
  for (const Json& vector : ::fencepost::testing::vectors("config_validate.json")) {
    if (vector["kind"] != "configdef" || vector["definition"] != "org.apache.kafka.connect.mirror.MirrorSourceConnector")
      continue;
    SCOPED_TRACE(vector["about"].get<std::string>());
    ConfigMap config;
    for (const auto& [name, value] : vector["config"].items()) config[name] = value.get<std::string>();
    const auto values = MirrorSourceConnector(std::make_shared<Refresher>()).validate(config);
    for (const Json& wanted : vector["values"]) {
      const auto found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == wanted["name"]; });
      if (found == values.end()) continue;  // of the framework
      ++seen;
      EXPECT_EQ(found->errors, wanted["errors"].get<std::vector<std::string>>()) << found->name;
    }
  }
  EXPECT_GE(seen, 8U);
}

TEST(MirrorSource, CannotBeRequiredToBeExactlyOnceWhereItReadsAbortedRecords) {
  const MirrorSourceConnector connector(std::make_shared<Refresher>());
  const auto errors = [&](const ConfigMap& more) {
    ConfigMap config{{"source.cluster.alias", "a"}, {"exactly.once.support", "required"}};
    config.insert(more.begin(), more.end());
    std::vector<std::string> out;
    for (const auto& value : connector.validate(config)) out.insert(out.end(), value.errors.begin(), value.errors.end());
    return out;
  };
  ASSERT_EQ(errors({}).size(), 1U);
  EXPECT_NE(errors({}).front().find("isolation.level"), std::string::npos);
  EXPECT_TRUE(errors({{"source.consumer.isolation.level", "read_committed"}}).empty());
  EXPECT_TRUE(errors({{"consumer.isolation.level", "read_committed"}}).empty());
  EXPECT_EQ(errors({{"target.consumer.isolation.level", "read_committed"}}).size(), 1U);
}

TEST(MirrorSource, DealsPartitionsToTasksInTurn) {
  EXPECT_EQ(deal_partitions({{"a", 3}, {"b", 2}}, 2), (std::vector<std::string>{"a-0,a-2,b-1", "a-1,b-0"}));
  EXPECT_EQ(deal_partitions({{"a", 1}}, 4), (std::vector<std::string>{"a-0"}));
  EXPECT_TRUE(deal_partitions({}, 4).empty());
}

TEST(MirrorSource, ChecksOffsetsThatAUserWantsToSet) {
  MirrorSourceConnector connector(std::make_shared<Refresher>());
  const FieldMap partition{{"cluster", Value("a")}, {"partition", Value(0)}, {"topic", Value("t")}};
  EXPECT_TRUE(connector.alter_offsets({}, {{partition, FieldMap{{"offset", Value(5)}}}}));
  EXPECT_TRUE(connector.alter_offsets({}, {{partition, std::nullopt}}));
  EXPECT_THROW((void)connector.alter_offsets({}, {{partition, FieldMap{{"offset", Value(-5)}}}}), ConnectError);
  EXPECT_THROW((void)connector.alter_offsets({}, {{FieldMap{{"topic", Value("t")}}, std::nullopt}}), ConnectError);
}

TEST(Refresher, CallsItsWorkAgainUntilItIsRemoved) {
  Refresher refresher;
  std::atomic<int> calls = 0;
  const auto id = refresher.add(std::chrono::milliseconds(1), [&] {
    ++calls;
    return std::chrono::milliseconds(1);
  });
  while (calls < 3) std::this_thread::yield();
  refresher.remove(id);
}

TEST(Refresher, ServesOthersWhileOneWorkWaits) {
  Refresher refresher;
  std::promise<void> release;
  std::promise<void> other;
  const auto blocked = refresher.add(std::chrono::seconds(0), [&, held = release.get_future().share()] {
    held.wait();
    return std::chrono::hours(1);
  });
  const auto served = refresher.add(std::chrono::seconds(0), [&] {
    other.set_value();
    return std::chrono::hours(1);
  });
  EXPECT_EQ(other.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
  refresher.remove(blocked);  // does not wait for it
  refresher.remove(served);
  release.set_value();
}

}  // namespace
}  // namespace fencepost::mirror
