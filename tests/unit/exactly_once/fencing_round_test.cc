#include "exactly_once/fencing_round.h"

#include <gtest/gtest.h>

namespace fencepost::exactly_once {
namespace {

FencingFacts facts(std::optional<std::int32_t> record, std::int32_t tasks, std::int64_t generation = 5) {
  return {.exists = true,
          .is_source = true,
          .pending = true,
          .task_count_record = record,
          .tasks = tasks,
          .task_config_generation = generation};
}

std::optional<ErrorKind> failure_of(const FencingActions& actions) {
  if (actions.size() != 1) return std::nullopt;
  const auto* finish = std::get_if<FinishFencing>(&actions.front());
  return finish && finish->error ? std::optional(finish->error->kind()) : std::nullopt;
}

TEST(FencingRound, FencesAllIdsOfTheRecordThenWritesTheNewCount) {
  FencingRound round("orders");
  EXPECT_EQ(round.apply(FenceAsked{}), FencingActions{ReadLogToEnd{}});
  EXPECT_EQ(round.apply(LogEndKnown{facts(3, 5)}), FencingActions{FenceIds{3}});
  EXPECT_EQ(round.doing(), "fencing orders (3 transactional ids)");
  EXPECT_EQ(round.apply(IdsFenced{}), FencingActions{ReadLogToEnd{}});
  EXPECT_EQ(round.apply(LogEndKnown{facts(3, 5)}), FencingActions{WriteTaskCount{5}});
  EXPECT_EQ(round.apply(TaskCountWritten{}), FencingActions{FinishFencing{}});
  EXPECT_TRUE(round.over());
}

TEST(FencingRound, AnswersAtOnceWhenNothingIsPending) {
  FencingRound round("orders");
  (void)round.apply(FenceAsked{});
  auto f = facts(3, 3);
  f.pending = false;
  EXPECT_EQ(round.apply(LogEndKnown{f}), FencingActions{FinishFencing{}});
}

TEST(FencingRound, OnlyWritesTheRecordWhereNobodyElseCanBeAlive) {
  for (const auto& f : {facts(std::nullopt, 1), facts(1, 1), facts(0, 1), facts(0, 0), facts(std::nullopt, 0)}) {
    FencingRound round("orders");
    (void)round.apply(FenceAsked{});
    EXPECT_EQ(round.apply(LogEndKnown{f}), FencingActions{WriteTaskCount{f.tasks}});
    EXPECT_EQ(round.apply(TaskCountWritten{}), FencingActions{FinishFencing{}});
  }
}

// A leader may have ordered a change of offsets under that id while there was no task, and be late to write it.
TEST(FencingRound, FencesTheFirstIdBeforeManyTasksWhereThereWereNone) {
  for (const auto& f : {facts(std::nullopt, 4), facts(0, 4)}) {
    FencingRound round("orders");
    (void)round.apply(FenceAsked{});
    EXPECT_EQ(round.apply(LogEndKnown{f}), FencingActions{FenceIds{1}});
    EXPECT_EQ(round.apply(IdsFenced{}), FencingActions{ReadLogToEnd{}});
    EXPECT_EQ(round.apply(LogEndKnown{f}), FencingActions{WriteTaskCount{4}});
  }
}

TEST(FencingRound, FencesTheOneTaskBeforeItBecomesMany) {
  FencingRound round("orders");
  (void)round.apply(FenceAsked{});
  EXPECT_EQ(round.apply(LogEndKnown{facts(1, 2)}), FencingActions{FenceIds{1}});
}

TEST(FencingRound, IsAConflictWhenTaskConfigsWereWrittenMeanwhile) {
  FencingRound round("orders");
  (void)round.apply(FenceAsked{});
  (void)round.apply(LogEndKnown{facts(3, 3, 5)});
  (void)round.apply(IdsFenced{});
  EXPECT_EQ(failure_of(round.apply(LogEndKnown{facts(3, 4, 6)})), ErrorKind::Conflict);
}

TEST(FencingRound, RefusesWhatDoesNotExistOrIsNoSource) {
  FencingRound gone("orders");
  (void)gone.apply(FenceAsked{});
  EXPECT_EQ(failure_of(gone.apply(LogEndKnown{})), ErrorKind::NotFound);
  FencingRound sink("orders");
  (void)sink.apply(FenceAsked{});
  auto f = facts(1, 2);
  f.is_source = false;
  EXPECT_EQ(failure_of(sink.apply(LogEndKnown{f})), ErrorKind::InvalidConfig);
}

TEST(FencingRound, HandsOnTheFailureOfAStepAndIsOver) {
  FencingRound round("orders");
  (void)round.apply(FenceAsked{});
  (void)round.apply(LogEndKnown{facts(3, 3)});
  const Error error(ErrorKind::Timeout, "no coordinator");
  EXPECT_EQ(round.apply(FencingFailed{error}), FencingActions{FinishFencing{error}});
  EXPECT_EQ(round.apply(IdsFenced{}), FencingActions{});
}

}  // namespace
}  // namespace fencepost::exactly_once
