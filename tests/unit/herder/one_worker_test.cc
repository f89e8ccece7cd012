#include "one_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fencepost::herder {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::OneWorker;
using ::testing::SizeIs;
using testing::status_of;

const Properties kSource{{"connector.class", "Source"}, {"name", "c"}};

template <class Kind>
bool is(const std::optional<Response>& response) {
  return response && std::holds_alternative<Kind>(*response);
}

class AWorkerAlone : public ::testing::Test {
 protected:
  void SetUp() override { worker.start(); }
  void create(const std::string& name = "c") {
    ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{name, kSource, {}}))) << error_of(worker.last_answer());
  }
  OneWorker worker;
};

class AnEnabledWorkerAlone : public ::testing::Test {
 protected:
  static Options options() {
    Options o = OneWorker::default_options();
    o.exactly_once = ExactlyOnce::Enabled;
    return o;
  }
  void SetUp() override { worker.start(); }
  OneWorker worker{options()};
};

TEST_F(AWorkerAlone, JoinsMakesASessionKeyAndIsReady) {
  const auto health = worker.ask(GetHealth{});
  ASSERT_TRUE(is<Health>(health));
  EXPECT_TRUE(std::get<Health>(*health).ready);
  EXPECT_THAT(worker.all<MakeSessionKey>(), SizeIs(1));
  EXPECT_EQ(worker.config_keys(), "session-key");
}

TEST(ALeaderWithoutRandomBytes, SaysSoAndTriesAgain) {
  OneWorker worker;
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<MakeSessionKey>(action); };
  worker.start();
  const auto refuse = [&] {
    worker.tell(SessionKeyMade{.request = worker.all<MakeSessionKey>().back().request,
                               .key = failure(ErrorKind::Unavailable, "the system gave no random bytes")});
  };
  refuse();
  worker.pass(std::chrono::seconds(1));
  ASSERT_THAT(worker.all<MakeSessionKey>(), SizeIs(2));
  refuse();
  const auto health = std::get<Health>(*worker.ask(GetHealth{}));
  std::string stages;
  for (const Stage& stage : health.stages) stages += stage.component + ": " + stage.doing + "\n";
  EXPECT_THAT(stages,
              HasSubstr("session key: trying to make a session key for the workers' requests to one another: the system gave "
                        "no random bytes"));
  worker.withhold_ = nullptr;
  worker.pass(std::chrono::seconds(1));
  EXPECT_EQ(worker.config_keys(), "session-key");
}

TEST_F(AWorkerAlone, CreatesAConnectorAndRunsIt) {
  const auto created = worker.ask(CreateConnector{"c", kSource, {}});
  ASSERT_TRUE(is<Created>(created)) << error_of(created);
  EXPECT_THAT(std::get<Created>(*created).info.tasks, IsEmpty());
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
  EXPECT_EQ(worker.config_keys(), "session-key connector-c task-c-0 commit-c");
}

TEST_F(AWorkerAlone, StartsANewConnectorAndItsTaskExactlyOnce) {
  create();
  worker.pass(std::chrono::minutes(1));
  EXPECT_THAT(worker.all<StartConnector>(), SizeIs(1));
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(1));
  EXPECT_THAT(worker.states_of("status-task-c-0"), ElementsAre("RUNNING"));
}

TEST_F(AWorkerAlone, RefusesADuplicateAndNamesIt) {
  create();
  EXPECT_EQ(error_of(worker.ask(CreateConnector{"c", kSource, {}})), "conflict: Connector c already exists");
}

TEST_F(AWorkerAlone, SaysWhatIsUnknownInConnectsWords) {
  EXPECT_THAT(error_of(worker.ask(GetConnector{"nope"})), HasSubstr("Connector nope not found"));
  EXPECT_THAT(error_of(worker.ask(DeleteConnector{"nope"})), HasSubstr("Connector nope not found"));
  EXPECT_THAT(error_of(worker.ask(GetConnectorStatus{"nope"})), HasSubstr("No status found for connector nope"));
  EXPECT_THAT(error_of(worker.ask(GetTaskStatus{{"nope", 0}})), HasSubstr("No status found for task nope-0"));
  EXPECT_THAT(error_of(worker.ask(RestartTask{{"nope", 0}})), HasSubstr("Unknown connector: nope"));
  EXPECT_THAT(error_of(worker.ask(RestartConnector{"nope", false, true})), HasSubstr("Unknown connector: nope"));
  EXPECT_THAT(error_of(worker.ask(SetTargetState{"nope", TargetState::Paused})), HasSubstr("Unknown connector nope"));
  EXPECT_THAT(error_of(worker.ask(SetTargetState{"nope", TargetState::Stopped})), HasSubstr("Unknown connector nope"));
  create();
  EXPECT_THAT(error_of(worker.ask(RestartTask{{"c", 7}})), HasSubstr("Unknown task: c-7"));
}

