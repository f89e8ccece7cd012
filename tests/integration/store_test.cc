// Against a real broker: FENCEPOST_TEST_BOOTSTRAP names it; without it these tests are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "broker.h"
#include "store/config_log.h"
#include "store/offset_log.h"
#include "store/status_log.h"

namespace fencepost::store {
namespace {

using namespace std::chrono_literals;
using herder::RecordToWrite;
using kafka::ClientKind;
using test::eventually;
using test::fresh_name;
using test::settings;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::shared_ptr<kafka::Admin> admin() { return *kafka::Admin::create(settings(ClientKind::Admin), Log()); }

kafka::TopicLogOptions log_options(const std::string& topic, std::map<std::string, std::string> configs = {}) {
  Properties consumer = kafka::log_consumer_defaults();
  consumer.set("isolation.level", "read_committed");
  return {.topic = {.name = topic, .partitions = 1, .replication_factor = 1, .configs = std::move(configs)},
          .setting = "config.storage.topic",
          .single_partition = true,
          .consumer = settings(ClientKind::Consumer, consumer),
          .shared_admin = admin()};
}

std::shared_ptr<kafka::LogWriter> plain_writer(Properties extra = {}) {
  Properties p = kafka::log_producer_defaults();
  for (const auto& [key, value] : extra) p.set(key, value);
  return std::make_shared<kafka::LogWriter>(settings(ClientKind::Producer, std::move(p)), Log());
}

kafka::Translated leader_producer(const std::string& id) {
  Properties p = kafka::log_producer_defaults();
  p.set("transactional.id", id);
  return settings(ClientKind::Producer, std::move(p), kafka::Delivery::ExactlyOnce);
}

/// What a herder would be told.
class Facts {
 public:
  [[nodiscard]] Post post() {
    return [this](herder::Event event) {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    };
  }
  template <class Fact>
  [[nodiscard]] std::vector<Fact> all() {
    const std::lock_guard lock(mutex_);
    std::vector<Fact> out;
    for (const auto& event : events_) {
      if (const auto* fact = std::get_if<Fact>(&event)) out.push_back(*fact);
    }
    return out;
  }
  template <class Fact>
  [[nodiscard]] std::optional<Fact> answer(RequestId request) {
    std::optional<Fact> found;
    eventually([&] {
      for (const auto& fact : all<Fact>()) {
        if (fact.request == request) found = fact;
      }
      return found.has_value();
    });
    return found;
  }
  [[nodiscard]] std::vector<std::string> keys_read() {
    std::vector<std::string> out;
    for (const auto& fact : all<herder::ConfigRecordsRead>()) {
      for (const auto& record : fact.records) out.push_back(record.key.value_or("null"));
    }
    return out;
  }

 private:
  std::mutex mutex_;
  std::vector<herder::Event> events_;
};

class Stores : public test::BrokerTest {
 protected:
  const std::string topic_ = fresh_name("store");
  Facts facts_;
  RequestId last_request_{0};

