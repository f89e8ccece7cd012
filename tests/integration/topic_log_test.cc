// Against a real broker: FENCEPOST_TEST_BOOTSTRAP names it; without it these tests are skipped.
#include "kafka/topic_log.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "broker.h"
#include "kafka/log_writer.h"
#include "kafka/producer.h"

namespace fencepost::kafka {
namespace {

using namespace std::chrono_literals;
using test::fresh_name;
using test::settings;
using testing::ElementsAre;
using testing::HasSubstr;

Translated log_consumer(const char* isolation) {
  Properties p = log_consumer_defaults();
  p.set("isolation.level", isolation);
  return settings(ClientKind::Consumer, std::move(p));
}

std::shared_ptr<Admin> admin() { return *Admin::create(settings(ClientKind::Admin), Log()); }

/// A log that keeps what it read, as "key=value" texts in order.
class KeptLog {
 public:
  explicit KeptLog(const std::string& topic, std::int32_t partitions = 1, const char* isolation = "read_committed",
                   bool single = false, OpenTransactions open = OpenTransactions::Passed)
      : log({.topic = {.name = topic, .partitions = partitions, .replication_factor = 1},
             .setting = "config.storage.topic",
             .single_partition = single,
             .open_transactions = open,
             .consumer = log_consumer(isolation),
             .shared_admin = admin()},
            Log(), [this](std::span<const LogRecord> records) {
              const std::lock_guard lock(mutex_);
              for (const auto& r : records)
                read_.push_back(fmt::format("{}={}", r.key.value_or("null"), r.value.value_or("null")));
            }) {}
  ~KeptLog() { log.stop(); }

  std::vector<std::string> read() {
    const std::lock_guard lock(mutex_);
    return read_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> read_;

 public:
  TopicLog log;
};

class TopicLogs : public test::BrokerTest {
 protected:
  const std::string topic_ = fresh_name("log");
  LogWriter writer_{settings(ClientKind::Producer, log_producer_defaults()), Log()};

