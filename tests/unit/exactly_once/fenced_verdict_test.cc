#include "exactly_once/fenced_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fencepost::exactly_once {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

FencedFacts facts() {
  FencedFacts f;
  f.transactional_id = "connect-orders-0";
  f.open_for = seconds(5);
  f.transaction_timeout = seconds(60);
  f.slowest_poll = seconds(1);
  return f;
}

TEST(FencedVerdict, ASupersededTaskEndsSilentlyWhateverElseIsTrue) {
  auto f = facts();
  f.open_for = seconds(75);
  f.superseded = "worker-b, generation 14";
  EXPECT_EQ(judge_fenced(f), FencedVerdict(EndSilently{"fenced by a newer generation: worker-b, generation 14"}));
}

TEST(FencedVerdict, ATimedOutTransactionOfTheOwnerIsRepeatedABoundedNumberOfTimes) {
  auto f = facts();
  f.open_for = seconds(75);
  f.slowest_poll = seconds(74);
  const auto verdict = judge_fenced(f);
  ASSERT_TRUE(std::holds_alternative<RestartFromCommitted>(verdict));
  EXPECT_THAT(std::get<RestartFromCommitted>(verdict).note,
              HasSubstr("timed out after 60 s (it was open for 75 s, its longest poll took 74 s"));
  f.restarts = kTimeoutRestartsMax;
  const auto last = judge_fenced(f);
  ASSERT_TRUE(std::holds_alternative<FailTask>(last));
  EXPECT_THAT(std::get<FailTask>(last).trace, HasSubstr("raise transaction.timeout.ms"));
}

TEST(FencedVerdict, AStrangerWithTheSameIdFailsTheTask) {
  for (const auto& open : {std::optional<Duration>(seconds(5)), std::optional<Duration>()}) {
    auto f = facts();
    f.open_for = open;
    const auto verdict = judge_fenced(f);
    ASSERT_TRUE(std::holds_alternative<FailTask>(verdict));
    EXPECT_THAT(std::get<FailTask>(verdict).trace, HasSubstr("fenced by a foreign producer"));
    EXPECT_THAT(std::get<FailTask>(verdict).trace, HasSubstr("connect-orders-0"));
  }
}

// A worker of the group that was paused, and led or owned the task before, goes on fencing when it wakes.
TEST(FencedVerdict, AFenceThatAnotherWorkerMayHaveSentLateIsSurvivedAFewTimesAndNoMore) {
  auto f = facts();
  f.late_fence_possible = true;
  const auto verdict = judge_fenced(f);
  ASSERT_TRUE(std::holds_alternative<RestartFromCommitted>(verdict));
  EXPECT_TRUE(std::get<RestartFromCommitted>(verdict).late_fence);
  EXPECT_THAT(std::get<RestartFromCommitted>(verdict).note, HasSubstr("connect-orders-0 was taken by another client"));
  EXPECT_THAT(std::get<RestartFromCommitted>(verdict).note, HasSubstr("1 of at most 3 times within 600 s"));
  f.late_fences = kLateFencesMax;
  const auto last = judge_fenced(f);
  ASSERT_TRUE(std::holds_alternative<FailTask>(last));
  EXPECT_THAT(std::get<FailTask>(last).trace, HasSubstr("fenced by a foreign producer"));
}

TEST(LateFences, AreCountedWithinTheirTime) {
  LateFences late;
  EXPECT_EQ(late.count(seconds(0)), 0);
  late.add(seconds(10));
  late.add(seconds(20));
  EXPECT_EQ(late.count(seconds(30)), 2);
  EXPECT_EQ(late.count(seconds(10) + kLateFencesWithin), 1);
  EXPECT_EQ(late.count(seconds(20) + kLateFencesWithin), 0);
}

}  // namespace
}  // namespace fencepost::exactly_once
