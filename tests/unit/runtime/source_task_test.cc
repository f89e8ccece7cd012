#include <gtest/gtest.h>

#include "exactly_once/fenced_verdict.h"
#include "fakes.h"

namespace fencepost::runtime::test {
namespace {

const TaskId kTask{"orders", 0};

/// A worker over fakes; the herder's answers to questions of ownership are given by `superseded`.
class SourceTasks : public ::testing::Test {
 protected:
  SourceTasks() {
    options.group_id = "g";
    options.worker = {
        {"bootstrap.servers", "b:1"}, {"key.converter", "Text"}, {"value.converter", "Text"}, {"header.converter", "None"}};
    options.graceful_shutdown_timeout = 3s;
  }
  ~SourceTasks() override {
    // The script outlives the task; nothing may wake a task that is gone.
    const std::lock_guard lock(script.mutex);
    script.context = nullptr;
  }

  void start(bool exactly_once, Properties more = {}) {
    worker = std::make_unique<Worker>(options, WorkerPorts{&offsets, &fencer, &plugins, &clients, {}}, Log(),
                                      [this](herder::Event event) { hear(event); });
    Properties config{{"connector.class", "Scripted"}};
    for (const auto& [name, value] : more) config.set(name, value);
    execute(
        herder::StartTask{kTask, RunId{1}, config, {{"task.class", "ScriptedTask"}}, herder::TargetState::Started, exactly_once});
  }
  void stop() {
    execute(herder::StopTask{kTask, RunId{1}});
    EXPECT_TRUE(journal.wait_for("ended")) << journal.text();
  }

  /// As the herder does: one order at a time.
  void execute(const herder::Action& action) {
    const std::lock_guard lock(one_order);
    worker->execute(action);
  }

  void hear(const herder::Event& event) {
    if (const auto* state = std::get_if<herder::TaskStateChanged>(&event)) {
      static constexpr const char* kNames[] = {"RUNNING", "PAUSED", "STOPPED", "FAILED", "RESTARTING"};
      journal.add(std::string(kNames[static_cast<int>(state->state)]) + " " + state->trace);
    } else if (std::holds_alternative<herder::TaskEnded>(event)) {
      journal.add("ended");
    } else if (const auto* asked = std::get_if<herder::OwnershipAsked>(&event)) {
      journal.add("owner?");
      if (owner_until-- == 0) superseded = "generation 8";
      execute(herder::AnswerOwnership{asked->task, asked->run, asked->request, superseded});
    }
  }

  Journal journal;
  Script script;
  FakeOffsets offsets{journal};
  FakeFencer fencer{journal};
  FakeClients clients{journal};
  FakePlugins plugins{script, journal};
  WorkerOptions options;
  std::mutex one_order;
  std::optional<std::string> superseded;
  int owner_until = 1000;  ///< so many questions are answered with "yes"
  std::unique_ptr<Worker> worker;
};

TEST_F(SourceTasks, FenceThenAskThenReadThenRunWithoutAClient) {
  offsets.table[R"(["orders",{"file":"f"}])"] = R"({"at":7})";
  start(true);
  ASSERT_TRUE(journal.wait_for("RUNNING")) << journal.text();
  EXPECT_EQ(journal.lines(),
            (std::vector<std::string>{"fence g-orders-0", "owner?", "offsets read", "task starts after 7", "RUNNING "}));
  stop();
}

TEST_F(SourceTasks, CommitRecordsAndTheLastOffsetInOneTransaction) {
  start(true);
  script.add({record("a", 1), record("b", 2)});
  ASSERT_TRUE(journal.wait_for("commit")) << journal.text();
  EXPECT_TRUE(journal.has("produce t - a"));
  EXPECT_TRUE(journal.has(R"(produce connect-offsets ["orders",{"file":"f"}] {"at":2})"));
  EXPECT_FALSE(journal.has(R"({"at":1})")) << "the last offset of a partition wins";
  EXPECT_TRUE(journal.has("commit 3"));
  stop();
}

TEST_F(SourceTasks, AskForTheOwnerBeforeAndAfterAClientTakesTheId) {
  start(true);
  ASSERT_TRUE(journal.wait_for("RUNNING")) << journal.text();
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("commit")) << journal.text();
  std::vector<std::string> after = journal.lines();
  after.erase(after.begin(), after.begin() + journal.place("RUNNING") + 1);
  ASSERT_GE(after.size(), 6U);
  EXPECT_EQ(std::vector<std::string>(after.begin(), after.begin() + 6),
            (std::vector<std::string>{"owner?", "client g-orders-0", "init", "owner?", "offsets read", "begin"}));
  stop();
}

TEST_F(SourceTasks, EndWithoutAWordWhereASuccessorRuns) {
  superseded = "generation 8";
  start(true);
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_FALSE(journal.has("RUNNING"));
  EXPECT_FALSE(journal.has("FAILED"));
  EXPECT_FALSE(journal.has("task starts"));
}

TEST_F(SourceTasks, MoveTheOffsetOfARecordThatIsDropped) {
  start(true, {{"errors.tolerance", "all"}});
  script.add({record("bad", 5)});
  ASSERT_TRUE(journal.wait_for("commit 1")) << journal.text();
  EXPECT_TRUE(journal.has(R"({"at":5})"));
  EXPECT_FALSE(journal.has("produce t"));
  stop();
}

TEST_F(SourceTasks, FailOnARecordThatCannotBeConvertedNamingTheReason) {
  start(true);
  script.add({record("bad", 5)});
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("Tolerance exceeded in error handler"));
  EXPECT_TRUE(journal.has("not this one"));
  EXPECT_TRUE(journal.wait_for("ended"));
}