TEST_F(AWorkerAlone, DeletesAConnectorItsTasksAndItsStatuses) {
  create();
  EXPECT_TRUE(is<Done>(worker.ask(DeleteConnector{"c"})));
  EXPECT_EQ(worker.state_of("c"), "No status found for connector c");
  EXPECT_THAT(error_of(worker.ask(GetTaskStatus{{"c", 0}})), HasSubstr("No status found"));
  EXPECT_THAT(worker.all<StopTask>(), SizeIs(1));
  EXPECT_THAT(worker.all<StopConnector>(), SizeIs(1));
}

TEST_F(AWorkerAlone, TakesTheTasksOfADeletedConnectorBackSoThatNoneOfThemOutlivesItInACompactedTopic) {
  create();
  ASSERT_TRUE(is<Done>(worker.ask(DeleteConnector{"c"})));
  const WriteConfigRecords written = worker.all<WriteConfigRecords>().back();
  ASSERT_THAT(written.records, SizeIs(3));
  EXPECT_EQ(written.records[0].key, "commit-c");
  EXPECT_EQ(written.records[0].value, R"({"tasks":0})");
  EXPECT_EQ(written.records[1].key, "connector-c");
  EXPECT_EQ(written.records[2].key, "target-state-c");
}

TEST_F(AWorkerAlone, PausesResumesAndStops) {
  create();
  EXPECT_TRUE(is<Accepted>(worker.ask(SetTargetState{"c", TargetState::Paused})));
  EXPECT_EQ(worker.state_of("c"), "PAUSED 0:PAUSED");
  EXPECT_TRUE(is<Accepted>(worker.ask(SetTargetState{"c", TargetState::Started})));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
  EXPECT_TRUE(is<Done>(worker.ask(SetTargetState{"c", TargetState::Stopped})));
  EXPECT_EQ(worker.state_of("c"), "STOPPED");
  EXPECT_TRUE(is<Accepted>(worker.ask(SetTargetState{"c", TargetState::Started})));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
}

TEST_F(AWorkerAlone, CreatesInAGivenState) {
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, TargetState::Stopped})));
  EXPECT_EQ(worker.state_of("c"), "STOPPED");
  EXPECT_EQ(worker.config_keys(), "session-key target-state-c connector-c");
}

TEST_F(AWorkerAlone, PatchesAndRestartsWithTheNewConfig) {
  create();
  const auto patched = worker.ask(PatchConnectorConfig{"c", {{"x", "1"}, {"absent", std::nullopt}}});
  ASSERT_TRUE(is<ConnectorInfo>(patched)) << error_of(patched);
  EXPECT_EQ(std::get<ConnectorInfo>(*patched).config.get("x"), "1");
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
}

// The task configs are the same, the converter is not.
TEST_F(AWorkerAlone, RestartsTasksWhenOnlyTheConnectorsOwnConfigChanged) {
  create();
  Properties changed = kSource;
  changed.set("value.converter", "Json");
  ASSERT_TRUE(is<ConnectorInfo>(worker.ask(PutConnectorConfig{"c", changed})));
  const auto starts = worker.all<StartTask>();
  ASSERT_THAT(starts, SizeIs(2));
  EXPECT_EQ(starts.back().connector_config.get("value.converter"), "Json");
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
}

// Whoever has been told 200 may offer records for the new config at once.
TEST_F(AWorkerAlone, LetsTasksReadNoMoreOnceTheirConnectorsConfigHasChanged) {
  create();
  EXPECT_THAT(worker.all<HoldTask>(), IsEmpty());
  Properties changed = kSource;
  changed.set("topic", "another");
  ASSERT_TRUE(is<ConnectorInfo>(worker.ask(PutConnectorConfig{"c", changed})));
  const auto held = worker.all<HoldTask>();
  ASSERT_THAT(held, SizeIs(1));
  EXPECT_EQ(held[0].run, worker.all<StartTask>()[0].run);
}

