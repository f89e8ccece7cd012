// Against a real broker: FENCEPOST_TEST_BOOTSTRAP names it; without it these tests are skipped.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "broker.h"
#include "kafka/admin.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"

namespace fencepost::kafka {
namespace {

using namespace std::chrono_literals;
using test::eventually;
using test::fresh_name;
using test::settings;
using testing::HasSubstr;

class KafkaClients : public test::BrokerTest {
 protected:
  std::unique_ptr<Admin> admin_ = *Admin::create(settings(ClientKind::Admin), Log());

  std::string make_topic(std::int32_t partitions, std::map<std::string, std::string> configs = {}) {
    const std::string name = fresh_name("clients");
    const auto made = admin_->create_topic(
        {.name = name, .partitions = partitions, .replication_factor = 1, .configs = std::move(configs)}, 10s);
    EXPECT_TRUE(made && *made);
    return name;
  }

  static std::unique_ptr<Producer> producer(Properties extra = {}, Producer::DeliveryCallback delivered = {}) {
    const bool transactional = extra.contains("transactional.id");
    return *Producer::create(
        settings(ClientKind::Producer, std::move(extra), transactional ? Delivery::ExactlyOnce : Delivery::AtLeastOnce), Log(),
        std::move(delivered));
  }

  /// Reads a topic's partitions from the start until all ends were told; "partition/offset=value".
  static std::vector<std::string> read_all(const std::string& topic, std::int32_t partitions,
                                           const char* isolation = "read_committed") {
    auto consumer = *AssignedConsumer::create(
        settings(ClientKind::Consumer, {{"isolation.level", isolation}, {"fetch.max.wait.ms", "20"}}), Log(), true);
    std::vector<PartitionOffset> from;
    for (std::int32_t p = 0; p < partitions; ++p) from.push_back({{topic, p}, kOffsetBeginning});
    EXPECT_TRUE(consumer->start(from));
    std::vector<std::string> out;
    std::map<std::int32_t, bool> ended;
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (ended.size() < static_cast<std::size_t>(partitions) && std::chrono::steady_clock::now() < deadline) {
      const auto batch = *consumer->poll(200ms);
      for (const auto& m : batch->messages)
        out.push_back(fmt::format("{}/{}={}", m.partition, m.offset, m.value.value_or("null")));
      for (const auto& end : batch->ends) ended[end.partition] = true;
      for (const auto& error : batch->errors) ADD_FAILURE() << error.error.message();
    }
    return out;
  }
};

TEST_F(KafkaClients, KeysLandOnThePartitionsOfJavasPartitioner) {
  const std::string topic = make_topic(7);
  std::map<std::uint64_t, std::int32_t> landed;
  auto p = producer({}, [&](const Delivered& d) { landed[d.opaque] = d.code == 0 ? d.partition : -2; });
  ASSERT_TRUE(p->produce({.topic = topic, .key = "hello", .value = "x", .opaque = 1}));
  ASSERT_TRUE(p->produce({.topic = topic, .key = "", .value = "x", .opaque = 2}));
  ASSERT_TRUE(p->produce({.topic = topic, .partition = 3, .key = "hello", .value = "x", .opaque = 3}));
  ASSERT_TRUE(p->flush(10s));
  // murmur2("hello") = 2132663229, murmur2("") = 275646681, as in mirror.json.
  EXPECT_EQ(landed, (std::map<std::uint64_t, std::int32_t>{{1, 2132663229 % 7}, {2, 275646681 % 7}, {3, 3}}));
}

TEST_F(KafkaClients, NullAndEmptyAndHeadersSurviveTheWay) {
  const std::string topic = make_topic(1);
  auto p = producer();
  const std::array<HeaderView, 3> headers{HeaderView{"a", "1"}, HeaderView{"a", std::nullopt}, HeaderView{"b", ""}};
  ASSERT_TRUE(p->produce({.topic = topic, .key = std::nullopt, .value = "", .timestamp_ms = 1234, .headers = headers}));
  ASSERT_TRUE(p->produce({.topic = topic, .key = "", .value = std::nullopt}));
  ASSERT_TRUE(p->flush(10s));
  auto consumer = *AssignedConsumer::create(settings(ClientKind::Consumer), Log());
  ASSERT_TRUE(consumer->start({{{topic, 0}, kOffsetBeginning}}));
  std::vector<BatchPtr> batches;
  std::vector<Message> all;
  while (all.size() < 2) {
    batches.push_back(*consumer->poll(5s));
    for (const auto& m : batches.back()->messages) all.push_back(m);
  }
  EXPECT_EQ(all[0].key, std::nullopt);
  EXPECT_EQ(all[0].value, "");
  EXPECT_EQ(all[0].timestamp_ms, 1234);
  const auto read = all[0].headers();
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].key, "a");
  EXPECT_EQ(read[0].value, "1");
  EXPECT_EQ(read[1].value, std::nullopt);
  EXPECT_EQ(read[2].value, "");
  EXPECT_EQ(all[1].key, "");
  EXPECT_EQ(all[1].value, std::nullopt);
}

