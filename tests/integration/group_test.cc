#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "broker_under_test.h"
#include "concurrency/mailbox.h"
#include "group/group_client.h"

namespace fencepost::group {
namespace {

using namespace std::chrono_literals;
using herder::AssignmentReceived;
using herder::LeaderElected;
using herder::MembershipLost;
using herder::RejoinNeeded;

/// A worker as far as the group sees it: whoever leads gives each member its own id as its work.
class Worker {
 public:
  Worker(const net::Settings& network, const std::string& group, std::string name) : name_(std::move(name)) {
    cluster_ = net::Cluster::create(loop_, network, Log{}).value();
    client_ = std::make_unique<GroupClient>(
        *cluster_, Settings{.group_id = group, .session_timeout = 6s, .rebalance_timeout = 10s, .heartbeat_interval = 200ms},
        [this](herder::Event e) { on(std::move(e)); }, Log{});
    thread_ = std::thread([this] { loop_.run(); });
    client_->join({{.protocol = "sessioned", .metadata = name_}});
  }
  ~Worker() { vanish(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// As after kill -9: the connections end, the coordinator hears nothing.
  void vanish() {
    if (!thread_.joinable()) return;
    loop_.stop();
    thread_.join();
    client_.reset();
    cluster_.reset();
  }
  void leave() { client_->leave("told to"); }
  /// The loop stands still, as under SIGSTOP.
  void pause(Duration length) {
    loop_.post([length] { std::this_thread::sleep_for(length); });
  }

  /// The next event of this kind; others are passed over.
  template <class Expected>
  std::optional<Expected> next(Duration wait = 20s) {
    const auto until = std::chrono::steady_clock::now() + wait;
    while (auto event = events_.take_until(until)) {
      if (auto* found = std::get_if<Expected>(&*event)) return std::move(*found);
    }
    return std::nullopt;
  }

 private:
  void on(herder::Event event) {
    if (const auto* elected = std::get_if<LeaderElected>(&event)) {
      std::map<std::string, std::string> work;
      for (const auto& member : elected->members)
        work[member.id] = "for " + member.metadata + " of " + std::to_string(elected->members.size());
      client_->sync(elected->generation, std::move(work));
    }
    if (std::holds_alternative<RejoinNeeded>(event) || std::holds_alternative<MembershipLost>(event)) {
      client_->join({{.protocol = "sessioned", .metadata = name_}});
    }
    events_.put(std::move(event));
  }

  std::string name_;
  net::Loop loop_;
  std::unique_ptr<net::Cluster> cluster_;
  std::unique_ptr<GroupClient> client_;
  concurrency::Mailbox<herder::Event> events_;
  std::thread thread_;
};

/// Waits until the worker has the assignment of a round with so many members.
::testing::AssertionResult gets(Worker& worker, const std::string& work) {
  std::string seen;
  while (const auto received = worker.next<AssignmentReceived>()) {
    if (received->assignment == work) return ::testing::AssertionSuccess();
    seen += " '" + received->assignment + "'";
  }
  return ::testing::AssertionFailure() << "no '" << work << "', only" << seen;
}

TEST(GroupOnARealBroker, TwoJoinOneLeadsBothGetTheirWorkAndAKilledOneIsReplaced) {
  FENCEPOST_NEEDS_BROKER(network);
  const std::string group = testing::unique_name("group");
  Worker a(network, group, "a");
  ASSERT_TRUE(gets(a, "for a of 1"));
  auto b = std::make_unique<Worker>(network, group, "b");
  ASSERT_TRUE(gets(*b, "for b of 2"));
  ASSERT_TRUE(gets(a, "for a of 2"));
  const auto start = std::chrono::steady_clock::now();
  b->vanish();
  ASSERT_TRUE(gets(a, "for a of 1"));
  // The session of b must run out first; then the heartbeat tells a.
  EXPECT_GE(std::chrono::steady_clock::now() - start, 4s);
}

TEST(GroupOnARealBroker, AMemberThatLeavesIsMissedAtOnce) {
  FENCEPOST_NEEDS_BROKER(network);
  const std::string group = testing::unique_name("group");
  Worker a(network, group, "a");
  ASSERT_TRUE(gets(a, "for a of 1"));
  Worker b(network, group, "b");
  ASSERT_TRUE(gets(b, "for b of 2"));
  const auto start = std::chrono::steady_clock::now();
  b.leave();
  ASSERT_TRUE(gets(a, "for a of 1"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 4s);
}

TEST(GroupOnARealBroker, AMemberPausedBeyondItsSessionKnowsThatItIsOutAndComesBack) {
  FENCEPOST_NEEDS_BROKER(network);
  const std::string group = testing::unique_name("group");
  Worker a(network, group, "a");
  Worker b(network, group, "b");
  ASSERT_TRUE(gets(b, "for b of 2"));
  b.pause(8s);
  ASSERT_TRUE(b.next<MembershipLost>());
  ASSERT_TRUE(gets(b, "for b of 2"));
}

}  // namespace
}  // namespace fencepost::group
