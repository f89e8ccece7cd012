#include "net/cluster.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "scripted_broker.h"
#include "vectors.h"
#include "wire/apis.h"
#include "wire/errors.h"

namespace fencepost::net {
namespace {

using namespace std::chrono_literals;
using testing::ScriptedBroker;
using wire::HeartbeatRequest;
using wire::HeartbeatResponse;

/// A loop on a thread of its own with a cluster on it.
class Client {
 public:
  explicit Client(Settings settings) {
    cluster_ = Cluster::create(loop_, std::move(settings), Log{}).value();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Client() {
    run([this] { cluster_.reset(); });
    loop_.stop();
    thread_.join();
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void run(const std::function<void()>& work) {
    std::promise<void> done;
    loop_.post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  }

  template <class Request>
  std::future<Result<typename Request::Response>> send(std::uint16_t port, Request request, Duration timeout = 5s) {
    auto promise = std::make_shared<std::promise<Result<typename Request::Response>>>();
    loop_.post([this, port, request, timeout, promise] {
      cluster_->send<Request>({"127.0.0.1", port}, Lane::General, request, timeout,
                              [promise](auto r) { promise->set_value(std::move(r)); });
    });
    return promise->get_future();
  }

  Result<Cluster::Coordinators> find(std::vector<std::string> keys, Duration timeout = 5s) {
    std::promise<Result<Cluster::Coordinators>> promise;
    loop_.post([&] {
      cluster_->find_coordinators(CoordinatorKind::Transaction, keys, timeout, [&](auto r) { promise.set_value(std::move(r)); });
    });
    return promise.get_future().get();
  }

  Cluster& cluster() { return *cluster_; }

 private:
  Loop loop_;
  std::unique_ptr<Cluster> cluster_;
  std::thread thread_;
};

Settings settings_for(std::initializer_list<std::uint16_t> ports) {
  Settings out;
  for (const std::uint16_t port : ports) out.bootstrap.push_back({"127.0.0.1", port});
  out.connect_timeout = 2s;
  out.reconnect_backoff = 5ms;
  out.reconnect_backoff_max = 20ms;
  out.retry_backoff = 5ms;
  return out;
}

TEST(Cluster, PipelinesRequestsAndGivesEachItsOwnAnswer) {
  ScriptedBroker broker;
  broker.on<HeartbeatRequest>(
      [](const HeartbeatRequest& r) { return HeartbeatResponse{.throttle_time_ms = r.generation_id, .error_code = 0}; });
  Client client(settings_for({broker.port()}));
  std::vector<std::future<Result<HeartbeatResponse>>> answers;
  for (int i = 0; i < 1000; ++i)
    answers.push_back(client.send(
        broker.port(), HeartbeatRequest{.group_id = "g", .generation_id = i, .member_id = {}, .group_instance_id = {}}));
  for (int i = 0; i < 1000; ++i) {
    const auto answer = answers[static_cast<std::size_t>(i)].get();
    ASSERT_TRUE(answer.has_value()) << answer.error().message();
    EXPECT_EQ(answer->throttle_time_ms, i);
  }
  EXPECT_EQ(broker.connections(), 1);
}

TEST(Cluster, SpeaksTheNewestVersionThatBothSidesKnow) {
  ScriptedBroker broker;
  broker.handle(wire::kApiVersionsKey, [](const ScriptedBroker::Request& r) -> std::optional<std::string> {
    // A broker too old for version 4 answers in version 0 with UNSUPPORTED_VERSION, then offers Heartbeat up to 1.
    wire::ApiVersionsResponse out;
    if (r.version > 0) out.error_code = wire::to_number(wire::ErrorCode::UnsupportedVersion);
    if (r.version == 0) out.api_keys = {{.api_key = 12, .min_version = 0, .max_version = 1}};
    return ScriptedBroker::frame(r.correlation, false, wire::encode(out, 0).value());
  });
  std::atomic<int> version = -1;
  broker.handle(12, [&](const ScriptedBroker::Request& r) -> std::optional<std::string> {
    version = r.version;
    return ScriptedBroker::respond<HeartbeatRequest>(r, {});
  });
  Client client(settings_for({broker.port()}));
  EXPECT_TRUE(client.send(broker.port(), HeartbeatRequest{}).get().has_value());
  EXPECT_EQ(version, 1);
  const auto join = client.send(broker.port(), wire::JoinGroupRequest{}).get();
  ASSERT_FALSE(join.has_value());
  EXPECT_EQ(join.error().kind(), ErrorKind::InvalidConfig);
  EXPECT_NE(join.error().message().find("does not offer it"), std::string::npos) << join.error().message();
}

// Whatever a hostile or broken peer sends in place of an answer: an error comes in time, and the next request gets a new
// connection.
TEST(Cluster, HostileAnswersEndTheConnectionAndTheNextRequestGetsANewOne) {
  ScriptedBroker broker;
  std::atomic<int> turn = 0;
  const std::vector<std::string> lies = {testing::from_hex("ffffffff"),
                                         testing::from_hex("7fffffff"),
                                         testing::from_hex("00000003aabbcc"),
                                         testing::from_hex("00000000"),
                                         ScriptedBroker::frame(999'999, true, "x"),
                                         "HTTP/1.1 400 Bad Request\r\n\r\n"};
  broker.handle(12, [&](const ScriptedBroker::Request& r) -> std::optional<std::string> {
    const auto i = static_cast<std::size_t>(turn++);
    if (i < lies.size()) return lies[i];
    if (i == lies.size()) return std::nullopt;
    return ScriptedBroker::respond<HeartbeatRequest>(r, {});
  });
  Client client(settings_for({broker.port()}));
  for (std::size_t i = 0; i < lies.size(); ++i) {
    const auto answer = client.send(broker.port(), HeartbeatRequest{}).get();
    ASSERT_FALSE(answer.has_value());
    EXPECT_EQ(answer.error().kind(), ErrorKind::Corrupt) << answer.error().message();
  }
  EXPECT_EQ(client.send(broker.port(), HeartbeatRequest{}).get().error().kind(), ErrorKind::Unavailable);
  EXPECT_TRUE(client.send(broker.port(), HeartbeatRequest{}).get().has_value());
}

TEST(Cluster, AnAnswerCutAtAnyByteIsAnErrorAndNothingHangs) {
  ScriptedBroker broker;
  const wire::HeartbeatResponse whole{.throttle_time_ms = 1, .error_code = 2};
  std::atomic<std::size_t> cut = 0;
  std::atomic<bool> half = true;
  broker.handle(12, [&](const ScriptedBroker::Request& r) -> std::optional<std::string> {
    const std::string body = wire::encode(whole, r.version).value();
    // A frame whose length is true but whose body is cut.
    return ScriptedBroker::frame(r.correlation, true, body.substr(0, cut));
  });
  Client client(settings_for({broker.port()}));
  for (cut = 0; cut < 7; ++cut) {
    const auto answer = client.send(broker.port(), HeartbeatRequest{}).get();
    ASSERT_FALSE(answer.has_value()) << cut;
    EXPECT_EQ(answer.error().kind(), ErrorKind::Corrupt);
  }
  EXPECT_TRUE(client.send(broker.port(), HeartbeatRequest{}).get().has_value());
}

TEST(Cluster, ASilentBrokerCostsTheRequestItsDeadlineAndNoMore) {
  ScriptedBroker broker;
  std::atomic<bool> silent = true;
  broker.handle(12, [&](const ScriptedBroker::Request& r) -> std::optional<std::string> {
    if (silent) return std::string{};
    return ScriptedBroker::respond<HeartbeatRequest>(r, {});
  });
  Client client(settings_for({broker.port()}));
  const auto start = std::chrono::steady_clock::now();
  const auto answer = client.send(broker.port(), HeartbeatRequest{}, 100ms).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind(), ErrorKind::Timeout);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 100ms);
  silent = false;
  EXPECT_TRUE(client.send(broker.port(), HeartbeatRequest{}).get().has_value());
}

TEST(Cluster, ABrokerThatAcceptsButNeverSpeaksIsGivenUpAfterTheConnectTimeout) {
  ScriptedBroker broker;
  broker.handle(wire::kApiVersionsKey, [](const ScriptedBroker::Request&) { return std::string{}; });
  Settings settings = settings_for({broker.port()});
  settings.connect_timeout = 100ms;
  Client client(settings);
  const auto answer = client.send(broker.port(), HeartbeatRequest{}).get();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().kind(), ErrorKind::Timeout);
  EXPECT_NE(answer.error().message().find("asking for API versions"), std::string::npos) << answer.error().message();
}

TEST(Cluster, FindsCoordinatorsInOneRequestThroughTheBrokerThatLivesAndRemembersThem) {
  std::uint16_t dead_port = 0;
  { dead_port = ScriptedBroker().port(); }
  ScriptedBroker broker;
  std::atomic<int> asked = 0;
  broker.on<wire::MetadataRequest>([](const auto&) { return wire::MetadataResponse{}; });
  broker.on<wire::FindCoordinatorRequest>([&](const wire::FindCoordinatorRequest& r) {
    ++asked;
    wire::FindCoordinatorResponse out;
    for (const std::string& key : r.coordinator_keys) {
      const bool missing = key == "missing";
      out.coordinators.push_back({.key = key,
                                  .node_id = 1,
                                  .host = missing ? "" : "h",
                                  .port = missing ? -1 : 42,
                                  .error_code = std::int16_t{missing ? std::int16_t{15} : std::int16_t{0}},
                                  .error_message = {}});
    }
    out.coordinators.push_back(
        {.key = "never asked", .node_id = 1, .host = "evil", .port = 1, .error_code = 0, .error_message = {}});
    return out;
  });
  Client client(settings_for({dead_port, broker.port()}));
  const auto first = client.find({"a", "b", "a", "missing"});
  ASSERT_TRUE(first.has_value()) << first.error().message();
  EXPECT_EQ(first->size(), 3U);
  EXPECT_EQ(first->at("a").value(), (Endpoint{"h", 42}));
  EXPECT_EQ(first->at("missing").error().kind(), ErrorKind::Unavailable);
  EXPECT_TRUE(client.find({"a", "b"}).has_value());
  EXPECT_EQ(asked, 1);
  client.run([&] { client.cluster().forget_coordinator(CoordinatorKind::Transaction, "a"); });
  EXPECT_TRUE(client.find({"a", "b"}).has_value());
  EXPECT_EQ(asked, 2);
}

TEST(Cluster, AsksAnOldBrokerForOneCoordinatorAtATime) {
  ScriptedBroker broker;
  broker.on<wire::ApiVersionsRequest>([](const auto&) {
    wire::ApiVersionsResponse out;
    out.api_keys = {{.api_key = 10, .min_version = 0, .max_version = 2}};
    return out;
  });
  broker.on<wire::FindCoordinatorRequest>([](const wire::FindCoordinatorRequest& r) {
    wire::FindCoordinatorResponse out;
    out.host = r.key;
    out.port = 7;
    return out;
  });
  Client client(settings_for({broker.port()}));
  const auto found = client.find({"a", "b"});
  ASSERT_TRUE(found.has_value()) << found.error().message();
  EXPECT_EQ(found->at("b").value(), (Endpoint{"b", 7}));
}

TEST(Cluster, GivesUpOnAnyBrokerAtTheDeadlineAndSaysWhy) {
  std::uint16_t dead_port = 0;
  { dead_port = ScriptedBroker().port(); }
  Client client(settings_for({dead_port}));
  const auto found = client.find({"a"}, 150ms);
  ASSERT_FALSE(found.has_value());
  EXPECT_TRUE(found.error().retriable());
  EXPECT_NE(found.error().message().find("cannot connect"), std::string::npos) << found.error().message();
}

TEST(Cluster, NoCallbackRunsAfterItsEnd) {
  ScriptedBroker broker;
  broker.handle(12, [](const ScriptedBroker::Request&) { return std::string{}; });
  std::atomic<bool> called = false;
  Loop loop;
  auto cluster = Cluster::create(loop, settings_for({broker.port()}), Log{}).value();
  cluster->send<HeartbeatRequest>({"127.0.0.1", broker.port()}, Lane::General, {}, 10s, [&](const auto&) { called = true; });
  Timer end(loop);
  end.start(50ms, [&] {
    cluster.reset();
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  EXPECT_FALSE(called);
}

TEST(Timer, ACancelledCallbackNeverRuns) {
  Loop loop;
  int ran = 0;
  Timer timer(loop);
  Timer stop(loop);
  timer.start(1ms, [&] { ran += 1; });
  timer.start(2ms, [&] { ran += 10; });
  stop.start(30ms, [&] { loop.stop(); });
  loop.run();
  EXPECT_EQ(ran, 10);
  EXPECT_FALSE(timer.running());
}

}  // namespace
}  // namespace fencepost::net
