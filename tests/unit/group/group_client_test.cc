#include "group/group_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "concurrency/mailbox.h"
#include "scripted_broker.h"
#include "wire/errors.h"

namespace fencepost::group {
namespace {

using namespace std::chrono_literals;
using herder::AssignmentReceived;
using herder::CoordinatorChanged;
using herder::LeaderElected;
using herder::MembershipLost;
using herder::RejoinNeeded;
using testing::ScriptedBroker;
using wire::ErrorCode;
using wire::to_number;

/// A coordinator whose answers a test sets, and one client of its group on a thread of its own.
class Group {
 public:
  explicit Group(Settings settings = {
                     .group_id = "g", .session_timeout = 5s, .rebalance_timeout = 5s, .heartbeat_interval = 10ms}) {
    broker.on<wire::MetadataRequest>([](const auto&) { return wire::MetadataResponse{}; });
    broker.on<wire::FindCoordinatorRequest>([this](const wire::FindCoordinatorRequest& r) {
      ++searches;
      wire::FindCoordinatorResponse out;
      out.coordinators.push_back({.key = r.coordinator_keys.at(0),
                                  .node_id = 1,
                                  .host = "127.0.0.1",
                                  .port = broker.port(),
                                  .error_code = 0,
                                  .error_message = {}});
      return out;
    });
    broker.on<wire::JoinGroupRequest>([this](const wire::JoinGroupRequest& r) {
      joins.put(r);
      wire::JoinGroupResponse out;
      out.error_code = join_error;
      out.generation_id = ++generation;
      out.protocol_name = r.protocols.at(0).name;
      out.leader = leads ? "m-1" : "other";
      out.member_id = "m-1";
      if (r.member_id.empty()) out.error_code = to_number(ErrorCode::MemberIdRequired);
      if (leads) out.members.push_back({.member_id = "m-1", .group_instance_id = {}, .metadata = r.protocols.at(0).metadata});
      std::this_thread::sleep_for(Duration(join_takes_ms));
      return out;
    });
    broker.on<wire::SyncGroupRequest>([this](const wire::SyncGroupRequest& r) {
      syncs.put(r);
      wire::SyncGroupResponse out;
      out.error_code = sync_error;
      out.assignment.data = r.assignments.empty() ? "from the leader" : r.assignments[0].assignment.data;
      return out;
    });
    broker.on<wire::HeartbeatRequest>([this](const wire::HeartbeatRequest&) {
      ++heartbeats;
      return wire::HeartbeatResponse{.throttle_time_ms = 0, .error_code = heartbeat_error};
    });
    broker.on<wire::LeaveGroupRequest>([this](const wire::LeaveGroupRequest& r) {
      leaves.put(r);
      return wire::LeaveGroupResponse{};
    });
    net::Settings network;
    network.bootstrap = {{"127.0.0.1", broker.port()}};
    network.reconnect_backoff = network.reconnect_backoff_max = network.retry_backoff = 5ms;
    cluster = net::Cluster::create(loop, network, Log{}).value();
    client = std::make_unique<GroupClient>(
        *cluster, settings, [this](herder::Event e) { events.put(std::move(e)); }, Log{});
    thread = std::thread([this] { loop.run(); });
  }
  ~Group() {
    loop.stop();
    thread.join();
    client.reset();
    cluster.reset();
  }

  /// The next event but those about the coordinator; nothing after `wait`.
  std::optional<herder::Event> next(Duration wait = 3s) {
    const auto until = std::chrono::steady_clock::now() + wait;
    while (auto event = events.take_until(until)) {
      if (!std::holds_alternative<CoordinatorChanged>(*event)) return event;
    }
    return std::nullopt;
  }
  template <class Expected>
  Expected expect() {
    const auto event = next();
    if (event && std::holds_alternative<Expected>(*event)) return std::get<Expected>(*event);
    ADD_FAILURE() << (event ? "another event, number " + std::to_string(event->index()) : "no event");
    return {};
  }
  template <class Request>
  Request take(concurrency::Mailbox<Request>& from) {
    auto request = from.take_until(std::chrono::steady_clock::now() + 3s);
    if (!request) ADD_FAILURE() << "no request came";
    return request.value_or(Request{});
  }
  void join(const std::string& metadata) { client->join({{.protocol = "sessioned", .metadata = metadata}}); }
  /// Joined as a follower, with its assignment.
  void become_member() {
    join("meta");
    expect<AssignmentReceived>();
  }

