#include "follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/signature.h"

namespace fencepost::herder {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::error_of;
using testing::Follower;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OneWorker;
using ::testing::SizeIs;
using ::testing::StartsWith;

const Properties kSource{{"connector.class", "Source"}, {"name", "c"}};
const Response kToLeader = ForwardTo{"http://b:8083/"};

class AFollower : public ::testing::Test {
 protected:
  void SetUp() override {
    worker.read(Follower::connector("c", 2));
    worker.start();
    worker.deal({}, {});
    worker.forget();
  }
  Follower worker;
};

TEST_F(AFollower, PassesOnWhatOnlyTheLeaderMayDo) {
  const std::vector<Request> requests{CreateConnector{"d", kSource, {}}, PutConnectorConfig{"c", kSource},
                                      PatchConnectorConfig{"c", {{"x", "1"}}}, DeleteConnector{"c"},
                                      SetTargetState{"c", TargetState::Stopped}, RestartConnector{"c", false, true},
                                      AlterOffsets{"c", std::nullopt},
                                      // Only the leader knows who runs these.
                                      RestartConnector{"c", false, false}, RestartTask{{"c", 0}}};
  for (const Request& request : requests) {
    for (const Hop hop : {Hop::FromClient, Hop::Forwarded}) EXPECT_EQ(worker.ask(request, hop), kToLeader);
  }
  EXPECT_THAT(worker.all<WriteConfigRecords>(), IsEmpty());
}

TEST_F(AFollower, PassesNothingOnThatHasCrossedTwoWorkersAlready) {
  EXPECT_THAT(error_of(worker.ask(DeleteConnector{"c"}, Hop::ForwardedTwice)),
              StartsWith("conflict: Cannot complete request because of a conflicting operation (e.g. worker rebalance)"));
}

TEST_F(AFollower, ServesByItselfWhatAnyWorkerMayWrite) {
  EXPECT_TRUE(std::holds_alternative<Accepted>(*worker.ask(SetTargetState{"c", TargetState::Paused})));
  EXPECT_TRUE(std::holds_alternative<Done>(*worker.ask(SetClusterLoggerLevel{"a", "DEBUG"})));
}

TEST_F(AFollower, RestartsWhatRunsHere) {
  worker.rebalance();
  worker.deal({"c"}, {{"c", 1}});
  worker.forget();
  EXPECT_TRUE(std::holds_alternative<Done>(*worker.ask(RestartTask{{"c", 1}})));
  EXPECT_THAT(worker.all<StopTask>(), SizeIs(1));
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(1));
  EXPECT_EQ(worker.ask(RestartTask{{"c", 0}}), kToLeader);
}

// The stage, since when and on whom it waits: an operator is never just told "409".
TEST_F(AFollower, RefusesDuringARebalanceWithItsReasonAndSinceWhen) {
  worker.rebalance();
  EXPECT_EQ(worker.ask(DeleteConnector{"c"}), std::nullopt) << "most rebalances are over in a moment: it waits for that";
  worker.pass(10s);
  EXPECT_THAT(error_of(worker.last_answer()),
              HasSubstr("rebalancing (another worker has come), waiting for the coordinator and the "
                        "other workers since 1970-01-01T00:16:40Z (5 s)"));
}

TEST_F(AFollower, AnswersWhatWaitedForTheRebalance) {
  worker.rebalance();
  EXPECT_EQ(worker.ask(DeleteConnector{"c"}), std::nullopt);
  worker.deal({}, {});
  EXPECT_EQ(worker.last_answer(), kToLeader);
}

TEST_F(AFollower, SaysOnHealthWhatItDoes) {
  worker.rebalance();
  const auto health = std::get<Health>(*worker.ask(GetHealth{}));
  ASSERT_THAT(health.stages, ::testing::Not(IsEmpty()));
  EXPECT_EQ(health.stages[0].component, "group");
  EXPECT_THAT(health.stages[0].doing, HasSubstr("another worker has come"));
}

