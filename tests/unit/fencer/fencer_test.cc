#include "fencer/fencer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "scripted_broker.h"
#include "wire/errors.h"

namespace fencepost::fencer {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using testing::ScriptedBroker;
using wire::ErrorCode;
using wire::to_number;

/// A transaction coordinator whose answers a test sets, and a fencer on a thread of its own.
class Bench {
 public:
  Bench() {
    broker.on<wire::MetadataRequest>([this](const auto&) {
      wire::MetadataResponse out;
      out.brokers.push_back({.node_id = 1, .host = "127.0.0.1", .port = broker.port(), .rack = {}});
      return out;
    });
    broker.on<wire::FindCoordinatorRequest>([this](const wire::FindCoordinatorRequest& r) {
      ++searches;
      wire::FindCoordinatorResponse out;
      for (const std::string& key : r.coordinator_keys) {
        out.coordinators.push_back({.key = key,
                                    .node_id = 1,
                                    .host = "127.0.0.1",
                                    .port = broker.port(),
                                    .error_code = search_error,
                                    .error_message = {}});
      }
      return out;
    });
    broker.on<wire::InitProducerIdRequest>([this](const wire::InitProducerIdRequest& r) {
      const std::lock_guard lock(mutex);
      last = r;
      const int attempt = ++attempts[r.transactional_id.value_or("")];
      wire::InitProducerIdResponse out;
      if (attempt <= failures) out.error_code = error;
      out.producer_id = 7;
      out.producer_epoch = static_cast<std::int16_t>(attempt);
      return out;
    });
    net::Settings network;
    network.bootstrap = {{"127.0.0.1", broker.port()}};
    network.reconnect_backoff = network.reconnect_backoff_max = network.retry_backoff = 5ms;
    cluster = net::Cluster::create(loop, network, Log{}).value();
    fencer = std::make_unique<Fencer>(*cluster, Log{});
    thread = std::thread([this] { loop.run(); });
  }
  ~Bench() {
    loop.stop();
    thread.join();
    fencer.reset();
    cluster.reset();
  }

  Fenced fence(std::vector<std::string> ids, Duration timeout = 5s) {
    std::promise<Fenced> promise;
    fencer->fence({.transactional_ids = std::move(ids), .transaction_timeout = 60s, .timeout = timeout},
                  [&](Fenced fenced) { promise.set_value(std::move(fenced)); });
    return promise.get_future().get();
  }

  std::mutex mutex;
  wire::InitProducerIdRequest last;
  std::map<std::string, int> attempts;
  std::atomic<int> failures = 0, searches = 0;
  std::atomic<std::int16_t> error = 0, search_error = 0;
  ScriptedBroker broker;
  net::Loop loop;
  std::unique_ptr<net::Cluster> cluster;
  std::unique_ptr<Fencer> fencer;
  std::thread thread;
};

TEST(Fencer, BumpsEveryIdWithoutAProducerIdOfItsOwn) {
  Bench bench;
  std::vector<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back("g-c-" + std::to_string(i));
  const Fenced fenced = bench.fence(ids);
  EXPECT_EQ(fenced.size(), 1000U);
  EXPECT_EQ(first_failure(fenced), std::nullopt);
  EXPECT_EQ(fenced.at("g-c-999").value(), (FencedProducer{.producer_id = 7, .epoch = 1}));
  EXPECT_EQ(bench.searches, 1);
  EXPECT_EQ(bench.last.producer_id, -1);
  EXPECT_EQ(bench.last.producer_epoch, -1);
  EXPECT_EQ(bench.last.transaction_timeout_ms, 60'000);
}

TEST(Fencer, RepeatsWhileTheOpenTransactionIsAbortedOrTheCoordinatorLoadsOrMoves) {
  for (const ErrorCode code : {ErrorCode::ConcurrentTransactions, ErrorCode::CoordinatorLoadInProgress,
                               ErrorCode::CoordinatorNotAvailable, ErrorCode::NotCoordinator}) {
    Bench bench;
    bench.failures = 2;
    bench.error = to_number(code);
    const Fenced fenced = bench.fence({"a", "b"});
    EXPECT_EQ(first_failure(fenced), std::nullopt) << wire::error_name(to_number(code));
    EXPECT_EQ(fenced.at("a").value().epoch, 3);
    const bool looks_again = code == ErrorCode::NotCoordinator || code == ErrorCode::CoordinatorNotAvailable;
    EXPECT_EQ(bench.searches > 1, looks_again);
  }
}

TEST(Fencer, ABrokenConnectionIsTriedAgain) {
  Bench bench;
  std::atomic<int> asked = 0;
  bench.broker.handle(wire::InitProducerIdRequest::kApi.key, [&](const ScriptedBroker::Request& r) -> std::optional<std::string> {
    if (++asked < 3) return std::nullopt;
    return ScriptedBroker::respond<wire::InitProducerIdRequest>(
        r, {.throttle_time_ms = 0, .error_code = 0, .producer_id = 1, .producer_epoch = 5});
  });
  EXPECT_EQ(bench.fence({"a"}).at("a").value().epoch, 5);
}

TEST(Fencer, ATransactionTimeoutAboveTheBrokersLimitNamesBothSettings) {
  Bench bench;
  bench.failures = 100;
  bench.error = to_number(ErrorCode::InvalidTransactionTimeout);
  const auto error = first_failure(bench.fence({"a"}));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::InvalidConfig);
  EXPECT_THAT(error->message(),
              AllOf(HasSubstr("transaction.timeout.ms"), HasSubstr("transaction.max.timeout.ms"), HasSubstr("60000")));
}

TEST(Fencer, WhatCannotSucceedFailsAtOnceAndOnlyForItsId) {
  Bench bench;
  bench.broker.on<wire::InitProducerIdRequest>([](const wire::InitProducerIdRequest& r) {
    wire::InitProducerIdResponse out;
    if (r.transactional_id != "good") out.error_code = 53;
    return out;
  });
  const Fenced fenced = bench.fence({"bad", "good", "worse"});
  EXPECT_TRUE(fenced.at("good").has_value());
  const auto error = first_failure(fenced);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::Forbidden);
  EXPECT_THAT(error->message(), AllOf(HasSubstr("fencing bad"), HasSubstr("and 1 more")));
}