TEST_F(AWorkerAlone, StartsATaskAnewOnlyWhenItsLastRunHasEnded) {
  create();
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<StopTask>(action); };
  EXPECT_EQ(worker.ask(RestartTask{{"c", 0}}), std::nullopt);
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(1));
  EXPECT_EQ(worker.ask(RestartTask{{"c", 0}}), std::nullopt);
  worker.end(TaskId{"c", 0});
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(2));
  EXPECT_TRUE(is<Done>(worker.last_answer()));
}

TEST_F(AWorkerAlone, RestartsWithTasksAndAnswersThePlan) {
  create();
  worker.forget();
  const auto planned = worker.ask(RestartConnector{"c", false, true});
  ASSERT_TRUE(is<RestartPlanned>(planned)) << error_of(planned);
  const auto& status = std::get<RestartPlanned>(*planned).status;
  EXPECT_EQ(status.connector.state, "RESTARTING");
  EXPECT_EQ(status.tasks.front().state.state, "RESTARTING");
  EXPECT_THAT(worker.states_of("status-task-c-0"), ElementsAre("RESTARTING", "RUNNING"));
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(1));
}

TEST_F(AWorkerAlone, RestartsOnlyWhatHasFailed) {
  worker.tasks_of_each_connector = 2;
  create();
  worker.fail(TaskId{"c", 1});
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING 1:FAILED");
  worker.forget();
  ASSERT_TRUE(is<RestartPlanned>(worker.ask(RestartConnector{"c", true, true})));
  ASSERT_THAT(worker.all<StartTask>(), SizeIs(1));
  EXPECT_EQ(worker.all<StartTask>().front().task, (TaskId{"c", 1}));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING 1:RUNNING");
}

TEST_F(AWorkerAlone, AFailedTaskStaysFailedUntilSomebodyRestartsIt) {
  create();
  worker.fail(TaskId{"c", 0});
  worker.pass(std::chrono::minutes(10));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:FAILED");
  EXPECT_TRUE(is<Done>(worker.ask(RestartTask{{"c", 0}})));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
}

TEST_F(AWorkerAlone, SaysNothingIsCreatedWhenTheWriteFailed) {
  worker.next_write_fails_ = Error(ErrorKind::Failed, "message too large");
  EXPECT_THAT(error_of(worker.ask(CreateConnector{"c", kSource, {}})),
              HasSubstr("connector configuration of c to the config topic: message too large"));
  EXPECT_THAT(error_of(worker.ask(GetConnector{"c"})), HasSubstr("not found"));
  create();
}

TEST_F(AWorkerAlone, AnswersARequestThatTookTooLongWithTheStage) {
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<ValidateConfig>(action); };
  EXPECT_EQ(worker.ask(CreateConnector{"c", kSource, {}}), std::nullopt);
  worker.pass(std::chrono::seconds(91));
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("timeout: Request timed out. The worker is currently"));
}

TEST_F(AWorkerAlone, HoldsRequestsThroughARebalanceForAMoment) {
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<JoinGroup>(action); };
  worker.tell(RejoinNeeded{"worker-b joins"});
  EXPECT_EQ(worker.ask(CreateConnector{"c", kSource, {}}), std::nullopt);
  worker.pass(std::chrono::seconds(6));
  EXPECT_THAT(error_of(worker.last_answer()),
              HasSubstr("conflict: Cannot complete request because of a conflicting operation (e.g. worker rebalance)."));
  EXPECT_THAT(error_of(worker.last_answer()), HasSubstr("worker-b joins"));
}

TEST_F(AWorkerAlone, ForwardsNothingToItself) {
  EXPECT_THAT(error_of(worker.ask(DeleteConnector{"nope"}, Hop::ForwardedTwice)), HasSubstr("not found"));
}

TEST_F(AWorkerAlone, StopsEverythingWhenItShutsDown) {
  create();
  worker.tell(ShutdownRequested{});
  EXPECT_THAT(worker.states_of("status-task-c-0"), ElementsAre("RUNNING", "UNASSIGNED"));
  EXPECT_THAT(worker.all<LeaveGroup>(), SizeIs(1));
  EXPECT_THAT(worker.all<Terminate>(), SizeIs(1));
}