TEST_F(SourceTasks, GoOnWithWhatTheStagesBeforeHaveMadeWhenOneIsTriedAgain) {
  start(true, {{"errors.retry.timeout", "10000"}, {"transforms", "x"}, {"transforms.x.type", "Exclaims"}});
  SourceRecord late = record("later", 5);
  late.key = Value("k");
  script.add({late});
  ASSERT_TRUE(journal.wait_for("commit 2")) << journal.text();
  EXPECT_TRUE(journal.has("produce t k! later")) << journal.text();
  stop();
}

TEST_F(SourceTasks, AbortAndFailWhereARecordIsNotDelivered) {
  clients.faults.delivery = Error(ErrorKind::Failed, "too large");
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_TRUE(journal.has("abort"));
  EXPECT_TRUE(journal.has("FAILED"));
  EXPECT_TRUE(journal.has("too large"));
  EXPECT_FALSE(journal.has("commit "));
}

TEST_F(SourceTasks, FailNamingAForeignProducerWhereNobodySupersededThem) {
  clients.faults.commit = TransactionFailure{.fatal = true, .fenced = true, .error = Error(ErrorKind::Fenced, "fenced")};
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("fenced"));
  EXPECT_TRUE(journal.wait_for("ended"));
}

TEST_F(SourceTasks, EndSilentlyWhereTheFencedProducerHasASuccessor) {
  clients.faults.commit = TransactionFailure{.fatal = true, .fenced = true, .error = Error(ErrorKind::Fenced, "fenced")};
  owner_until = 3;  // at the start and twice for the client, and not when the fencing was noticed
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_FALSE(journal.has("FAILED")) << journal.text();
  EXPECT_FALSE(journal.has("commit "));
}