  std::atomic<bool> leads = false;
  std::atomic<std::int16_t> join_error = 0, sync_error = 0, heartbeat_error = 0;
  std::atomic<std::int32_t> generation = 0;
  std::atomic<int> searches = 0, heartbeats = 0, join_takes_ms = 0;
  concurrency::Mailbox<wire::JoinGroupRequest> joins;
  concurrency::Mailbox<wire::SyncGroupRequest> syncs;
  concurrency::Mailbox<wire::LeaveGroupRequest> leaves;
  concurrency::Mailbox<herder::Event> events;
  ScriptedBroker broker;
  net::Loop loop;
  std::unique_ptr<net::Cluster> cluster;
  std::unique_ptr<GroupClient> client;
  std::thread thread;
};

TEST(GroupClient, TheLeaderIsToldTheMembersAndItsAnswerGoesOut) {
  Group group;
  group.leads = true;
  group.join("meta");
  const auto elected = group.expect<LeaderElected>();
  EXPECT_EQ(elected.member_id, "m-1");
  EXPECT_EQ(elected.protocol, "sessioned");
  EXPECT_THAT(elected.members, ::testing::ElementsAre(herder::GroupMember{.id = "m-1", .metadata = "meta"}));
  EXPECT_EQ(group.take(group.joins).member_id, "");
  const auto second = group.take(group.joins);
  EXPECT_EQ(second.member_id, "m-1");
  EXPECT_EQ(second.protocol_type, "connect");
  group.client->sync(elected.generation, {{"m-1", "work"}});
  const auto received = group.expect<AssignmentReceived>();
  EXPECT_EQ(received.assignment, "work");
  EXPECT_EQ(received.generation, elected.generation);
}

TEST(GroupClient, AFollowerGetsItsAssignmentWithoutAnOrder) {
  Group group;
  group.join("meta");
  EXPECT_EQ(group.expect<AssignmentReceived>().assignment, "from the leader");
  EXPECT_TRUE(group.take(group.syncs).assignments.empty());
}

TEST(GroupClient, TheCoordinatorIsReportedForHealth) {
  Group group;
  group.join("meta");
  const auto event = group.events.take();
  ASSERT_TRUE(event && std::holds_alternative<CoordinatorChanged>(*event));
  EXPECT_EQ(std::get<CoordinatorChanged>(*event).coordinator, "127.0.0.1:" + std::to_string(group.broker.port()));
}

TEST(GroupClient, AHeartbeatThatTellsOfARebalanceIsReportedOnceAndTheMemberIdIsKept) {
  Group group;
  group.become_member();
  group.heartbeat_error = to_number(ErrorCode::RebalanceInProgress);
  group.expect<RejoinNeeded>();
  EXPECT_EQ(group.next(100ms), std::nullopt);
  group.heartbeat_error = 0;
  while (group.joins.take_until(std::chrono::steady_clock::now() + 1ms)) {
  }
  group.join("newer");
  const auto join = group.take(group.joins);
  EXPECT_EQ(join.member_id, "m-1");
  EXPECT_EQ(join.protocols.at(0).metadata.data, "newer");
  group.expect<AssignmentReceived>();
}

TEST(GroupClient, AnUnknownMemberLosesItsMembershipAndIsQuietUntilItIsToldToJoin) {
  for (const ErrorCode code : {ErrorCode::UnknownMemberId, ErrorCode::IllegalGeneration}) {
    Group group;
    group.become_member();
    group.heartbeat_error = to_number(code);
    EXPECT_NE(group.expect<MembershipLost>().reason, "");
    group.heartbeat_error = 0;
    const int before = group.heartbeats;
    EXPECT_EQ(group.next(60ms), std::nullopt);
    EXPECT_EQ(group.heartbeats, before);
    while (group.joins.take_until(std::chrono::steady_clock::now() + 1ms)) {
    }
    group.join("again");
    EXPECT_EQ(group.take(group.joins).member_id, "");
    group.expect<AssignmentReceived>();
  }
}

TEST(GroupClient, ACoordinatorThatMovedIsLookedForAndTheMembershipGoesOn) {
  Group group;
  group.become_member();
  const int searches = group.searches;
  group.heartbeat_error = to_number(ErrorCode::NotCoordinator);
  while (group.searches < searches + 2) std::this_thread::yield();
  group.heartbeat_error = 0;
  const int heartbeats = group.heartbeats;
  while (group.heartbeats < heartbeats + 3) std::this_thread::yield();
  EXPECT_EQ(group.next(1ms), std::nullopt);
}

TEST(GroupClient, ABrokenConnectionWithinTheSessionCostsNothing) {
  Group group;
  group.become_member();
  group.broker.drop_connections();
  const int heartbeats = group.heartbeats;
  while (group.heartbeats < heartbeats + 3) std::this_thread::yield();
  EXPECT_EQ(group.next(1ms), std::nullopt);
}

TEST(GroupClient, NoHeartbeatForTheSessionTimeoutLosesTheMembership) {
  Group group({.group_id = "g", .session_timeout = 150ms, .rebalance_timeout = 5s, .heartbeat_interval = 10ms});
  group.become_member();
  group.broker.handle(wire::HeartbeatRequest::kApi.key, [](const auto&) { return std::string{}; });
  EXPECT_THAT(group.expect<MembershipLost>().reason, ::testing::HasSubstr("session.timeout.ms"));
}

// SIGSTOP for longer than the session: the coordinator has given the work to others, and an answer that lay in the socket since
// before the pause must not hide it.
TEST(GroupClient, APausedProcessKnowsAfterwardsThatItsMembershipIsOver) {
  Group group({.group_id = "g", .session_timeout = 150ms, .rebalance_timeout = 5s, .heartbeat_interval = 10ms});
  group.become_member();
  group.loop.post([] { std::this_thread::sleep_for(300ms); });
  group.expect<MembershipLost>();
}

TEST(GroupClient, AssignmentsOfAnOlderGenerationAreDropped) {
  Group group;
  group.leads = true;
  group.join("meta");
  const auto elected = group.expect<LeaderElected>();
  group.client->sync(Generation(elected.generation.value - 1), {{"m-1", "stale"}});
  EXPECT_EQ(group.next(50ms), std::nullopt);
  group.client->sync(elected.generation, {{"m-1", "right"}});
  EXPECT_EQ(group.expect<AssignmentReceived>().assignment, "right");
}

TEST(GroupClient, ARebalanceDuringSyncMeansToJoinAnew) {
  Group group;
  group.sync_error = to_number(ErrorCode::RebalanceInProgress);
  group.join("meta");
  group.expect<RejoinNeeded>();
  group.sync_error = 0;
  group.join("meta");
  group.expect<AssignmentReceived>();
}

TEST(GroupClient, NewMetadataDuringAJoinMakesItJoinAgainAndDropsTheFirstAnswer) {
  Group group;
  group.join_takes_ms = 50;
  group.join("old");
  group.take(group.joins);
  group.take(group.joins);  // with the member id
  group.join("new");
  const auto received = group.expect<AssignmentReceived>();
  EXPECT_EQ(group.take(group.joins).protocols.at(0).metadata.data, "new");
  EXPECT_EQ(received.generation, Generation(group.generation));
  EXPECT_EQ(group.next(30ms), std::nullopt);
}

TEST(GroupClient, AJoinThatIsRefusedForGoodIsShownAndTriedAgain) {
  Group group;
  group.join_error = to_number(ErrorCode::InconsistentGroupProtocol);
  group.join("meta");
  std::string shown;
  while (shown.empty()) {
    const auto event = group.events.take();
    ASSERT_TRUE(event);
    if (const auto* changed = std::get_if<CoordinatorChanged>(&*event)) shown = changed->reason;
  }
  EXPECT_THAT(shown, ::testing::HasSubstr("INCONSISTENT_GROUP_PROTOCOL"));
  group.join_error = 0;
  group.expect<AssignmentReceived>();
}

TEST(GroupClient, AMembershipIsConfirmedByAHeartbeatSentAfterTheOrder) {
  Group group({.group_id = "g", .session_timeout = 5s, .rebalance_timeout = 5s, .heartbeat_interval = 1h});
  group.become_member();
  group.client->confirm(RequestId(4));
  group.client->confirm(RequestId(5));
  EXPECT_EQ(group.expect<herder::MembershipConfirmed>(),
            (herder::MembershipConfirmed{RequestId(4), Generation(group.generation)}));
  EXPECT_EQ(group.expect<herder::MembershipConfirmed>().request, RequestId(5));
  // One follows each assignment, one each order; the second order came while the first's was under way.
  EXPECT_LE(group.heartbeats, 3);
}

TEST(GroupClient, ARebalanceConfirmsTheMembershipTooAndABrokenConnectionOnlyDelaysIt) {
  Group group({.group_id = "g", .session_timeout = 5s, .rebalance_timeout = 5s, .heartbeat_interval = 1h});
  group.become_member();
  group.broker.drop_connections();
  group.heartbeat_error = to_number(ErrorCode::RebalanceInProgress);
  group.client->confirm(RequestId(4));
  EXPECT_EQ(group.expect<herder::MembershipConfirmed>().request, RequestId(4));
  group.expect<RejoinNeeded>();
}

TEST(GroupClient, AMembershipThatIsOverIsNotConfirmed) {
  Group group({.group_id = "g", .session_timeout = 5s, .rebalance_timeout = 5s, .heartbeat_interval = 1h});
  group.client->confirm(RequestId(1));
  group.expect<MembershipLost>();
  group.become_member();
  group.heartbeat_error = to_number(ErrorCode::UnknownMemberId);
  group.client->confirm(RequestId(2));
  group.expect<MembershipLost>();
  EXPECT_EQ(group.next(50ms), std::nullopt);
}

TEST(GroupClient, LeavingTellsTheCoordinatorWhyAndEndsTheHeartbeats) {
  Group group;
  group.become_member();
  std::promise<void> left;
  group.client->leave("the worker is shutting down", [&] { left.set_value(); });
  ASSERT_EQ(left.get_future().wait_for(3s), std::future_status::ready);
  const auto request = group.take(group.leaves);
  EXPECT_EQ(request.members.at(0).member_id, "m-1");
  EXPECT_EQ(request.members.at(0).reason, "the worker is shutting down");
  const int before = group.heartbeats;
  EXPECT_EQ(group.next(60ms), std::nullopt);
  EXPECT_EQ(group.heartbeats, before);
}

TEST(GroupClient, LeavingADeadCoordinatorTakesNoLongerThanItsBound) {
  Group group(
      {.group_id = "g", .session_timeout = 5s, .rebalance_timeout = 5s, .heartbeat_interval = 10ms, .leave_timeout = 50ms});
  group.become_member();
  group.broker.handle(wire::LeaveGroupRequest::kApi.key, [](const auto&) { return std::string{}; });
  std::promise<void> left;
  group.client->leave("bye", [&] { left.set_value(); });
  EXPECT_EQ(left.get_future().wait_for(2s), std::future_status::ready);
}

}  // namespace
}  // namespace fencepost::group