TEST_F(KafkaClients, AbortedRecordsAreInvisibleAndPositionsPassTheMarkers) {
  const std::string topic = make_topic(1);
  auto p = producer({{"transactional.id", topic}});
  ASSERT_TRUE(p->init_transactions(10s));
  ASSERT_TRUE(p->begin());
  ASSERT_TRUE(p->produce({.topic = topic, .value = "kept"}));
  ASSERT_TRUE(p->commit(10s));
  ASSERT_TRUE(p->begin());
  ASSERT_TRUE(p->produce({.topic = topic, .value = "dropped"}));
  ASSERT_TRUE(p->flush(10s));
  ASSERT_TRUE(p->abort(10s));
  EXPECT_FALSE(p->spent());
  EXPECT_EQ(read_all(topic, 1), std::vector<std::string>{"0/0=kept"});
  EXPECT_EQ(read_all(topic, 1, "read_uncommitted").size(), 2U);
  const auto ends = admin_->end_offsets({{topic, 0}}, true, 10s);
  EXPECT_EQ((ends->at({topic, 0})), 4);
}

TEST_F(KafkaClients, AnOpenTransactionHoldsTheLastStableOffset) {
  const std::string topic = make_topic(1);
  auto p = producer({{"transactional.id", topic}});
  ASSERT_TRUE(p->init_transactions(10s));
  ASSERT_TRUE(p->begin());
  ASSERT_TRUE(p->produce({.topic = topic, .value = "open"}));
  ASSERT_TRUE(p->flush(10s));
  EXPECT_EQ((admin_->end_offsets({{topic, 0}}, true, 10s)->at({topic, 0})), 0);
  EXPECT_EQ((admin_->end_offsets({{topic, 0}}, false, 10s)->at({topic, 0})), 1);
  auto consumer = *AssignedConsumer::create(settings(ClientKind::Consumer, {{"isolation.level", "read_committed"}}), Log());
  const auto stable = consumer->offsets_at({{{topic, 0}, kOffsetEnd}}, 10s);
  ASSERT_TRUE(stable) << stable.error().message();
  EXPECT_EQ((*stable)[0].offset, 0);
  EXPECT_EQ(consumer->watermarks({topic, 0}, 10s)->end, 0);
  ASSERT_TRUE(p->abort(10s));
}

TEST_F(KafkaClients, AFencedProducerIsFatallyFencedAtItsNextCommit) {
  const std::string topic = make_topic(1);
  auto zombie = producer({{"transactional.id", topic}});
  ASSERT_TRUE(zombie->init_transactions(10s));
  auto heir = producer({{"transactional.id", topic}});
  ASSERT_TRUE(heir->init_transactions(10s));
  ASSERT_TRUE(zombie->begin());
  ASSERT_TRUE(zombie->produce({.topic = topic, .value = "late"}));
  const auto committed = zombie->commit(10s);
  ASSERT_FALSE(committed);
  EXPECT_TRUE(committed.error().fatal) << committed.error().message;
  EXPECT_TRUE(committed.error().fenced) << committed.error().message;
  EXPECT_EQ(committed.error().to_error().kind(), ErrorKind::Fenced);
  EXPECT_TRUE(zombie->spent());
  EXPECT_THAT(committed.error().message, HasSubstr(topic));
}

TEST_F(KafkaClients, ATransactionTimeoutAboveTheBrokersNamesBothSettings) {
  auto p = producer({{"transactional.id", fresh_name("slow")}, {"transaction.timeout.ms", "3600000"}});
  const auto begun = std::chrono::steady_clock::now();
  const auto result = p->init_transactions(30s);
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("transaction.timeout.ms=3600000"));
  EXPECT_THAT(result.error().message, HasSubstr("transaction.max.timeout.ms"));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
}