TEST(Fencer, EndsAtItsDeadlineAndSaysWhatItWaitedFor) {
  Bench bench;
  bench.failures = 1000;
  bench.error = to_number(ErrorCode::ConcurrentTransactions);
  const auto error = first_failure(bench.fence({"a"}, 150ms));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::Timeout);
  EXPECT_THAT(error->message(), HasSubstr("CONCURRENT_TRANSACTIONS"));
}

TEST(Fencer, ACoordinatorThatIsNotThereYetIsWaitedFor) {
  Bench bench;
  bench.search_error = to_number(ErrorCode::CoordinatorNotAvailable);
  std::promise<Fenced> promise;
  bench.fencer->fence({.transactional_ids = {"a"}}, [&](Fenced fenced) { promise.set_value(std::move(fenced)); });
  while (bench.searches < 3) std::this_thread::yield();
  bench.search_error = 0;
  EXPECT_TRUE(promise.get_future().get().at("a").has_value());
}

TEST(Fencer, NothingToFenceIsDoneAtOnce) {
  Bench bench;
  EXPECT_TRUE(bench.fence({}).empty());
}

TEST(Fencer, NoCallbackRunsAfterItsEnd) {
  Bench bench;
  bench.broker.handle(wire::InitProducerIdRequest::kApi.key, [](const auto&) { return std::string{}; });
  std::atomic<bool> called = false;
  std::promise<void> gone;
  bench.fencer->fence({.transactional_ids = {"a"}, .transaction_timeout = 1s, .timeout = 50ms},
                      [&](const Fenced&) { called = true; });
  bench.loop.post([&] {
    bench.fencer.reset();
    gone.set_value();
  });
  gone.get_future().wait();
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(called);
}

TEST(Fencer, ListsAndDescribesTransactions) {
  Bench bench;
  bench.broker.on<wire::ListTransactionsRequest>([](const auto&) {
    wire::ListTransactionsResponse out;
    out.transaction_states.push_back({.transactional_id = "a", .producer_id = 3, .transaction_state = "Ongoing"});
    return out;
  });
  bench.broker.on<wire::DescribeTransactionsRequest>([](const wire::DescribeTransactionsRequest& r) {
    wire::DescribeTransactionsResponse out;
    for (const std::string& id : r.transactional_ids) {
      wire::DescribeTransactionsResponse::Transaction t;
      t.transactional_id = id;
      t.error_code = id == "a" ? std::int16_t{0} : to_number(ErrorCode::TransactionalIdNotFound);
      t.topics.push_back({.topic = "orders", .partitions = {0}});
      out.transaction_states.push_back(t);
    }
    return out;
  });
  std::promise<Result<std::vector<ListedTransaction>>> listed;
  bench.fencer->list_transactions(5s, [&](auto found) { listed.set_value(std::move(found)); });
  const auto list = listed.get_future().get();
  ASSERT_TRUE(list.has_value()) << list.error().message();
  EXPECT_EQ(list->at(0).state, "Ongoing");
  std::promise<Fencer::Described> described;
  bench.fencer->describe_transactions({"a", "b"}, 5s, [&](auto found) { described.set_value(std::move(found)); });
  const auto details = described.get_future().get();
  EXPECT_EQ(details.at("a").value().topics, std::vector<std::string>{"orders"});
  EXPECT_EQ(details.at("b").error().kind(), ErrorKind::NotFound);
}

}  // namespace
}  // namespace fencepost::fencer