  void write(const char* key, std::optional<std::string_view> value) {
    std::promise<Result<std::int64_t>> done;
    writer_.send(topic_, key, value, [&](const Result<std::int64_t>& written) { done.set_value(written); });
    const auto written = done.get_future().get();
    ASSERT_TRUE(written) << written.error().message();
  }
  void make_topic(std::int32_t partitions, const char* policy) {
    const auto cluster = admin();
    ASSERT_TRUE(cluster->create_topic(
        {.name = topic_, .partitions = partitions, .replication_factor = 1, .configs = {{"cleanup.policy", policy}}}, 10s));
    ASSERT_TRUE(test::eventually([&] { return cluster->describe_topic(topic_, 10s)->has_value(); }));
  }
};

TEST_F(TopicLogs, MakesAMissingTopicCompactedAndReadsItsEmptyEnd) {
  KeptLog kept(topic_, 3);
  const auto started = kept.log.start(20s);
  ASSERT_TRUE(started) << started.error().message();
  const auto cluster = admin();
  EXPECT_EQ((*cluster->describe_topic(topic_, 10s))->partitions, 3);
  EXPECT_EQ(cluster->describe_topic_configs({topic_}, 10s)->at(topic_).at("cleanup.policy").value, "compact");
  EXPECT_THAT(*kept.log.read_to_end(10s), ElementsAre(0, 0, 0));
}

TEST_F(TopicLogs, ReadsFromTheStartThenFollows) {
  {
    KeptLog first(topic_);
    ASSERT_TRUE(first.log.start(20s));
  }
  write("a", "1");
  write("b", std::nullopt);
  KeptLog kept(topic_);
  ASSERT_TRUE(kept.log.start(20s));
  EXPECT_THAT(kept.read(), ElementsAre("a=1", "b=null"));
  write("c", "3");
  EXPECT_THAT(*kept.log.read_to_end(10s), ElementsAre(3));
  EXPECT_THAT(kept.read(), ElementsAre("a=1", "b=null", "c=3"));
}

// The marker of a transaction takes the last offset: to wait for a record there would be to wait for ever. And the commit is
// answered before the marker is written: the end that brokers tell may be older than the commit.
TEST_F(TopicLogs, ReachesAnEndThatIsATransactionMarkerWithoutWaiting) {
  KeptLog kept(topic_);
  ASSERT_TRUE(kept.log.start(20s));
  std::int64_t written_to = 0;
  auto leader =
      *Producer::create(settings(ClientKind::Producer, {{"transactional.id", topic_}, {"linger.ms", "0"}}, Delivery::ExactlyOnce),
                        Log(), [&](const Delivered& d) { written_to = d.offset + 1; });
  ASSERT_TRUE(leader->init_transactions(20s));
  std::vector<std::chrono::microseconds> waits;
  std::size_t visible = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(leader->begin());
    ASSERT_TRUE(leader->produce({.topic = topic_, .key = "k", .value = std::to_string(i)}));
    ASSERT_TRUE(leader->flush(10s));
    if (i % 4 == 3) {
      ASSERT_TRUE(leader->abort(10s));
    } else {
      ASSERT_TRUE(leader->commit(10s));
      kept.log.must_reach(0, written_to);
      ++visible;
    }
    const auto begun = std::chrono::steady_clock::now();
    ASSERT_TRUE(kept.log.read_to_end(10s));
    waits.push_back(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun));
    ASSERT_EQ(kept.read().size(), visible);
  }
  std::sort(waits.begin(), waits.end());
  std::cout << fmt::format("read to end: median {} us, longest {} us\n", waits[20].count(), waits.back().count());
}

TEST_F(TopicLogs, DoesNotWaitForAnOpenTransaction) {
  {
    KeptLog maker(topic_);
    ASSERT_TRUE(maker.log.start(20s));
  }
  write("before", "1");
  auto zombie = *Producer::create(
      settings(ClientKind::Producer, {{"transactional.id", topic_}, {"linger.ms", "0"}}, Delivery::ExactlyOnce), Log(), {});
  ASSERT_TRUE(zombie->init_transactions(20s));
  ASSERT_TRUE(zombie->begin());
  ASSERT_TRUE(zombie->produce({.topic = topic_, .key = "open", .value = "2"}));
  ASSERT_TRUE(zombie->flush(10s));
  const auto begun = std::chrono::steady_clock::now();
  KeptLog kept(topic_);
  ASSERT_TRUE(kept.log.start(20s));
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
  EXPECT_THAT(kept.read(), ElementsAre("before=1"));
  KeptLog everything(topic_, 1, "read_uncommitted");
  ASSERT_TRUE(everything.log.start(20s));
  EXPECT_THAT(everything.read(), ElementsAre("before=1", "open=2"));
  ASSERT_TRUE(zombie->commit(10s));
  kept.log.must_reach(0, 2);
  ASSERT_TRUE(kept.log.read_to_end(10s));
  EXPECT_THAT(kept.read(), ElementsAre("before=1", "open=2"));
}

// The last stable offset stands before the zombie's record, so what others have committed behind it is no end to stop at.
TEST_F(TopicLogs, ReadsWhatWasCommittedBehindAnOpenTransactionWhereAsked) {
  KeptLog kept(topic_, 1, "read_committed", false, OpenTransactions::AwaitedAfterStart);
  ASSERT_TRUE(kept.log.start(20s));
  const auto begun = [&](const std::string& id) {
    auto producer = *Producer::create(
        settings(ClientKind::Producer, {{"transactional.id", topic_ + id}, {"linger.ms", "0"}}, Delivery::ExactlyOnce), Log(),
        {});
    EXPECT_TRUE(producer->init_transactions(20s));
    EXPECT_TRUE(producer->begin());
    EXPECT_TRUE(producer->produce({.topic = topic_, .key = id, .value = "1"}));
    EXPECT_TRUE(producer->flush(10s));
    return producer;
  };
  const auto zombie = begun("zombie");
  ASSERT_TRUE(begun("other")->commit(10s));
  const auto hidden = kept.log.read_to_end(1s);
  ASSERT_FALSE(hidden);
  EXPECT_THAT(hidden.error().message(), HasSubstr("a transaction may be open in it"));
  EXPECT_THAT(kept.read(), ElementsAre());
  KeptLog starting(topic_, 1, "read_committed", false, OpenTransactions::AwaitedAfterStart);
  ASSERT_TRUE(starting.log.start(20s));
  ASSERT_TRUE(zombie->abort(10s));
  ASSERT_TRUE(kept.log.read_to_end(20s));
  EXPECT_THAT(kept.read(), ElementsAre("other=1"));
}

TEST_F(TopicLogs, RefusesATopicWhoseRecordsWouldBeDeleted) {
  for (const char* policy : {"delete", "compact,delete"}) {
    const std::string topic = fresh_name("policy");
    const auto cluster = admin();
    ASSERT_TRUE(cluster->create_topic(
        {.name = topic, .partitions = 1, .replication_factor = 1, .configs = {{"cleanup.policy", policy}}}, 10s));
    ASSERT_TRUE(test::eventually([&] { return cluster->describe_topic(topic, 10s)->has_value(); }));
    KeptLog kept(topic);
    const auto started = kept.log.start(20s);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().kind(), ErrorKind::InvalidConfig);
    EXPECT_THAT(started.error().message(),
                testing::AllOf(HasSubstr(topic), HasSubstr(policy), HasSubstr("cleanup.policy=compact"),
                               HasSubstr("config.storage.topic")));
  }
}

TEST_F(TopicLogs, RefusesASecondPartitionWhereOrderMatters) {
  make_topic(2, "compact");
  KeptLog kept(topic_, 1, "read_committed", true);
  const auto started = kept.log.start(20s);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message(), HasSubstr("has 2 partitions"));
}

TEST_F(TopicLogs, StopEndsAWaitWithAnError) {
  KeptLog kept(topic_);
  ASSERT_TRUE(kept.log.start(20s));
  kept.log.stop();
  const auto read = kept.log.read_to_end(10s);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind(), ErrorKind::Unavailable);
}

TEST(TopicLogWithoutBroker, StartGivesUpAfterItsTimeAndAtStop) {
  TopicLog log({.topic = {.name = "t", .partitions = 1, .replication_factor = 1},
                .consumer = *translate(ClientKind::Consumer, {{"bootstrap.servers", "127.0.0.1:1"}}),
                .admin = *translate(ClientKind::Admin, {{"bootstrap.servers", "127.0.0.1:1"}})},
               Log(), {});
  const auto started = log.start(700ms);
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().retriable()) << started.error().message();
  EXPECT_THAT(started.error().message(), HasSubstr("opening topic t"));
}

}  // namespace
}  // namespace fencepost::kafka