TEST(AStartingWorker, SaysWhatItWaitsForAndSinceWhen) {
  Follower worker;
  worker.ask(GetHealth{});
  worker.pass(7s);
  const auto health = std::get<Health>(*worker.ask(GetHealth{}));
  EXPECT_FALSE(health.ready);
  EXPECT_THAT(health.message, HasSubstr("reading the internal topics for the first time since 1970-01-01T00:16:40Z (7 s)"));
}

TEST(AStartingWorker, NamesEachPartThatIsNotThereYetAndWhomItWaitsFor) {
  Follower worker;
  worker.tell(StartStepTaken{"config log", "opening the topic 'configs'", "a broker at b:9092"});
  worker.tell(StartStepTaken{"status log", "reading the topic 'statuses'", "a broker at b:9092"});
  worker.pass(12s);
  worker.tell(StartStepTaken{"config log", "opening the topic 'configs'", "a broker at b:9092 (the last try: refused)"});
  worker.tell(StartStepTaken{"status log", "", ""});
  const auto health = std::get<Health>(*worker.ask(GetHealth{}));
  EXPECT_FALSE(health.ready);
  EXPECT_THAT(health.message,
              HasSubstr("currently opening the topic 'configs', waiting for a broker at b:9092 (the last try: refused) "
                        "since 1970-01-01T00:16:40Z (12 s)"));
  EXPECT_THAT(health.message, ::testing::Not(HasSubstr("statuses")));
}

TEST(AStartingWorker, LetsRequestsWaitAsLongAsAnyMayAndThenSaysForWhat) {
  Follower worker;
  worker.tell(StartStepTaken{"config log", "opening the topic 'configs'", "a broker at b:9092"});
  EXPECT_EQ(worker.ask(ListConnectors{}), std::nullopt);
  worker.pass(89s);
  EXPECT_EQ(worker.last_answer(), std::nullopt);
  worker.pass(1s);
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("Request timed out. The worker is currently opening the topic 'configs', "
                                                        "waiting for a broker at b:9092"));
}

TEST(AStartingWorker, AnswersWhatWaitedOnceItHasStartedAndMetItsGroup) {
  Follower worker;
  worker.read(Follower::connector("c", 2));
  EXPECT_EQ(worker.ask(ListConnectors{}), std::nullopt);
  EXPECT_EQ(worker.view(), nullptr) << "a log that is half read may name connectors that are gone";
  worker.pass(60s);
  worker.start();
  worker.deal({}, {});
  ASSERT_TRUE(worker.last_answer());
  EXPECT_TRUE(std::holds_alternative<Names>(*worker.last_answer())) << error_of(worker.last_answer());
  EXPECT_NE(worker.view(), nullptr);
}

TEST(AStartingWorker, TellsWhoWaitsWhyItCannotStartAndEnds) {
  Follower worker;
  worker.ask(ListConnectors{});
  worker.tell(StartFailed{"topic 'configs' has 2 partitions"});
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("cannot start and ends: topic 'configs' has 2 partitions"));
  EXPECT_THAT(worker.all<Terminate>(), SizeIs(1));
}

// ---- the leader is asked, signed with the key of the log ----

std::vector<std::pair<std::string, std::string>> session_key() {
  return {{"session-key", R"({"key":"YWJj","algorithm":"HmacSHA256","creation-timestamp":1})"}};
}

TEST_F(AFollower, SendsTaskConfigsToTheLeaderOnceItCanSignThem) {
  worker.tasks_of_each_connector = 3;
  worker.rebalance();
  worker.deal({"c"}, {});
  EXPECT_THAT(worker.all<SendTaskConfigsToLeader>(), IsEmpty()) << "no key has been read yet";
  worker.read(session_key());
  worker.pass(1s);
  const auto sent = worker.all<SendTaskConfigsToLeader>();
  ASSERT_THAT(sent, SizeIs(1));
  EXPECT_EQ(sent[0].leader_url, "http://b:8083/");
  EXPECT_EQ(sent[0].body, R"([{"part":"0"},{"part":"1"},{"part":"2"}])");
  EXPECT_TRUE(sent[0].signature);
}