TEST_F(AWorkerAlone, EndsInTimeThoughATaskDoesNotStop) {
  create();
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<StopTask>(action); };
  worker.tell(ShutdownRequested{});
  EXPECT_THAT(worker.all<Terminate>(), IsEmpty());
  worker.pass(std::chrono::seconds(5));
  EXPECT_THAT(worker.all<Terminate>(), SizeIs(1));
  EXPECT_THAT(worker.states_of("status-task-c-0"), ElementsAre("RUNNING", "UNASSIGNED"));
}

TEST_F(AWorkerAlone, RefusesUnsignedInternalRequests) {
  create();
  EXPECT_THAT(error_of(worker.ask(FenceZombies{"c", {}})),
              HasSubstr("invalid config: Internal request missing required signature"));
  EXPECT_THAT(error_of(worker.ask(PublishTaskConfigs{"c", {}, {}})), HasSubstr("Internal request missing required signature"));
}

TEST_F(AWorkerAlone, MakesANewSessionKeyWhenTheOldOneIsTooOld) {
  worker.pass(std::chrono::minutes(61));
  EXPECT_THAT(worker.all<MakeSessionKey>(), SizeIs(2));
}

TEST_F(AWorkerAlone, ChangesOffsetsOnlyOfAStoppedConnector) {
  create();
  EXPECT_THAT(error_of(worker.ask(AlterOffsets{"c", std::nullopt})),
              HasSubstr("Connectors must be in the STOPPED state before their offsets can be modified"));
  ASSERT_TRUE(is<Done>(worker.ask(SetTargetState{"c", TargetState::Stopped})));
  EXPECT_EQ(worker.ask(AlterOffsets{"c", std::nullopt}), Response(Message{"changed"}));
}

// A worker that is enabled already may sleep with the connector's last tasks.
TEST(APreparingLeader, FencesBeforeItChangesOffsets) {
  Options options = OneWorker::default_options();
  options.exactly_once = ExactlyOnce::Preparing;
  OneWorker worker{options};
  worker.start();
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  worker.tell(ConfigRecordsRead{{TopicRecord{
      .partition = 0, .offset = LogPosition{50}, .timestamp_ms = 0, .key = "tasks-fencing-c", .value = R"({"task-count":2})"}}});
  ASSERT_TRUE(is<Done>(worker.ask(SetTargetState{"c", TargetState::Stopped})));
  ASSERT_EQ(worker.ask(AlterOffsets{"c", std::nullopt}), Response(Message{"changed"}));
  const auto fences = worker.all<FenceProducers>();
  ASSERT_THAT(fences, SizeIs(1));
  EXPECT_THAT(fences.front().transactional_ids, ElementsAre("group-c-0", "group-c-1"));
}

/// A stopped connector whose change of offsets is ordered and not written yet.
class ALateChangeOfOffsets : public AWorkerAlone {
 protected:
  void SetUp() override {
    AWorkerAlone::SetUp();
    create();
    (void)worker.ask(SetTargetState{"c", TargetState::Stopped});
    worker.withhold_ = [](const Action& action) { return std::holds_alternative<ChangeOffsets>(action); };
    EXPECT_FALSE(worker.ask(AlterOffsets{"c", std::nullopt}).has_value());
  }
  std::string refusal() {
    worker.tell(OffsetChangeAsked{.request = worker.all<ChangeOffsets>().back().request, .connector = "c"});
    const auto answers = worker.all<AnswerOffsetChange>();
    if (answers.empty()) return "no answer";
    return answers.back().refused ? answers.back().refused->message() : "";
  }
};

TEST_F(ALateChangeOfOffsets, IsMadeWhereTheConnectorIsStillStopped) { EXPECT_EQ(refusal(), ""); }

TEST_F(ALateChangeOfOffsets, IsAConflictOnceTheConnectorWasResumed) {
  const RequestId change{1'000'000 + 3};
  ASSERT_TRUE(worker.ask(SetTargetState{"c", TargetState::Started}));
  EXPECT_THAT(refusal(), HasSubstr("the connector was resumed meanwhile"));
  EXPECT_EQ(worker.all<AnswerOffsetChange>().back().refused->kind(), ErrorKind::Conflict);
  EXPECT_THAT(error_of(worker.answer(change)), HasSubstr("The offsets of connector c are as they were"));
}