// The next commit is ten minutes away: nobody should wait for it to hear this.
TEST_F(SourceTasks, SayThatTheirProducerWasFencedWhileTheTransactionIsStillOpen) {
  clients.faults.delivery = Error(ErrorKind::Fenced, "_FENCED");
  clients.faults.dead = TransactionFailure{.fatal = true, .fenced = true, .error = Error(ErrorKind::Fenced, "_FENCED")};
  start(true, {{"transaction.boundary", "interval"}, {"transaction.boundary.interval.ms", "600000"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("foreign producer")) << journal.text();
  EXPECT_FALSE(journal.has("commit")) << journal.text();
  const auto figures = worker->transactions()->find(kTask)->figures();
  EXPECT_EQ(figures.fenced[static_cast<std::size_t>(Fencer::ForeignProducer)], 1U);
  EXPECT_EQ(figures.aborts[static_cast<std::size_t>(AbortCause::Fenced)], 1U);
  stop();
}

TEST_F(SourceTasks, BeginAnewWhereAnOperatorAbortedTheirTransaction) {
  start(true, {{"transaction.boundary", "interval"}, {"transaction.boundary.interval.ms", "600000"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("produce t - a")) << journal.text();
  const auto transactions = worker->transactions()->find(kTask);
  transactions->expect_abort("aborted through REST");
  clients.faults.dead = TransactionFailure{.fatal = true, .fenced = true, .error = Error(ErrorKind::Fenced, "_FENCED")};
  clients.faults.delivery = Error(ErrorKind::Fenced, "_FENCED");
  script.add({record("b", 2)});
  // Until the second life has begun, the script holds the first one's context.
  ASSERT_TRUE(journal.wait_for_nth("RUNNING", 2)) << journal.text();
  clients.faults.dead = std::nullopt;
  clients.faults.delivery = std::nullopt;
  script.add({record("c", 3)});
  ASSERT_TRUE(journal.wait_for("produce t - c")) << journal.text();
  EXPECT_FALSE(journal.has("FAILED")) << journal.text();
  const auto figures = transactions->figures();
  EXPECT_EQ(figures.restarts, 1U);
  EXPECT_EQ(figures.last_restart->what, "aborted through REST");
  EXPECT_EQ(figures.aborts[static_cast<std::size_t>(AbortCause::Operator)], 1U);
  stop();
}

// A record on its way may fail at any moment, and the transaction with it: the next record is then refused without a cause.
TEST_F(SourceTasks, BeginAnewWhereTheTransactionHadFailedBeforeARecordWasOffered) {
  clients.faults.refusal = Error(ErrorKind::Conflict, "the transaction has failed already");
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for_nth("RUNNING", 2)) << journal.text();
  clients.faults.refusal = std::nullopt;
  script.add({record("b", 2)});
  ASSERT_TRUE(journal.wait_for("commit 2")) << journal.text();
  EXPECT_TRUE(journal.has("abort"));
  EXPECT_FALSE(journal.has("FAILED")) << journal.text();
  const auto figures = worker->transactions()->find(kTask)->figures();
  EXPECT_EQ(figures.restarts, 1U);
  EXPECT_EQ(figures.aborts[static_cast<std::size_t>(AbortCause::Failure)], 1U);
  stop();
}

TEST_F(SourceTasks, LearnFromTheAbortThatTheirFailedTransactionWasFencedByASuccessor) {
  clients.faults.refusal = Error(ErrorKind::Conflict, "the transaction has failed already");
  clients.faults.abort = TransactionFailure{.fatal = true, .fenced = true, .error = Error(ErrorKind::Fenced, "_FENCED")};
  owner_until = 3;  // at the start and twice for the client, and not when the fencing was noticed
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_FALSE(journal.has("FAILED")) << journal.text();
  const auto figures = worker->transactions()->find(kTask)->figures();
  EXPECT_EQ(figures.fenced[static_cast<std::size_t>(Fencer::NewerGeneration)], 1U);
  EXPECT_EQ(figures.aborts[static_cast<std::size_t>(AbortCause::Fenced)], 1U);
}

TEST_F(SourceTasks, FailWhereTheirTransactionsFailAgainAndAgain) {
  clients.faults.refusal = Error(ErrorKind::Conflict, "the transaction has failed already");
  start(true);
  for (int life = 1; life <= fencepost::exactly_once::kTimeoutRestartsMax + 1; ++life) {
    ASSERT_TRUE(journal.wait_for_nth("RUNNING", life)) << journal.text();
    script.add({record("a", 1)});
  }
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("the transaction has failed already"));
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
}

TEST_F(SourceTasks, BeginAnewWhereTheirClientDiedThoughNobodyFencedIt) {
  clients.faults.commit =
      TransactionFailure{.fatal = true, .error = Error(ErrorKind::Failed, "INVALID_TXN_STATE after a change of coordinators")};
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for_nth("RUNNING", 2)) << journal.text();
  script.add({record("b", 2)});
  ASSERT_TRUE(journal.wait_for("commit 2")) << journal.text();
  EXPECT_FALSE(journal.has("FAILED")) << journal.text();
  stop();
}

TEST_F(SourceTasks, FailAtOnceWhereTheirClientDiedOfWhatItMayNotDo) {
  clients.faults.commit = TransactionFailure{.fatal = true, .error = Error(ErrorKind::Forbidden, "not authorized")};
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("not authorized"));
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
}

