#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "follower.h"

namespace fencepost::herder {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using testing::Follower;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OneWorker;
using ::testing::SizeIs;
using testing::status_of;

const Properties kSource{{"connector.class", "Source"}, {"name", "c"}};

Options enabled() {
  Options o = OneWorker::default_options();
  o.exactly_once = ExactlyOnce::Enabled;
  return o;
}

std::vector<std::string> keys_of(const WriteConfigRecords& write) {
  std::vector<std::string> keys;
  for (const auto& record : write.records) keys.push_back(record.key);
  return keys;
}

/// The leader of its group, with the connector c and its one task.
class ALeader : public ::testing::TestWithParam<ExactlyOnce> {
 protected:
  static Options options() {
    Options o = enabled();
    o.exactly_once = GetParam();
    return o;
  }
  void SetUp() override {
    worker.start();
    ASSERT_TRUE(worker.ask(CreateConnector{"c", kSource, {}}));
    worker.forget();
  }
  OneWorker worker{options()};
};

INSTANTIATE_TEST_SUITE_P(OfEachKind, ALeader, ::testing::Values(ExactlyOnce::Disabled, ExactlyOnce::Enabled));

// It was paused in the middle of a change, and another leads now: what the change has read is out of date.
TEST_P(ALeader, WritesNothingMoreOnceItHasLostItsPlace) {
  std::vector<ReadConfigLog> reads;
  worker.withhold_ = [&](const Action& action) {
    if (const auto* read = std::get_if<ReadConfigLog>(&action)) reads.push_back(*read);
    return std::holds_alternative<ReadConfigLog>(action) || std::holds_alternative<JoinGroup>(action);
  };
  ASSERT_EQ(worker.ask(SetTargetState{"c", TargetState::Stopped}), std::nullopt);
  ASSERT_THAT(reads, SizeIs(1));
  worker.tell(MembershipLost{"session expired"});
  worker.tell(ConfigLogEndReached{.request = reads.front().request, .end = LogPosition{9}});
  EXPECT_THAT(worker.all<WriteConfigRecords>(), IsEmpty());
  EXPECT_THAT(worker.all<ClaimConfigLog>(), IsEmpty());
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("conflict: Cannot complete request because of a conflicting operation"));
}

// It leads again when the answer comes: who led between may have written what this change has not read.
TEST_P(ALeader, WritesNothingOfAChangeThatBeganBeforeItLostTheLead) {
  std::vector<ReadConfigLog> reads;
  worker.withhold_ = [&](const Action& action) {
    if (const auto* read = std::get_if<ReadConfigLog>(&action)) reads.push_back(*read);
    return std::holds_alternative<ReadConfigLog>(action);
  };
  ASSERT_EQ(worker.ask(SetTargetState{"c", TargetState::Stopped}), std::nullopt);
  worker.tell(MembershipLost{"session expired"});
  worker.tell(ConfigLogEndReached{.request = reads.front().request, .end = LogPosition{9}});
  for (const auto& write : worker.all<WriteConfigRecords>()) EXPECT_THAT(keys_of(write), ElementsAre("session-key"));
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("lost its hold on the config topic"));
}

TEST_P(ALeader, StopsAConnectorInOneWrite) {
  ASSERT_TRUE(worker.ask(SetTargetState{"c", TargetState::Stopped}));
  const auto writes = worker.all<WriteConfigRecords>();
  ASSERT_THAT(writes, SizeIs(1));
  EXPECT_THAT(keys_of(writes.front()), ElementsAre("commit-c", "target-state-c"));
}

TEST(ALeaderWithTransactions, WritesTaskConfigsWithTheirCommit) {
  OneWorker worker(enabled());
  worker.start();
  worker.forget();
  ASSERT_TRUE(worker.ask(CreateConnector{"c", kSource, {}}));
  ASSERT_GE(worker.all<WriteConfigRecords>().size(), 2U);
  EXPECT_THAT(keys_of(worker.all<WriteConfigRecords>()[1]), ElementsAre("task-c-0", "commit-c"));
}

// Else a task config that the brokers refuse (it is too large, say) would leave a commit of what is not there.
TEST(ALeaderWithoutTransactions, CommitsTaskConfigsOnceTheyAreThere) {
  OneWorker worker;
  worker.start();
  worker.forget();
  ASSERT_TRUE(worker.ask(CreateConnector{"c", kSource, {}}));
  ASSERT_THAT(worker.all<WriteConfigRecords>(), SizeIs(3));
  EXPECT_THAT(keys_of(worker.all<WriteConfigRecords>()[1]), ElementsAre("task-c-0"));
  EXPECT_THAT(keys_of(worker.all<WriteConfigRecords>()[2]), ElementsAre("commit-c"));
}

class ALeaderFencedOutOfTheLog : public ::testing::Test {
 protected:
  void SetUp() override {
    worker.start();
    worker.next_write_fails_ = Error(ErrorKind::Fenced, "the epoch is no longer ours");
    ASSERT_TRUE(worker.ask(CreateConnector{"c", kSource, {}}));
    worker.forget();
    worker.withhold_ = [this](const Action& action) {
      if (const auto* confirm = std::get_if<ConfirmMembership>(&action)) confirmation_ = confirm->request;
      return std::holds_alternative<ConfirmMembership>(action) || std::holds_alternative<JoinGroup>(action);
    };
    ASSERT_EQ(worker.ask(CreateConnector{"c", kSource, {}}), std::nullopt);
    ASSERT_TRUE(confirmation_);
    ASSERT_THAT(worker.all<ClaimConfigLog>(), IsEmpty());
  }
  OneWorker worker{enabled()};
  std::optional<RequestId> confirmation_;
};