TEST_F(ALateChangeOfOffsets, IsRefusedOnceTheConnectorWasDeleted) {
  ASSERT_TRUE(is<Done>(worker.ask(DeleteConnector{"c"})));
  EXPECT_THAT(refusal(), HasSubstr("was deleted meanwhile"));
}

TEST_F(ALateChangeOfOffsets, IsRefusedOnceItsClientWasToldThatItTimedOut) {
  worker.pass(std::chrono::minutes(3));
  EXPECT_THAT(refusal(), HasSubstr("timed out"));
}

TEST_F(ALateChangeOfOffsets, IsRefusedWhereTheCoordinatorKnowsThisWorkerNoMore) {
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<ConfirmMembership>(action); };
  EXPECT_EQ(refusal(), "no answer");
  worker.tell(MembershipLost{"session expired"});
  EXPECT_THAT(worker.all<AnswerOffsetChange>().back().refused->message(), HasSubstr("session expired"));
}

// Once the topic is compacted, what was never committed stands in the place of what is in force.
TEST_F(AWorkerAlone, WritesTaskConfigsAgainWhereAnotherWriterWasLostBeforeItsCommit) {
  create();
  const std::string before = worker.config_keys();
  worker.tell(RejoinNeeded{"a worker has left"});
  EXPECT_EQ(worker.config_keys(), before);
  TopicRecord half;
  half.offset = LogPosition{4};
  half.key = "task-c-0";
  half.value = R"({"properties":{"part":"other"}})";
  worker.tell(ConfigRecordsRead{{half}});
  worker.tell(RejoinNeeded{"the leader is gone"});
  EXPECT_EQ(worker.config_keys(), before + " task-c-0 commit-c");
}

TEST_F(AnEnabledWorkerAlone, WritesTheTaskCountBeforeTheFirstTaskStarts) {
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  EXPECT_EQ(worker.config_keys(), "session-key connector-c task-c-0 commit-c tasks-fencing-c");
  const auto starts = worker.all<StartTask>();
  ASSERT_THAT(starts, SizeIs(1));
  EXPECT_TRUE(starts.front().exactly_once);
  EXPECT_THAT(worker.all<FenceProducers>(), IsEmpty());
  EXPECT_THAT(worker.all<ClaimConfigLog>(), SizeIs(1));
}

TEST_F(AnEnabledWorkerAlone, FencesTheOldTasksBeforeTheNewOnesStart) {
  worker.tasks_of_each_connector = 2;
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  worker.tasks_of_each_connector = 3;
  worker.forget();
  ASSERT_TRUE(is<ConnectorInfo>(worker.ask(PutConnectorConfig{"c", kSource})));
  const auto fences = worker.all<FenceProducers>();
  ASSERT_THAT(fences, SizeIs(1));
  EXPECT_THAT(fences.front().transactional_ids, ElementsAre("group-c-0", "group-c-1"));
  EXPECT_THAT(worker.all<StartTask>(), SizeIs(3));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING 1:RUNNING 2:RUNNING");
}

// The leader's id was taken: one request fails and says so, the next takes it back.
TEST_F(AnEnabledWorkerAlone, ClaimsTheConfigLogAgainAfterAFailedWrite) {
  worker.next_write_fails_ = Error(ErrorKind::Fenced, "the epoch is no longer ours");
  EXPECT_THAT(error_of(worker.ask(CreateConnector{"c", kSource, {}})),
              HasSubstr("failed: Failed to write connector configuration of c to the config topic"));
  worker.forget();
  EXPECT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  EXPECT_THAT(worker.all<ClaimConfigLog>(), SizeIs(1));
}

