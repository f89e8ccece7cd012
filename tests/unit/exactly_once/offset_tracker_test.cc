#include "exactly_once/offset_tracker.h"

#include <gtest/gtest.h>

namespace fencepost::exactly_once {
namespace {

using Offsets = std::map<std::string, std::optional<std::string>>;

TEST(OffsetTracker, CommitsUpToTheFirstRecordWithoutAnAcknowledgement) {
  OffsetTracker tracker;
  const auto p = tracker.partition("p");
  const auto a = tracker.submit(p, "1");
  const auto b = tracker.submit(p, "2");
  const auto c = tracker.submit(p, "3");
  tracker.acknowledge(c);
  tracker.acknowledge(a);
  const auto first = tracker.take_committable();
  EXPECT_EQ(first.offsets, (Offsets{{"p", "1"}}));
  EXPECT_EQ(first.acknowledged, 1U);
  EXPECT_EQ(first.waiting, 2U);
  EXPECT_EQ(first.longest_queue, "p");
  tracker.acknowledge(b);
  EXPECT_EQ(tracker.take_committable().offsets, (Offsets{{"p", "3"}}));
  EXPECT_EQ(tracker.take_committable().offsets, Offsets{});
}

TEST(OffsetTracker, KeepsPartitionsApart) {
  OffsetTracker tracker;
  const auto a = tracker.submit(tracker.partition("a"), "1");
  const auto b = tracker.submit(tracker.partition("b"), "7");
  (void)a;
  tracker.acknowledge(b);
  EXPECT_EQ(tracker.partition("a"), a.partition);
  EXPECT_EQ(tracker.take_committable().offsets, (Offsets{{"b", "7"}}));
  EXPECT_EQ(tracker.in_flight(), 1U);
}

TEST(OffsetTracker, AWithdrawnRecordHoldsNothingUpAndMovesNothing) {
  OffsetTracker tracker;
  const auto p = tracker.partition("p");
  const auto a = tracker.submit(p, "1");
  const auto b = tracker.submit(p, "2");
  tracker.acknowledge(a);
  tracker.withdraw(b);
  EXPECT_EQ(tracker.take_committable().offsets, (Offsets{{"p", "1"}}));
  const auto again = tracker.submit(p, "2");
  tracker.acknowledge(again);
  EXPECT_EQ(tracker.take_committable().offsets, (Offsets{{"p", "2"}}));
}

TEST(OffsetTracker, OffersOffsetsAgainWhoseCommitFailedUnlessNewerOnesCame) {
  OffsetTracker tracker;
  const auto a = tracker.partition("a");
  const auto b = tracker.partition("b");
  tracker.acknowledge(tracker.submit(a, "1"));
  tracker.acknowledge(tracker.submit(b, "1"));
  tracker.restore(tracker.take_committable());
  tracker.acknowledge(tracker.submit(a, "2"));
  EXPECT_EQ(tracker.take_committable().offsets, (Offsets{{"a", "2"}, {"b", "1"}}));
}

TEST(OffsetTracker, ANullOffsetIsATombstone) {
  OffsetTracker tracker;
  tracker.acknowledge(tracker.submit(tracker.partition("a"), std::nullopt));
  EXPECT_EQ(tracker.take_committable().offsets, (Offsets{{"a", std::nullopt}}));
}

TEST(TransactionOffsets, TheLastOffsetOfAPartitionWins) {
  TransactionOffsets offsets;
  offsets.put("a", "1");
  offsets.put("b", "1");
  offsets.put("a", "2");
  EXPECT_EQ(offsets.offsets(), (Offsets{{"a", "2"}, {"b", "1"}}));
  offsets.clear();
  EXPECT_TRUE(offsets.empty());
}

}  // namespace
}  // namespace fencepost::exactly_once