  std::optional<Error> write(ConfigLog& log, std::vector<RecordToWrite> records, bool as_leader = true) {
    ++last_request_.value;
    log.write({.request = last_request_, .records = std::move(records), .as_leader = as_leader});
    const auto answer = facts_.answer<herder::ConfigWriteCompleted>(last_request_);
    EXPECT_TRUE(answer) << "no answer to the write";
    return answer ? answer->error : std::nullopt;
  }
  LogPosition read_to_end(ConfigLog& log) {
    ++last_request_.value;
    log.read_to_end(last_request_);
    const auto answer = facts_.answer<herder::ConfigLogEndReached>(last_request_);
    EXPECT_TRUE(answer && answer->end);
    return answer && answer->end ? *answer->end : kNoPosition;
  }
};

TEST_F(Stores, ALeadersRecordsComeInOneTransactionAndAreReadBack) {
  ConfigLog log({.log = log_options(topic_), .leader = leader_producer(topic_)}, plain_writer(), Log(), facts_.post());
  ASSERT_TRUE(log.start(20s));
  log.claim();
  EXPECT_EQ(write(log, {{"target-state-c", "{}"}, {"connector-c", "{}"}}), std::nullopt);
  EXPECT_EQ(read_to_end(log), LogPosition(3));  // two records and their marker
  EXPECT_THAT(facts_.keys_read(), ElementsAre("target-state-c", "connector-c"));
  EXPECT_EQ(write(log, {{"target-state-c", "{}"}}, false), std::nullopt);
  EXPECT_EQ(read_to_end(log), LogPosition(4));
}

TEST_F(Stores, ADeposedLeaderIsToldAndFencedOutUntilItClaimsAnew) {
  ConfigLog first({.log = log_options(topic_), .leader = leader_producer(topic_)}, plain_writer(), Log(), facts_.post());
  ASSERT_TRUE(first.start(20s));
  EXPECT_EQ(write(first, {{"connector-a", "{}"}}), std::nullopt);
  Facts others;
  ConfigLog second({.log = log_options(topic_), .leader = leader_producer(topic_)}, plain_writer(), Log(), others.post());
  ASSERT_TRUE(second.start(20s));
  second.write({.request = RequestId(7), .records = {{"connector-b", "{}"}}});
  ASSERT_EQ(others.answer<herder::ConfigWriteCompleted>(RequestId(7))->error, std::nullopt);
  const auto refused = write(first, {{"connector-c", "{}"}});
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->kind(), ErrorKind::Fenced);
  EXPECT_THAT(refused->message(),
              AllOf(HasSubstr("Failed to write to the config topic"), HasSubstr("another worker has claimed")));
  EXPECT_EQ(write(first, {{"connector-d", "{}"}}), std::nullopt);
  (void)read_to_end(first);
  EXPECT_THAT(facts_.keys_read(), ElementsAre("connector-a", "connector-b", "connector-d"));
}

TEST_F(Stores, ARecordTooLargeForTheTopicIsAnErrorAndTheNextWriteSucceeds) {
  for (const bool transactional : {true, false}) {
    const std::string topic = fresh_name("small");
    Facts facts;
    ConfigLog log({.log = log_options(topic, {{"max.message.bytes", "500"}}),
                   .leader = transactional ? std::optional(leader_producer(topic)) : std::nullopt},
                  plain_writer(), Log(), facts.post());
    ASSERT_TRUE(log.start(20s));
    log.write({.request = RequestId(1), .records = {{"connector-big", std::string(2'000, 'x')}}});
    const auto refused = facts.answer<herder::ConfigWriteCompleted>(RequestId(1))->error;
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->message(), AllOf(HasSubstr("Failed to write"), HasSubstr("too large")));
    log.write({.request = RequestId(2), .records = {{"connector-small", "{}"}}});
    EXPECT_EQ(facts.answer<herder::ConfigWriteCompleted>(RequestId(2))->error, std::nullopt);
    log.read_to_end(RequestId(3));
    ASSERT_TRUE(facts.answer<herder::ConfigLogEndReached>(RequestId(3)));
    EXPECT_THAT(facts.keys_read(), ElementsAre("connector-small"));
  }
}

TEST_F(Stores, StatusRecordsAreReadBack) {
  auto options = log_options(topic_);
  options.topic.partitions = 2;
  options.single_partition = false;
  StatusLog log(options, plain_writer(), Log(), facts_.post());
  ASSERT_TRUE(log.start(20s));
  log.write({.key = "status-connector-c", .value = "{}"});
  log.write({.key = "status-connector-c", .value = std::nullopt});
  ASSERT_TRUE(log.flush(10s));
  std::vector<std::optional<std::string>> values;
  EXPECT_TRUE(eventually([&] {
    values.clear();
    for (const auto& fact : facts_.all<herder::StatusRecordsRead>()) {
      for (const auto& record : fact.records) values.push_back(record.value);
    }
    return values.size() == 2;
  }));
  EXPECT_THAT(values, ElementsAre("{}", std::nullopt));
}

TEST_F(Stores, OffsetsSurviveWhateverElseLiesInTheirTopic) {
  auto options = log_options(topic_);
  const auto writer = plain_writer();
  OffsetLog log(options, writer, Log());
  ASSERT_TRUE(log.start(20s));
  const auto write_offsets = [&](const OffsetLog::Records& records) {
    std::promise<Result<void>> done;
    log.write(records, [&](const Result<void>& result) { done.set_value(result); });
    return done.get_future().get();
  };
  const std::string key = R"(["c",{"filename":"f"}])";
  ASSERT_TRUE(write_offsets({{key, R"({"position":1})"}, {R"(["d",{"x":1}])", R"({"p":2})"}}));
  ASSERT_TRUE(write_offsets({{"rubbish", "{}"}, {R"(["c"])", "{}"}, {key, "[1]"}, {std::string(900'000, '\xfe'), "x"}}));
  std::promise<void> sent;
  writer->send(topic_, std::nullopt, "x", [&](const auto&) { sent.set_value(); });  // refused by a compacted topic
  sent.get_future().wait();
  ASSERT_TRUE(log.read_to_end(10s));
  EXPECT_EQ(log.get(key), R"({"position":1})");
  EXPECT_THAT(log.entries("c"), ElementsAre(OffsetLog::Entry{key, R"({"position":1})"}));
  ASSERT_TRUE(write_offsets({{key, std::nullopt}}));
  ASSERT_TRUE(log.read_to_end(10s));
  EXPECT_EQ(log.get(key), std::nullopt);
  EXPECT_THAT(log.entries("c"), IsEmpty());
  EXPECT_EQ(log.entries("d").size(), 1U);
}

TEST(StoresWithoutBroker, AWriteIsAnsweredWithAnErrorInBoundedTime) {
  Properties nowhere = kafka::log_producer_defaults();
  nowhere.set("bootstrap.servers", "127.0.0.1:1");
  nowhere.set("delivery.timeout.ms", "600");
  auto plain = *kafka::translate(ClientKind::Producer, nowhere);
  nowhere.set("transactional.id", "t");
  auto leader = *kafka::translate(ClientKind::Producer, nowhere, kafka::Delivery::ExactlyOnce);
  Facts facts;
  ConfigLog log({.log = {.topic = {.name = "t"}}, .leader = leader, .write_timeout = 600ms},
                std::make_shared<kafka::LogWriter>(plain, Log()), Log(), facts.post());
  for (const bool as_leader : {true, false}) {
    const RequestId request(as_leader ? 1U : 2U);
    log.write({.request = request, .records = {{"k", "v"}}, .as_leader = as_leader});
    const auto answer = facts.answer<herder::ConfigWriteCompleted>(request);
    ASSERT_TRUE(answer && answer->error);
    EXPECT_TRUE(answer->error->retriable()) << answer->error->message();
  }
}

}  // namespace
}  // namespace fencepost::store
