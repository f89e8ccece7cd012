#include "daemon/transactions.h"

#include <gtest/gtest.h>

namespace fencepost::daemon {
namespace {

TEST(TransactionalId, BelongsToAConnectorOnlyAsTheIdOfOneOfItsTasks) {
  EXPECT_EQ(task_of_transactional_id("g-c-0", "g", "c"), 0);
  EXPECT_EQ(task_of_transactional_id("g-c-12", "g", "c"), 12);
  // Of connector "c-1", though it begins with this connector's name.
  EXPECT_EQ(task_of_transactional_id("g-c-1-0", "g", "c"), std::nullopt);
  EXPECT_EQ(task_of_transactional_id("g-c-1-0", "g", "c-1"), 0);
  for (const char* other : {"g-c-", "g-c", "g-c--1", "g-c-01", "g-c-x", "g-c-99999999999", "h-c-0", "connect-cluster-g", ""}) {
    EXPECT_EQ(task_of_transactional_id(other, "g", "c"), std::nullopt) << other;
  }
}

}  // namespace
}  // namespace fencepost::daemon