TEST_F(KafkaClients, ARecordTooLargeForTheTopicFailsTheTransactionNotTheProcess) {
  const std::string topic = make_topic(1, {{"max.message.bytes", "1000"}});
  auto p = producer({{"transactional.id", topic}});
  ASSERT_TRUE(p->init_transactions(10s));
  ASSERT_TRUE(p->begin());
  ASSERT_TRUE(p->produce({.topic = topic, .value = std::string(5'000, 'x')}));
  const auto committed = p->commit(10s);
  ASSERT_FALSE(committed);
  EXPECT_TRUE(committed.error().requires_abort) << committed.error().message;
  ASSERT_TRUE(p->abort(10s));
  EXPECT_TRUE(p->spent());
}

TEST_F(KafkaClients, ARecordAboveMaxRequestSizeIsRefusedAtOnce) {
  const std::string topic = make_topic(1);
  auto p = producer({{"max.request.size", "2000"}});
  const auto refused = p->produce({.topic = topic, .value = std::string(5'000, 'x')});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("larger than max.request.size (2000 bytes)"));
}

TEST_F(KafkaClients, WakeupEndsAPollThatWaits) {
  const std::string topic = make_topic(1);
  auto consumer = *AssignedConsumer::create(settings(ClientKind::Consumer), Log());
  ASSERT_TRUE(consumer->start({{{topic, 0}, kOffsetBeginning}}));
  const auto begun = std::chrono::steady_clock::now();
  const std::jthread waker([&] { consumer->wakeup(); });
  auto batch = consumer->poll(20s);
  ASSERT_TRUE(batch);
  EXPECT_TRUE((*batch)->empty());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

TEST_F(KafkaClients, SeekGoesBackAndPauseHoldsRecords) {
  const std::string topic = make_topic(1);
  auto p = producer();
  for (const char* value : {"a", "b", "c"}) ASSERT_TRUE(p->produce({.topic = topic, .value = value}));
  ASSERT_TRUE(p->flush(10s));
  auto consumer = *AssignedConsumer::create(settings(ClientKind::Consumer), Log());
  ASSERT_TRUE(consumer->start({{{topic, 0}, 1}}));
  std::string seen;
  const auto read = [&](std::size_t until) {
    for (int i = 0; i < 100 && seen.size() < until; ++i) {
      for (const auto& m : (*consumer->poll(100ms))->messages) seen += *m.value;
    }
  };
  read(2);
  EXPECT_EQ(seen, "bc");
  EXPECT_EQ(consumer->position({topic, 0}), 3);
  const auto sought = consumer->seek({{{topic, 0}, 0}}, 10s);
  ASSERT_TRUE(sought) << sought.error().message();
  read(5);
  EXPECT_EQ(seen, "bcabc");
  ASSERT_TRUE(consumer->pause({{topic, 0}}));
  ASSERT_TRUE(p->produce({.topic = topic, .value = "d"}));
  ASSERT_TRUE(p->flush(10s));
  EXPECT_TRUE((*consumer->poll(300ms))->messages.empty());
  ASSERT_TRUE(consumer->resume({{topic, 0}}));
  read(6);
  EXPECT_EQ(seen, "bcabcd");
}

TEST_F(KafkaClients, AGroupConsumerTakesABacklogInPollsOfAFew) {
  const std::string topic = make_topic(1);
  auto p = producer();
  for (int i = 0; i < 2000; ++i) ASSERT_TRUE(p->produce({.topic = topic, .partition = 0, .value = "x"}));
  ASSERT_TRUE(p->flush(10s));
  auto consumer = *GroupConsumer::create(
      settings(ClientKind::Consumer, {{"group.id", fresh_name("group")}, {"auto.offset.reset", "earliest"}}), Log(), {});
  ASSERT_TRUE(consumer->subscribe({topic}));
  std::size_t seen = 0;
  for (int i = 0; i < 400 && seen < 2000; ++i) seen += (*consumer->poll(100ms, 100))->messages.size();
  EXPECT_EQ(seen, 2000U);
}

TEST_F(KafkaClients, AConsumerEndsBeforeTheRecordsThatItBrought) {
  const std::string topic = make_topic(1);
  auto p = producer();
  for (const char* value : {"a", "b", "c"}) ASSERT_TRUE(p->produce({.topic = topic, .partition = 0, .value = value}));
  ASSERT_TRUE(p->flush(10s));
  const auto read_and_end = [](auto consumer) {
    std::vector<BatchPtr> kept;
    std::size_t seen = 0;
    for (int i = 0; i < 400 && seen < 3; ++i) {
      kept.push_back(*consumer->poll(100ms));
      seen += kept.back()->messages.size();
    }
    consumer.reset();
    std::string values;
    for (const auto& batch : kept) {
      for (const auto& m : batch->messages) values += *m.value;
    }
    return values;
  };
  auto assigned = *AssignedConsumer::create(settings(ClientKind::Consumer), Log());
  ASSERT_TRUE(assigned->start({{{topic, 0}, kOffsetBeginning}}));
  EXPECT_EQ(read_and_end(std::move(assigned)), "abc");
  auto member = *GroupConsumer::create(
      settings(ClientKind::Consumer, {{"group.id", fresh_name("group")}, {"auto.offset.reset", "earliest"}}), Log(), {});
  ASSERT_TRUE(member->subscribe({topic}));
  EXPECT_EQ(read_and_end(std::move(member)), "abc");
}

TEST_F(KafkaClients, AGroupConsumerCommitsByHandAndHearsOfItsPartitions) {
  const std::string topic = make_topic(2);
  const std::string group = fresh_name("group");
  auto p = producer();
  for (std::int32_t i = 0; i < 2; ++i) ASSERT_TRUE(p->produce({.topic = topic, .partition = i, .value = "x"}));
  ASSERT_TRUE(p->flush(10s));
  std::vector<TopicPartition> assigned;
  std::vector<TopicPartition> revoked;
  {
    auto consumer =
        *GroupConsumer::create(settings(ClientKind::Consumer, {{"group.id", group}, {"auto.offset.reset", "earliest"}}), Log(),
                               {.assigned =
                                    [&](std::vector<PartitionOffset>& partitions) {
                                      for (const auto& at : partitions) assigned.push_back(at.at);
                                    },
                                .revoked =
                                    [&](const std::vector<TopicPartition>& partitions, bool lost) {
                                      EXPECT_FALSE(lost);
                                      revoked = partitions;
                                    }});
    ASSERT_TRUE(consumer->subscribe({topic}));
    std::size_t seen = 0;
    for (int i = 0; i < 200 && seen < 2; ++i) seen += (*consumer->poll(100ms))->messages.size();
    EXPECT_EQ(seen, 2U);
    EXPECT_EQ(assigned.size(), 2U);
    ASSERT_TRUE(consumer->commit({{{topic, 0}, 1}}));
    std::atomic<bool> done = false;
    ASSERT_TRUE(consumer->commit_async({{{topic, 1}, 1}}, [&](const Result<void>& r) { done = r.has_value(); }));
    for (int i = 0; i < 100 && !done; ++i) (void)consumer->poll(50ms);
    EXPECT_TRUE(done);
    const auto committed = consumer->committed({{topic, 0}, {topic, 1}}, 10s);
    EXPECT_EQ((*committed)[0].offset, 1);
    EXPECT_EQ((*committed)[1].offset, 1);
  }
  EXPECT_EQ(revoked.size(), 2U);
  const auto offsets = admin_->list_group_offsets(group, 10s);
  EXPECT_EQ(*offsets, (std::map<TopicPartition, std::int64_t>{{{topic, 0}, 1}, {{topic, 1}, 1}}));
  ASSERT_TRUE(admin_->alter_group_offsets(group, {{{topic, 0}, 0}}, 10s));
  EXPECT_EQ((admin_->list_group_offsets(group, 10s)->at({topic, 0})), 0);
  ASSERT_TRUE(admin_->delete_group_offsets(group, {{topic, 1}}, 10s));
  EXPECT_EQ(admin_->list_group_offsets(group, 10s)->size(), 1U);
  ASSERT_TRUE(admin_->delete_group(group, 10s));
  EXPECT_TRUE(admin_->delete_group(group, 10s));
}

TEST_F(KafkaClients, AdminMakesAndDescribesTopics) {
  const std::string topic = make_topic(3, {{"cleanup.policy", "compact"}});
  EXPECT_FALSE(*admin_->create_topic({.name = topic, .partitions = 1, .replication_factor = 1}, 10s));
  const auto info = admin_->describe_topic(topic, 10s);
  ASSERT_TRUE(info && *info);
  EXPECT_EQ((*info)->partitions, 3);
  EXPECT_EQ((*info)->replication_factor, 1);
  EXPECT_EQ(*admin_->describe_topic(fresh_name("none"), 10s), std::nullopt);
  EXPECT_EQ(admin_->describe_topic_configs({topic}, 10s)->at(topic).at("cleanup.policy").value, "compact");
  ASSERT_TRUE(admin_->alter_topic_configs(topic, {{"retention.ms", "12345"}}, 10s));
  ASSERT_TRUE(admin_->create_partitions(topic, 5, 10s));
  // Brokers learn of both a little after the controller.
  EXPECT_TRUE(
      eventually([&] { return admin_->describe_topic_configs({topic}, 10s)->at(topic).at("retention.ms").value == "12345"; }));
  EXPECT_TRUE(eventually([&] { return (*admin_->describe_topic(topic, 10s))->partitions == 5; }));
  EXPECT_FALSE(admin_->cluster_id(10s)->empty());
  EXPECT_FALSE(admin_->list_topics(10s)->empty());
  ASSERT_TRUE(admin_->delete_topic(topic, 10s));
}

TEST(KafkaClientsWithoutBroker, FailInBoundedTimeAndSaySo) {
  const auto nowhere = *translate(ClientKind::Admin, {{"bootstrap.servers", "127.0.0.1:1"}});
  auto admin = *Admin::create(nowhere, Log());
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(admin->cluster_id(300ms).error().retriable());
  const auto described = admin->describe_topic("t", 300ms);
  ASSERT_FALSE(described);
  EXPECT_TRUE(described.error().retriable()) << described.error().message();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 5s);
}

}  // namespace
}  // namespace fencepost::kafka