TEST_F(AnEnabledWorkerAlone, AnswersOwnershipAfterAskingTheCoordinatorAndTheLog) {
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  const TaskId task{"c", 0};
  worker.tell(OwnershipAsked{.task = task, .run = worker.task_runs_[task], .request = RequestId{7}});
  ASSERT_THAT(worker.all<AnswerOwnership>(), SizeIs(1));
  EXPECT_EQ(worker.all<AnswerOwnership>().front().superseded, std::nullopt);
  worker.tell(OwnershipAsked{.task = task, .run = RunId{0}, .request = RequestId{8}});
  EXPECT_THAT(worker.all<AnswerOwnership>().back().superseded.value_or(""), HasSubstr("was stopped or replaced"));
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<ConfirmMembership>(action); };
  worker.tell(OwnershipAsked{.task = task, .run = worker.task_runs_[task], .request = RequestId{9}});
  worker.tell(MembershipLost{"session expired"});
  EXPECT_THAT(worker.all<AnswerOwnership>().back().superseded.value_or(""),
              HasSubstr("no member of its group any more (session expired)"));
}

TEST_F(AnEnabledWorkerAlone, NamesTheSuccessorThatTheStatusTopicTellsOf) {
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  const TaskId task{"c", 0};
  worker.tell(status_of("status-task-c-0", "RUNNING", 14));
  worker.tell(OwnershipAsked{.task = task, .run = RunId{0}, .request = RequestId{7}});
  EXPECT_THAT(
      worker.all<AnswerOwnership>().back().superseded.value_or(""),
      ::testing::StartsWith("b:8083, generation 14 (this run of c-0 was stopped or replaced on this worker); this worker's own "
                            "generation is "));
}

TEST_F(AnEnabledWorkerAlone, AnswersOwnershipAtOnceWhereItHasNoPlaceInItsGroup) {
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  worker.withhold_ = [](const Action& action) {
    return std::holds_alternative<ConfirmMembership>(action) || std::holds_alternative<JoinGroup>(action);
  };
  worker.tell(MembershipLost{"session expired"});
  const TaskId task{"c", 0};
  worker.tell(OwnershipAsked{.task = task, .run = worker.task_runs_[task], .request = RequestId{7}});
  ASSERT_THAT(worker.all<AnswerOwnership>(), SizeIs(1));
  EXPECT_THAT(worker.all<AnswerOwnership>().front().superseded.value_or(""), HasSubstr("no member of its group"));
  EXPECT_THAT(worker.all<ConfirmMembership>(), IsEmpty());
}

TEST_F(AnEnabledWorkerAlone, AnswersOwnershipWhenItLeavesItsGroup) {
  ASSERT_TRUE(is<Created>(worker.ask(CreateConnector{"c", kSource, {}})));
  worker.withhold_ = [](const Action& action) { return std::holds_alternative<ConfirmMembership>(action); };
  const TaskId task{"c", 0};
  worker.tell(OwnershipAsked{.task = task, .run = worker.task_runs_[task], .request = RequestId{7}});
  EXPECT_THAT(worker.all<AnswerOwnership>(), IsEmpty());
  worker.tell(ShutdownRequested{});
  ASSERT_THAT(worker.all<AnswerOwnership>(), SizeIs(1));
  EXPECT_THAT(worker.all<AnswerOwnership>().front().superseded.value_or(""), HasSubstr("has left its group"));
}

// A doubled forward of an old request came late, or a stop was left half done: the newest commit is not what the connector said.
TEST_F(AWorkerAlone, PublishesItsTaskConfigsAgainWhereOthersWereCommitted) {
  create();
  worker.forget();
  worker.tell(ConfigRecordsRead{
      {TopicRecord{.partition = 0, .offset = LogPosition{50}, .timestamp_ms = 0, .key = "commit-c", .value = R"({"tasks":0})"}}});
  EXPECT_EQ(worker.config_keys(), "session-key connector-c task-c-0 commit-c task-c-0 commit-c");
}

// ---- statuses that are wrong ----

// The worker that ran them died with the deletion half done.
TEST(AWorkerThatBecomesTheLeader, RemovesStatusesOfWhatIsConfiguredNoMore) {
  OneWorker worker;
  worker.tell(status_of("status-connector-old", "RUNNING"));
  worker.tell(status_of("status-task-old-0", "UNASSIGNED"));
  EXPECT_THAT(worker.states_of("status-connector-old"), IsEmpty());
  worker.start();
  EXPECT_THAT(worker.states_of("status-connector-old"), ElementsAre("tombstone"));
  EXPECT_THAT(worker.states_of("status-task-old-0"), ElementsAre("tombstone"));
}

