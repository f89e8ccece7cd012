#include "exactly_once/source_task_start.h"

#include <gtest/gtest.h>

namespace fencepost::exactly_once {
namespace {

const Error kTimeout(ErrorKind::Timeout, "no answer from the coordinator within 30 s");
const Error kFenced(ErrorKind::Fenced, "the epoch is no longer ours");
const Error kRefused(ErrorKind::InvalidConfig, "transaction.timeout.ms is above transaction.max.timeout.ms");

TEST(SourceTaskStart, FencesThenAsksThenReadsOffsetsThenPolls) {
  SourceTaskStart start;
  EXPECT_EQ(start.apply(StartOrdered{}), StartActions{FenceOwnId{}});
  EXPECT_EQ(start.apply(StepDone{}), StartActions{AskOwnership{}});
  EXPECT_EQ(start.apply(OwnershipAnswered{}), StartActions{LoadOffsets{}});
  EXPECT_FALSE(start.over());
  EXPECT_EQ(start.apply(StepDone{}), StartActions{StartPolling{}});
  EXPECT_TRUE(start.over());
}

// A zombie that was paused between fencing and init_transactions must not start over its successor.
TEST(SourceTaskStart, GivesUpSilentlyWhenSupersededWhileItFenced) {
  SourceTaskStart start;
  (void)start.apply(StartOrdered{});
  (void)start.apply(StepDone{});
  EXPECT_EQ(start.apply(OwnershipAnswered{"newer task configs"}), StartActions{AbandonStart{"newer task configs"}});
  EXPECT_EQ(start.apply(StepDone{}), StartActions{});
}

TEST(SourceTaskStart, RepeatsAStepThatMaySucceedLater) {
  SourceTaskStart start;
  (void)start.apply(StartOrdered{});
  EXPECT_EQ(start.apply(StepFailed{kTimeout}), StartActions{FenceOwnId{}});
  (void)start.apply(StepDone{});
  (void)start.apply(OwnershipAnswered{});
  EXPECT_EQ(start.apply(StepFailed{kTimeout}), StartActions{LoadOffsets{}});
  EXPECT_EQ(start.apply(StepDone{}), StartActions{StartPolling{}});
}

TEST(SourceTaskStart, FailsAfterABoundedNumberOfAttempts) {
  SourceTaskStart start;
  (void)start.apply(StartOrdered{});
  for (int i = 1; i < kStartAttemptsMax; ++i) EXPECT_EQ(start.apply(StepFailed{kTimeout}), StartActions{FenceOwnId{}});
  EXPECT_EQ(start.apply(StepFailed{kTimeout}), StartActions{FailStart{kTimeout}});
}

// No retry where the broker refuses the settings.
TEST(SourceTaskStart, FailsAtOnceWhereRepeatingIsPointless) {
  SourceTaskStart start;
  (void)start.apply(StartOrdered{});
  EXPECT_EQ(start.apply(StepFailed{kRefused}), StartActions{FailStart{kRefused}});
}

// A fight for the id ends, one way or the other.
TEST(SourceTaskStart, AsksWhoOwnsTheTaskWhenItIsFencedWhileFencing) {
  SourceTaskStart start;
  (void)start.apply(StartOrdered{});
  EXPECT_EQ(start.apply(StepFailed{kFenced}), StartActions{AskOwnership{}});
  EXPECT_EQ(start.apply(OwnershipAnswered{}), StartActions{FenceOwnId{}});
  EXPECT_EQ(start.apply(StepFailed{kFenced}), StartActions{AskOwnership{}});
  EXPECT_EQ(start.apply(OwnershipAnswered{"worker-b"}), StartActions{AbandonStart{"worker-b"}});
}

TEST(SourceTaskStart, IsGivenUpWhenTheTaskIsStopped) {
  SourceTaskStart start;
  (void)start.apply(StartOrdered{});
  EXPECT_EQ(start.apply(StopOrdered{}), StartActions{AbandonStart{"stopped while starting"}});
  EXPECT_TRUE(start.over());
}

TEST(FirstBatch, BeginsBetweenTwoChecksAndWithUnchangedOffsets) {
  FirstBatch batch;
  EXPECT_EQ(batch.apply(StartOrdered{}), StartActions{AskOwnership{}});
  EXPECT_EQ(batch.apply(OwnershipAnswered{}), StartActions{InitProducer{}});
  EXPECT_EQ(batch.apply(StepDone{}), StartActions{AskOwnership{}});
  EXPECT_EQ(batch.apply(OwnershipAnswered{}), StartActions{CompareOffsets{}});
  EXPECT_EQ(batch.apply(OffsetsCompared{true}), StartActions{BeginTransaction{}});
}

TEST(FirstBatch, OfAStaleTaskDoesNotFenceItsSuccessor) {
  FirstBatch batch;
  (void)batch.apply(StartOrdered{});
  EXPECT_EQ(batch.apply(OwnershipAnswered{"generation 14"}), StartActions{AbandonStart{"generation 14"}});
}

// This worker was paused past its session and does not know it: both checks pass, only the offsets tell.
TEST(FirstBatch, IsThrownAwayWhenAnotherRunCommittedMeanwhile) {
  FirstBatch batch;
  (void)batch.apply(StartOrdered{});
  (void)batch.apply(OwnershipAnswered{});
  (void)batch.apply(StepDone{});
  (void)batch.apply(OwnershipAnswered{});
  EXPECT_EQ(batch.apply(OffsetsCompared{false}),
            StartActions{StartAnew{"another run of this task committed offsets while this one was idle"}});
}

TEST(FirstBatch, RepeatsWhatMaySucceedLaterAndAsksAgainAfterBeingFenced) {
  FirstBatch batch;
  (void)batch.apply(StartOrdered{});
  (void)batch.apply(OwnershipAnswered{});
  EXPECT_EQ(batch.apply(StepFailed{kTimeout}), StartActions{InitProducer{}});
  EXPECT_EQ(batch.apply(StepFailed{kFenced}), StartActions{AskOwnership{}});
  EXPECT_EQ(batch.apply(OwnershipAnswered{}), StartActions{InitProducer{}});
  EXPECT_EQ(batch.apply(StepFailed{kRefused}), StartActions{FailStart{kRefused}});
}

}  // namespace
}  // namespace fencepost::exactly_once
