#include "exactly_once/transaction_boundary.h"

#include <gtest/gtest.h>

namespace fencepost::exactly_once {
namespace {

using std::chrono::milliseconds;
const Time kStart{milliseconds(1'000'000)};

TransactionBoundary boundary(Boundary kind, int interval_ms = 0) { return {kind, milliseconds(interval_ms), kStart}; }

TEST(TransactionBoundary, PollCommitsEachBatch) {
  auto b = boundary(Boundary::Poll);
  EXPECT_EQ(b.on_batch({.records = 3, .on_record = {}, .on_batch = {}}, kStart), (Steps{Begin{}, Send{0, 3}, Commit{}}));
  EXPECT_EQ(b.on_batch({}, kStart), Steps{});
  EXPECT_FALSE(b.open());
  EXPECT_EQ(b.on_end(), Steps{});
}

TEST(TransactionBoundary, IntervalCommitsWhenItIsOverEvenWithoutNewRecords) {
  auto b = boundary(Boundary::Interval, 100);
  EXPECT_EQ(b.next_commit(), std::nullopt);
  EXPECT_EQ(b.on_batch({.records = 2, .on_record = {}, .on_batch = {}}, kStart + milliseconds(10)), (Steps{Begin{}, Send{0, 2}}));
  EXPECT_EQ(b.next_commit(), kStart + milliseconds(100));
  EXPECT_EQ(b.on_batch({}, kStart + milliseconds(99)), Steps{});
  EXPECT_EQ(b.on_batch({}, kStart + milliseconds(100)), Steps{Commit{}});
  EXPECT_EQ(b.on_batch({.records = 1, .on_record = {}, .on_batch = {}}, kStart + milliseconds(199)),
            (Steps{Begin{}, Send{0, 1}}));
  EXPECT_EQ(b.on_batch({.records = 1, .on_record = {}, .on_batch = {}}, kStart + milliseconds(200)),
            (Steps{Send{0, 1}, Commit{}}));
}

TEST(TransactionBoundary, IntervalCommitsWhatIsOpenWhenTheTaskIsPausedOrStops) {
  auto b = boundary(Boundary::Interval, 60'000);
  (void)b.on_batch({.records = 1, .on_record = {}, .on_batch = {}}, kStart);
  EXPECT_EQ(b.on_end(), Steps{Commit{}});
  EXPECT_EQ(b.on_end(), Steps{});
}

TEST(TransactionBoundary, ConnectorCommitsWhereItSays) {
  auto b = boundary(Boundary::Connector);
  EXPECT_EQ(b.on_batch({.records = 2, .on_record = {}, .on_batch = {}}, kStart), (Steps{Begin{}, Send{0, 2}}));
  EXPECT_EQ(b.on_batch({.records = 4, .on_record = {{1, BoundaryRequest::Commit}}, .on_batch = {}}, kStart),
            (Steps{Send{0, 2}, Commit{}, Begin{}, Send{2, 4}}));
  EXPECT_EQ(b.on_batch({.records = 1, .on_record = {}, .on_batch = BoundaryRequest::Commit}, kStart),
            (Steps{Send{0, 1}, Commit{}}));
  EXPECT_EQ(b.on_batch({.records = 0, .on_record = {}, .on_batch = BoundaryRequest::Commit}, kStart), Steps{});
}

TEST(TransactionBoundary, ConnectorMayAbortAndTheOffsetsOfTheAbortedMoveOn) {
  auto b = boundary(Boundary::Connector);
  EXPECT_EQ(b.on_batch({.records = 3, .on_record = {{1, BoundaryRequest::Abort}}, .on_batch = BoundaryRequest::Commit}, kStart),
            (Steps{Begin{}, Send{0, 2}, Abort{}, Begin{}, Commit{}, Begin{}, Send{2, 3}, Commit{}}));
}

TEST(TransactionBoundary, AnOpenTransactionOfTheConnectorIsTakenBackAtTheEnd) {
  auto b = boundary(Boundary::Connector);
  (void)b.on_batch({.records = 1, .on_record = {}, .on_batch = {}}, kStart);
  EXPECT_EQ(b.on_end(), Steps{AbortAndRewind{}});
  EXPECT_FALSE(b.open());
}

TEST(TransactionBoundary, OutOfRangeRequestsOfAConnectorAreIgnored) {
  auto b = boundary(Boundary::Connector);
  EXPECT_EQ(b.on_batch({.records = 1, .on_record = {{7, BoundaryRequest::Commit}}, .on_batch = {}}, kStart),
            (Steps{Begin{}, Send{0, 1}}));
}

TEST(TransactionBoundary, BeginsAnewAfterALostTransaction) {
  auto b = boundary(Boundary::Interval, 100);
  (void)b.on_batch({.records = 1, .on_record = {}, .on_batch = {}}, kStart);
  b.on_lost();
  EXPECT_EQ(b.on_batch({.records = 1, .on_record = {}, .on_batch = {}}, kStart), (Steps{Begin{}, Send{0, 1}}));
}

TEST(RequestsOfAPoll, ComeByTheOrderOfTheRecordsWhateverTheOrderOfAsking) {
  BoundaryRequests requests;
  requests.after_record(3, BoundaryRequest::Abort);
  requests.after_record(1, BoundaryRequest::Commit);
  requests.after_record(1, BoundaryRequest::Commit);
  requests.after_batch(BoundaryRequest::Abort);
  BatchPolled expected;
  expected.on_record = {{1, BoundaryRequest::Commit}, {3, BoundaryRequest::Abort}};
  expected.on_batch = BoundaryRequest::Abort;
  EXPECT_EQ(std::get<BatchPolled>(requests.take()), expected);
  EXPECT_EQ(std::get<BatchPolled>(requests.take()), BatchPolled{}) << "each is taken once";
}

TEST(RequestsOfAPoll, ThatContradictOneAnotherAreNoChoiceOfOurs) {
  BoundaryRequests requests;
  requests.after_batch(BoundaryRequest::Commit);
  requests.after_batch(BoundaryRequest::Abort);
  EXPECT_EQ(std::get<ContradictingRequests>(requests.take()), ContradictingRequests{});
  requests.after_record(2, BoundaryRequest::Abort);
  requests.after_record(2, BoundaryRequest::Commit);
  EXPECT_EQ(std::get<ContradictingRequests>(requests.take()), ContradictingRequests{2});
}

}  // namespace
}  // namespace fencepost::exactly_once