TEST_F(AWorkerAlone, RemovesALateStatusOfADeletedConnectorAndOfATaskThatIsNoMore) {
  create();
  worker.tell(status_of("status-task-c-7", "RUNNING"));
  EXPECT_THAT(worker.states_of("status-task-c-7"), ElementsAre("tombstone"));
  worker.tell(status_of("status-connector-gone", "RUNNING"));
  EXPECT_THAT(worker.states_of("status-connector-gone"), ElementsAre("tombstone"));
}

// A deposed leader without transactions commits what its successor had committed already: nobody owns the tasks any more, and who
// ran them has died.
TEST_F(AWorkerAlone, RemovesStatusesOfTasksOfWhichHalfWasWrittenUntilTheConnectorIsResumed) {
  create();
  ASSERT_TRUE(is<Accepted>(worker.ask(SetTargetState{"c", TargetState::Paused})));
  worker.tell(status_of("status-task-c-0", "RUNNING"));
  worker.tell(ConfigRecordsRead{
      {TopicRecord{.partition = 0, .offset = LogPosition{50}, .timestamp_ms = 0, .key = "commit-c", .value = R"({"tasks":1})"}}});
  EXPECT_EQ(worker.state_of("c"), "PAUSED");
  ASSERT_TRUE(is<Accepted>(worker.ask(SetTargetState{"c", TargetState::Started})));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING");
}

// Paused while the connector was deleted and made again, it must not act on the half of the log that it knows.
TEST_F(AWorkerAlone, ReadsTheLogToItsEndBeforeItRemovesAStatus) {
  std::vector<ReadConfigLog> reads;
  worker.withhold_ = [&](const Action& action) {
    if (const auto* read = std::get_if<ReadConfigLog>(&action)) reads.push_back(*read);
    return std::holds_alternative<ReadConfigLog>(action);
  };
  worker.tell(status_of("status-connector-c", "RUNNING"));
  ASSERT_THAT(reads, SizeIs(1));
  EXPECT_THAT(worker.states_of("status-connector-c"), IsEmpty());
  worker.tell(ConfigRecordsRead{{TopicRecord{.partition = 0,
                                             .offset = LogPosition{50},
                                             .timestamp_ms = 0,
                                             .key = "connector-c",
                                             .value = R"({"properties":{"connector.class":"Source","name":"c"}})"}}});
  worker.tell(ConfigLogEndReached{.request = reads.front().request, .end = LogPosition{51}});
  EXPECT_THAT(worker.states_of("status-connector-c"), ::testing::Not(::testing::Contains("tombstone")));
}

// The group fell back to the eager protocol, so that all was dealt anew while the earlier owner still ran it.
TEST_F(AWorkerAlone, SaysAgainHowItsRunsAreWhereTheirEarlierOwnerGaveThemUpLate) {
  worker.tasks_of_each_connector = 2;
  create();
  worker.fail(TaskId{"c", 1});
  worker.forget();
  for (const char* key : {"status-connector-c", "status-task-c-0", "status-task-c-1"})
    worker.tell(status_of(key, "UNASSIGNED", worker.generation().value));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING 1:FAILED");
  EXPECT_THAT(worker.all<StartTask>(), IsEmpty());
}

TEST_F(AWorkerAlone, SaysAgainHowItsRunsAreWhereAnotherWorkerRemovedIt) {
  worker.tasks_of_each_connector = 2;
  create();
  worker.fail(TaskId{"c", 1});
  worker.forget();
  worker.tell(status_of("status-connector-c", ""));  // which stands for its tasks too
  EXPECT_THAT(worker.states_of("status-connector-c"), ElementsAre("RUNNING"));
  EXPECT_THAT(worker.states_of("status-task-c-0"), ElementsAre("RUNNING"));
  EXPECT_THAT(worker.states_of("status-task-c-1"), ElementsAre("FAILED"));
  worker.tell(status_of("status-task-c-0", ""));
  EXPECT_EQ(worker.state_of("c"), "RUNNING 0:RUNNING 1:FAILED");
  EXPECT_TRUE(is<Done>(worker.ask(DeleteConnector{"c"})));
  EXPECT_EQ(worker.state_of("c"), "No status found for connector c");
}

}  // namespace
}  // namespace fencepost::herder