TEST_F(SourceTasks, ShowTheirTransactionsOnTheBoard) {
  start(true);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("commit 2")) << journal.text();
  stop();
  const auto figures = worker->transactions()->find(kTask)->figures();
  EXPECT_EQ(figures.transactional_id, "g-orders-0");
  EXPECT_EQ(figures.commits, 1U);
  EXPECT_TRUE(figures.last_commit.has_value());
  EXPECT_FALSE(figures.running);
  EXPECT_EQ(figures.stage, TransactionStage::NoClient);
  metrics::Samples samples;
  worker->transactions()->measure(samples);
  EXPECT_NE(samples.to_prometheus().find(R"(fencepost_task_transaction_commits_total{connector="orders",task="0"} 1)"),
            std::string::npos);
}

TEST_F(SourceTasks, CommitAnOpenIntervalWhenTheyStop) {
  start(true, {{"transaction.boundary", "interval"}, {"transaction.boundary.interval.ms", "600000"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("produce t")) << journal.text();
  EXPECT_FALSE(journal.has("commit"));
  stop();
  EXPECT_TRUE(journal.has("commit 2")) << journal.text();
  EXPECT_LT(journal.place("commit 2"), journal.place("ended"));
}

TEST_F(SourceTasks, FlushOffsetsOfAcknowledgedRecordsWhenTheyStop) {
  start(false);
  script.add({record("a", 1), record("b", 2)});
  ASSERT_TRUE(journal.wait_for("produce t - b")) << journal.text();
  stop();
  EXPECT_TRUE(journal.has(R"(global ["orders",{"file":"f"}] {"at":2})")) << journal.text();
  EXPECT_FALSE(journal.has("fence"));
  EXPECT_FALSE(journal.has("begin"));
}

TEST_F(SourceTasks, FailWithThePlaceOfARecordThatTheBrokerRefuses) {
  clients.faults.delivery = Error(ErrorKind::Failed, "too large");
  start(false);
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has(R"((source partition ["orders",{"file":"f"}], offset {"at":1}))")) << journal.text();
  EXPECT_FALSE(journal.has("global"));
  EXPECT_TRUE(journal.wait_for("ended"));
}

TEST_F(SourceTasks, PassARecordThatTheBrokerRefusesWhereErrorsAreTolerated) {
  clients.faults.delivery = Error(ErrorKind::Failed, "too large");
  start(false, {{"errors.tolerance", "all"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("produce t")) << journal.text();
  stop();
  EXPECT_TRUE(journal.has(R"(global ["orders",{"file":"f"}] {"at":1})")) << journal.text();
  EXPECT_FALSE(journal.has("FAILED"));
}

TEST_F(SourceTasks, ShowThePluginsExceptionAsTheirTrace) {
  script.throws = true;
  start(true);
  ASSERT_TRUE(journal.wait_for("FAILED org.apache.kafka.connect.errors.ConnectException: the disk is gone")) << journal.text();
  EXPECT_TRUE(journal.wait_for("ended"));
}

TEST_F(SourceTasks, FailWhereTheConnectorWantsOneTransactionCommittedAndAborted) {
  script.ends_transactions = [](TransactionContext& transactions) {
    transactions.commit_transaction();
    transactions.abort_transaction();
  };
  start(true, {{"transaction.boundary", "connector"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_TRUE(journal.has("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("Connector requested both commit and abort of same transaction")) << journal.text();
  EXPECT_FALSE(journal.has("produce t"));
}

TEST_F(SourceTasks, FailWhereTheConnectorWantsBothEndsAfterOneRecordNamingItsPlace) {
  script.ends_transactions = [](TransactionContext& transactions) {
    transactions.commit_transaction_after(0);
    transactions.commit_transaction_after(1);
    transactions.abort_transaction_after(1);
  };
  start(true, {{"transaction.boundary", "connector"}});
  script.add({record("a", 1), record("b", 2)});
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_TRUE(journal.has("Connector requested both commit and abort of same record against topic/partition t/null"))
      << journal.text();
  EXPECT_FALSE(journal.has("produce t"));
}

TEST_F(SourceTasks, StayFailedThoughTheConnectorLeftATransactionOpen) {
  start(true, {{"transaction.boundary", "connector"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("produce t - a")) << journal.text();
  {
    const std::lock_guard lock(script.mutex);
    script.throws = true;
    script.context->wake_up();
  }
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_TRUE(journal.has("FAILED"));
  EXPECT_TRUE(journal.has("abort"));
  const auto lines = journal.lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "task starts anew"), 1) << journal.text();
}

TEST_F(SourceTasks, MayNotWriteToTheirOwnOffsetsTopic) {
  start(true);
  SourceRecord bad = record("a", 1);
  bad.topic = "connect-offsets";
  script.add({bad});
  ASSERT_TRUE(journal.wait_for("ended")) << journal.text();
  EXPECT_TRUE(journal.has("Source tasks may not produce to their own offsets topics when exactly-once support is enabled"))
      << journal.text();
  EXPECT_TRUE(journal.has("FAILED"));
  EXPECT_FALSE(journal.has("produce connect-offsets - a"));
}

TEST_F(SourceTasks, FailAtOnceWhereTheTransactionTimeoutIsRefused) {
  clients.faults.init = Error(ErrorKind::InvalidConfig, "transaction.timeout.ms=3600000 is above transaction.max.timeout.ms");
  start(true, {{"producer.override.transaction.timeout.ms", "3600000"}});
  ASSERT_TRUE(journal.wait_for("FAILED")) << journal.text();
  EXPECT_TRUE(journal.has("transaction.max.timeout.ms"));
  EXPECT_FALSE(journal.has("RUNNING"));
}

TEST_F(SourceTasks, PauseAndGoOnWithWhatCameMeanwhile) {
  start(true);
  ASSERT_TRUE(journal.wait_for("RUNNING"));
  execute(herder::ChangeTaskTarget{kTask, RunId{1}, herder::TargetState::Paused});
  ASSERT_TRUE(journal.wait_for("PAUSED")) << journal.text();
  script.add({record("a", 1)});
  EXPECT_FALSE(journal.has("produce"));
  execute(herder::ChangeTaskTarget{kTask, RunId{1}, herder::TargetState::Started});
  ASSERT_TRUE(journal.wait_for("commit")) << journal.text();
  stop();
}

TEST_F(SourceTasks, LeaveWhatIsOfferedToTheNextRunWhileANewPlanIsOnItsWay) {
  start(true);
  ASSERT_TRUE(journal.wait_for("RUNNING")) << journal.text();
  execute(herder::HoldTask{kTask, RunId{1}});
  script.add({record("a", 1)});
  stop();
  EXPECT_FALSE(journal.has("produce")) << journal.text();
}

TEST_F(SourceTasks, GoOnWhereNoNewPlanComes) {
  start(true);
  ASSERT_TRUE(journal.wait_for("RUNNING")) << journal.text();
  execute(herder::HoldTask{kTask, RunId{1}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("commit")) << journal.text();
  stop();
}

TEST_F(SourceTasks, WriteToTheConnectorsOwnTopicAndCopyToTheGlobalOne) {
  start(true, {{"offsets.storage.topic", "own"}});
  script.add({record("a", 3)});
  ASSERT_TRUE(journal.wait_for("global ")) << journal.text();
  EXPECT_TRUE(journal.has("create topic own"));
  EXPECT_TRUE(journal.has(R"(produce own ["orders",{"file":"f"}] {"at":3})"));
  EXPECT_LT(journal.place("commit"), journal.place("global "));
  stop();
}

TEST_F(SourceTasks, WaitForAnOffsetsTopicThatWasMadeAndIsNotVisibleYet) {
  clients.not_visible_yet = true;
  start(true, {{"offsets.storage.topic", "own"}});
  ASSERT_TRUE(journal.wait_for("RUNNING")) << journal.text();
  EXPECT_FALSE(journal.has("FAILED"));
  stop();
}

TEST_F(SourceTasks, KeepOffsetsInTheWorkersTopicWithoutExactlyOnceWhateverTheTarget) {
  start(false, {{"producer.override.bootstrap.servers", "elsewhere:1"}});
  script.add({record("a", 1)});
  ASSERT_TRUE(journal.wait_for("produce t")) << journal.text();
  stop();
  EXPECT_TRUE(journal.has("global ")) << journal.text();
  EXPECT_FALSE(journal.has("create topic"));
}

}  // namespace
}  // namespace fencepost::runtime::test