TEST_F(AFollower, SendsTaskConfigsAgainToWhoeverLeadsThen) {
  worker.read(session_key());
  worker.tasks_of_each_connector = 3;
  worker.rebalance();
  worker.deal({"c"}, {});
  ASSERT_THAT(worker.all<SendTaskConfigsToLeader>(), SizeIs(1));
  worker.tell(
      LeaderAnswered{worker.all<SendTaskConfigsToLeader>()[0].request, Error(ErrorKind::Unavailable, "connection refused")});
  protocol::Assignment assignment;
  assignment.leader = "member-c";
  assignment.leader_url = "http://c:8083/";
  assignment.config_offset = LogPosition{5};
  worker.rebalance();
  worker.deal(assignment);
  const auto sent = worker.all<SendTaskConfigsToLeader>();
  ASSERT_THAT(sent, SizeIs(2));
  EXPECT_EQ(sent[1].leader_url, "http://c:8083/");
}

class AnEnabledFollower : public ::testing::Test {
 protected:
  static Options options() {
    Options o = OneWorker::default_options();
    o.exactly_once = ExactlyOnce::Enabled;
    return o;
  }
  void SetUp() override {
    worker.read(session_key());
    worker.read(Follower::connector("c", 1));
    worker.start();
    worker.deal({}, {{"c", 0}});
  }
  RequestId asked() { return worker.all<AskLeaderToFence>().back().request; }
  Follower worker{"sessioned", options()};
};

TEST_F(AnEnabledFollower, StartsASourceTaskOnlyWithTheFenceOfTheLeader) {
  EXPECT_THAT(worker.all<StartTask>(), IsEmpty());
  ASSERT_THAT(worker.all<AskLeaderToFence>(), SizeIs(1));
  worker.read({{"tasks-fencing-c", R"({"task-count":1})"}});
  worker.tell(LeaderAnswered{asked(), std::nullopt});
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(1));
}

// The config of another connector has just made the group rebalance.
TEST_F(AnEnabledFollower, FailsNoTaskForARefusalThatPassesByItself) {
  for (const ErrorKind kind : {ErrorKind::Conflict, ErrorKind::Unavailable, ErrorKind::Timeout, ErrorKind::Forbidden}) {
    worker.tell(LeaderAnswered{asked(), Error(kind, "not now")});
    worker.pass(15s);
  }
  EXPECT_THAT(worker.states_of("status-task-c-0"), IsEmpty());
  EXPECT_THAT(worker.all<AskLeaderToFence>(), SizeIs(5));
}

// The leader is of a version without fencing: `preparing` was left out of the roll-out.
TEST_F(AnEnabledFollower, FailsTheTaskWithTheCureWhenTheLeaderWillNeverFence) {
  for (int i = 0; i < 40 && worker.states_of("status-task-c-0").empty(); ++i) {
    worker.tell(LeaderAnswered{asked(), Error(ErrorKind::NotFound, "knows no fencing; use preparing first")});
    worker.pass(11s);
  }
  EXPECT_THAT(worker.states_of("status-task-c-0"), ElementsAre("FAILED"));
  EXPECT_THAT(worker.all<WriteStatusRecord>().back().value.value_or(""), HasSubstr("use preparing first"));
  int errors = 0;
  for (const Note& note : worker.all<Note>()) errors += note.level == LogLevel::Error ? 1 : 0;
  EXPECT_EQ(errors, 1) << "said loudly, and once";
}

TEST(ADisabledLeader, FencesForOthersAndWarnsOnceOfWhatWasLeftOut) {
  OneWorker leader;
  leader.start();
  ASSERT_TRUE(leader.ask(CreateConnector{"c", kSource, {}}));
  // What is signed is an empty body; the key is the one that this leader made.
  protocol::SessionKey key{.secret = std::string(32, 'k'), .algorithm = "HmacSHA256", .created = {}};
  const FenceZombies fence{"c", {.mac_base64 = *protocol::sign(key, "HmacSHA256", ""), .algorithm = "HmacSHA256", .body = ""}};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::holds_alternative<Done>(*leader.ask(fence))) << error_of(leader.last_answer());
  int warnings = 0;
  for (const Note& note : leader.all<Note>()) {
    warnings +=
        note.level == LogLevel::Warn && note.text.find("exactly.once.source.support=preparing") != std::string::npos ? 1 : 0;
  }
  EXPECT_EQ(warnings, 1);
}