TEST_F(ALeaderFencedOutOfTheLog, TakesItBackOnceTheCoordinatorKnowsIt) {
  worker.tell(MembershipConfirmed{.request = *confirmation_, .generation = worker.generation_});
  EXPECT_THAT(worker.all<ClaimConfigLog>(), SizeIs(1));
  EXPECT_EQ(error_of(worker.last_answer()), "no error");
}

TEST_F(ALeaderFencedOutOfTheLog, LeavesItToItsSuccessor) {
  worker.tell(MembershipLost{"another leads"});
  EXPECT_THAT(worker.all<ClaimConfigLog>(), IsEmpty());
  EXPECT_THAT(worker.all<WriteConfigRecords>(), IsEmpty());
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("conflict: "));
}

// ---- what runs ----

// A stop whose commit was lost: the state alone has stopped the task.
TEST(AFollowerOfAStopByHalf, RunsTheTaskAgainWhenItIsResumed) {
  Follower worker;
  worker.read(Follower::connector("c", 1));
  worker.start();
  worker.deal({"c"}, {{"c", 0}});
  worker.read({{"target-state-c", R"({"state":"PAUSED","state.v2":"STOPPED"})"}});
  ASSERT_THAT(worker.all<StopTask>(), SizeIs(1));
  worker.read({{"target-state-c", R"({"state":"PAUSED","state.v2":"PAUSED"})"}});
  ASSERT_THAT(worker.all<StartTask>(), SizeIs(2));
  EXPECT_EQ(worker.all<StartTask>().back().target, TargetState::Paused);
}

// It had no contact to the group for a while, in which another worker ran the task without trouble.
TEST(AWorkerThatComesBack, StartsAnewWhatFailedHereAndRanElsewhere) {
  Follower worker;
  worker.read(Follower::connector("c", 1));
  worker.start();
  worker.deal({"c"}, {{"c", 0}});
  worker.fail({"c", 0});
  worker.tell(MembershipLost{"session expired"});
  ASSERT_THAT(worker.all<StartTask>(), SizeIs(1));
  worker.tell(status_of("status-task-c-0", "UNASSIGNED"));
  worker.deal({}, {});
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(2));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
}

// A worker that was paused reads many records at once: those in the middle are no longer true.
TEST(AnEnabledFollowerThatWasPaused, StartsNothingThatTheRestOfTheRecordsForbids) {
  Follower worker("compatible", enabled());
  worker.read(Follower::connector("c", 1));
  worker.start();
  worker.deal({}, {{"c", 0}});
  ASSERT_THAT(worker.all<AskLeaderToFence>(), SizeIs(1));
  worker.read({{"tasks-fencing-c", R"({"task-count":1})"},
               {"task-c-0", R"({"properties":{"part":"new"}})"},
               {"commit-c", R"({"tasks":1})"}});
  EXPECT_THAT(worker.all<StartTask>(), IsEmpty());
  worker.tell(LeaderAnswered{worker.all<AskLeaderToFence>().back().request, std::nullopt});
  EXPECT_THAT(worker.all<StartTask>(), IsEmpty()) << "that fence was of the older task configs";
  EXPECT_THAT(worker.all<AskLeaderToFence>(), SizeIs(2));
  worker.read({{"tasks-fencing-c", R"({"task-count":1})"}});
  ASSERT_THAT(worker.all<StartTask>(), SizeIs(1));
  EXPECT_EQ(worker.all<StartTask>().front().task_config.get("part"), "new");
}

// ---- who else may have fenced ----

bool late_fence_possible(OneWorker& worker) {
  const TaskId task{"c", 0};
  worker.tell(OwnershipAsked{.task = task, .run = worker.task_runs_[task], .request = RequestId{7}});
  return worker.all<AnswerOwnership>().back().late_fence_possible;
}

TEST(AWorkerThatWasAlwaysAlone, RulesOutAnotherWorkersFence) {
  OneWorker worker(enabled());
  worker.start();
  ASSERT_TRUE(worker.ask(CreateConnector{"c", kSource, {}}));
  EXPECT_FALSE(late_fence_possible(worker));
}

TEST(AWorkerThatHasCompany, ReckonsWithAnotherWorkersFence) {
  Follower worker("compatible", enabled());
  worker.read(Follower::connector("c", 1));
  worker.read({{"tasks-fencing-c", R"({"task-count":1})"}});
  worker.start();
  worker.deal({"c"}, {{"c", 0}});
  EXPECT_TRUE(late_fence_possible(worker));
}

// Alone now, and started after the other was gone: what is left of it is a status.
TEST(AWorkerThatTookOver, ReckonsWithTheFenceOfItsPredecessor) {
  OneWorker worker(enabled());
  worker.start();
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<WriteStatusRecord>(action); };
  ASSERT_TRUE(worker.ask(CreateConnector{"c", kSource, {}}));
  worker.tell(status_of("status-task-c-0", "RUNNING"));
  EXPECT_TRUE(late_fence_possible(worker));
}

}  // namespace
}  // namespace fencepost::herder
