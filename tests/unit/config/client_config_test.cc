#include "config/client_config.h"

#include <gtest/gtest.h>

namespace fencepost::config {
namespace {

WorkerConfig worker(const char* exactly_once = "disabled") {
  return make_worker_config({{"bootstrap.servers", "a:9092"},
                             {"group.id", "g"},
                             {"key.converter", "x"},
                             {"value.converter", "x"},
                             {"config.storage.topic", "c"},
                             {"offset.storage.topic", "o"},
                             {"status.storage.topic", "s"},
                             {"exactly.once.source.support", exactly_once},
                             {"security.protocol", "SASL_SSL"},
                             {"sasl.mechanism", "PLAIN"},
                             {"producer.linger.ms", "5"},
                             {"producer.security.protocol", "SSL"},
                             {"consumer.max.poll.records", "9"},
                             {"admin.retries", "3"}})
      .value();
}

const TaskId kTask{"orders", 2};

TEST(ClientConfig, TheWorkersOwnClientsInheritItsSecurityAndNoPrefix) {
  const Properties producer = worker_client(worker(), ClientKind::Producer, "configs");
  EXPECT_EQ(producer.get("security.protocol"), "SASL_SSL");
  EXPECT_EQ(producer.get("sasl.mechanism"), "PLAIN");
  EXPECT_EQ(producer.get("client.id"), "connect-g-configs");
  EXPECT_EQ(producer.get("acks"), "all");
  EXPECT_FALSE(producer.contains("linger.ms"));
  EXPECT_FALSE(producer.contains("group.id"));
}

TEST(ClientConfig, ReadsCommittedRecordsOnlyWhereExactlyOnceIsEnabled) {
  EXPECT_FALSE(worker_client(worker("preparing"), ClientKind::Consumer, "x").contains("isolation.level"));
  EXPECT_EQ(worker_client(worker("enabled"), ClientKind::Consumer, "x").get("isolation.level"), "read_committed");
}

TEST(ClientConfig, ATasksProducerTakesThePrefixThenTheConnectorsOverrides) {
  const Properties producer =
      source_producer(worker(), kTask, {{"producer.override.linger.ms", "7"}, {"producer.override.acks", "1"}});
  EXPECT_EQ(producer.get("linger.ms"), "7");
  EXPECT_EQ(producer.get("acks"), "1");
  EXPECT_EQ(producer.get("security.protocol"), "SSL");
  EXPECT_FALSE(producer.contains("sasl.mechanism"));
  EXPECT_EQ(producer.get("client.id"), "connector-producer-orders-2");
  EXPECT_FALSE(producer.contains("transactional.id"));
}

TEST(ClientConfig, NobodyOverridesTheTransactionalIdOfAnExactlyOnceTask) {
  const Properties producer =
      source_producer(worker("enabled"), kTask,
                      {{"producer.override.transactional.id", "mine"}, {"producer.override.enable.idempotence", "false"}});
  EXPECT_EQ(producer.get("transactional.id"), "g-orders-2");
  EXPECT_EQ(producer.get("enable.idempotence"), "true");
}

TEST(ClientConfig, ASinksGroupMayBeOverridden) {
  EXPECT_EQ(sink_consumer(worker(), kTask, {}).get("group.id"), "connect-orders");
  EXPECT_EQ(sink_consumer(worker(), kTask, {{"consumer.override.group.id", "other"}}).get("group.id"), "other");
  EXPECT_EQ(sink_consumer(worker(), kTask, {}).get("max.poll.records"), "9");
  EXPECT_EQ(sink_consumer(worker(), kTask, {}).get("auto.offset.reset"), "earliest");
}

TEST(ClientConfig, AnAdminInheritsTheWorkersSecurity) {
  const Properties admin = connector_admin(worker(), "orders-2", {{"admin.override.retries", "4"}});
  EXPECT_EQ(admin.get("security.protocol"), "SASL_SSL");
  EXPECT_EQ(admin.get("retries"), "4");
  EXPECT_EQ(admin.get("client.id"), "connector-adminclient-orders-2");
}

TEST(ClientConfig, AnOffsetsConsumerHasNoGroup) {
  const Properties consumer =
      offsets_consumer(worker("enabled"), kTask, {{"consumer.override.isolation.level", "read_uncommitted"}});
  EXPECT_FALSE(consumer.contains("group.id"));
  EXPECT_EQ(consumer.get("isolation.level"), "read_committed");
}

}  // namespace
}  // namespace fencepost::config