// ---- protocols ----

TEST(AnEagerWorker, StopsEverythingBeforeItJoinsAgain) {
  Follower worker("eager");
  worker.read(Follower::connector("c", 1));
  worker.start();
  worker.deal({"c"}, {{"c", 0}});
  ASSERT_THAT(worker.all<StartTask>(), SizeIs(1));
  worker.forget();
  worker.withhold_ = [](const Action& a) { return std::holds_alternative<JoinGroup>(a) || std::holds_alternative<StopTask>(a); };
  worker.rebalance();
  EXPECT_THAT(worker.all<StopTask>(), SizeIs(1));
  EXPECT_THAT(worker.all<JoinGroup>(), IsEmpty()) << "the task has not ended yet";
  worker.end({"c", 0});
  EXPECT_THAT(worker.all<JoinGroup>(), SizeIs(1));
}

TEST(AnEagerWorker, StartsItsWorkAnewAfterEachRound) {
  Follower worker("eager");
  worker.read(Follower::connector("c", 1));
  worker.start();
  worker.deal({"c"}, {{"c", 0}});
  worker.rebalance();
  worker.deal({"c"}, {{"c", 0}});
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(2));
  EXPECT_THAT(worker.all<StopTask>(), SizeIs(1));
}

TEST(ACooperativeWorker, KeepsItsWorkDuringARebalance) {
  for (const char* protocol : {"compatible", "sessioned"}) {
    Follower worker(protocol);
    worker.read(Follower::connector("c", 1));
    worker.start();
    worker.deal({"c"}, {{"c", 0}});
    worker.forget();
    worker.rebalance();
    worker.deal({}, {});
    EXPECT_THAT(worker.all<JoinGroup>(), SizeIs(1));
    EXPECT_THAT(worker.all<StopTask>(), IsEmpty());
    EXPECT_THAT(worker.all<StartTask>(), IsEmpty());
  }
}

TEST(ACooperativeWorker, StopsWhatWasTakenFromItBeforeItJoinsAgain) {
  Follower worker;
  worker.read(Follower::connector("c", 2));
  worker.start();
  worker.deal({}, {{"c", 0}, {"c", 1}});
  worker.forget();
  worker.withhold_ = [](const Action& a) { return std::holds_alternative<JoinGroup>(a) || std::holds_alternative<StopTask>(a); };
  worker.rebalance();
  worker.deal({}, {}, {{"c", 1}});
  ASSERT_THAT(worker.all<StopTask>(), SizeIs(1));
  EXPECT_EQ(worker.all<StopTask>()[0].task, (TaskId{"c", 1}));
  EXPECT_THAT(worker.all<JoinGroup>(), SizeIs(1)) << "only the rebalance's own";
  worker.end({"c", 1});
  EXPECT_THAT(worker.all<JoinGroup>(), SizeIs(2));
}

// ---- behind on the config log ----

class AWorkerBehind : public ::testing::Test {
 protected:
  static Options options() {
    Options o = OneWorker::default_options();
    o.worker_sync_timeout = 3s;
    o.worker_unsync_backoff = 5min;
    o.scheduled_rebalance_max_delay = 5min;
    return o;
  }
  /// The log is never read to its end by itself.
  static bool keeps(const Action& action) {
    return std::holds_alternative<JoinGroup>(action) || std::holds_alternative<ReadConfigLog>(action);
  }
  /// The store gives up on what it was asked to read last.
  static void read_fails(Follower& worker) {
    worker.tell(ConfigLogEndReached{worker.all<ReadConfigLog>().back().request, failure(ErrorKind::Timeout, "slow")});
  }
  static void begin(Follower& worker) {
    worker.withhold_ = keeps;
    worker.read(Follower::connector("c", 1));
    worker.start();
    worker.deal({}, {{"c", 0}});
    worker.forget();
    worker.rebalance();
    worker.deal({"new"}, {{"new", 0}}, {}, LogPosition{6});
  }
};

TEST_F(AWorkerBehind, ReadsUpBeforeItActs) {
  Follower worker("sessioned", options());
  begin(worker);
  EXPECT_THAT(worker.all<StartConnector>(), IsEmpty());
  ASSERT_THAT(worker.all<ReadConfigLog>(), SizeIs(1));
  EXPECT_EQ(worker.ask(DeleteConnector{"c"}), std::nullopt);
  worker.read(Follower::connector("new", 1));
  worker.tell(ConfigLogEndReached{worker.all<ReadConfigLog>()[0].request, LogPosition{6}});
  EXPECT_THAT(worker.all<StartConnector>(), SizeIs(1));
  EXPECT_EQ(worker.all<StartTask>().back().task, (TaskId{"new", 0}));
  EXPECT_EQ(worker.last_answer(), kToLeader);
}

TEST_F(AWorkerBehind, LeavesWithinItsTimeoutAndComesBackSoonWhileItsWorkIsKeptForIt) {
  Follower worker("sessioned", options());
  begin(worker);
  worker.pass(3s);
  EXPECT_THAT(worker.all<LeaveGroup>(), SizeIs(1));
  EXPECT_THAT(worker.all<StopTask>(), IsEmpty()) << "the others wait scheduled.rebalance.max.delay.ms for it";
  read_fails(worker);
  worker.forget();
  worker.pass(60s);
  ASSERT_THAT(worker.all<ReadConfigLog>(), SizeIs(1)) << "long before that delay is over it tries again";
  worker.tell(ConfigLogEndReached{worker.all<ReadConfigLog>()[0].request, LogPosition{3}});
  EXPECT_THAT(worker.all<JoinGroup>(), SizeIs(1));
}

TEST_F(AWorkerBehind, StopsItsWorkWhenItStaysBehind) {
  Follower worker("sessioned", options());
  begin(worker);
  for (int i = 0; i < 10 && worker.all<StopTask>().empty(); ++i) {
    worker.pass(3s);
    read_fails(worker);
    worker.pass(60s);
    worker.tell(ConfigLogEndReached{worker.all<ReadConfigLog>().back().request, LogPosition{3}});
    worker.deal({"new"}, {{"new", 0}}, {}, LogPosition{6});
  }
  EXPECT_THAT(worker.all<StopTask>(), SizeIs(1)) << "by then somebody else has it";
}

TEST_F(AWorkerBehind, UnderEagerStaysAwayForItsBackoff) {
  Follower worker("eager", options());
  begin(worker);
  worker.pass(3s);
  EXPECT_THAT(worker.all<LeaveGroup>(), SizeIs(1));
  read_fails(worker);
  worker.forget();
  worker.pass(4min);
  EXPECT_THAT(worker.all<ReadConfigLog>(), IsEmpty());
  worker.pass(1min);
  EXPECT_THAT(worker.all<ReadConfigLog>(), SizeIs(1)) << "worker.unsync.backoff.ms is over";
}

TEST_F(AWorkerBehind, SaysSoToWhoAsks) {
  Follower worker("sessioned", options());
  begin(worker);
  EXPECT_EQ(worker.ask(DeleteConnector{"c"}), std::nullopt);
  worker.pass(6s);
  EXPECT_THAT(error_of(worker.last_answer()),
              HasSubstr("out of the group, as it could not read the config topic to its end in time"));
}

TEST_F(AWorkerBehind, JoinsAgainWhenItIsTheLeaderThatIsBehind) {
  Follower worker("sessioned", options());
  begin(worker);
  worker.read(Follower::connector("new", 1));
  worker.tell(ConfigLogEndReached{worker.all<ReadConfigLog>()[0].request, LogPosition{6}});
  worker.forget();
  worker.rebalance();
  protocol::Assignment failed;
  failed.error = protocol::Assignment::ConfigMismatch;
  failed.leader = "member-b";
  failed.leader_url = "http://b:8083/";
  failed.config_offset = LogPosition{2};
  worker.deal(failed);
  EXPECT_THAT(worker.all<JoinGroup>(), SizeIs(2));
  EXPECT_THAT(worker.all<StopTask>(), IsEmpty());
}

}  // namespace
}  // namespace fencepost::herder
