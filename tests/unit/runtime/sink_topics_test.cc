#include "runtime/sink_topics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fencepost::runtime {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Steady::time_point kNow{1h};

TEST(TopicsOfASink, AreThoseThatAreNamed) {
  const auto topics = SinkTopics::of({{"topics", " a ,b"}}, {});
  ASSERT_TRUE(topics);
  EXPECT_THAT(topics->names(), ElementsAre("a", "b"));
  EXPECT_EQ(topics->next_listing(), std::nullopt);
}

TEST(TopicsOfASink, AreMatchedAsJavaReadsTheExpressionAndWhole) {
  auto topics = SinkTopics::of({{"topics.regex", R"(orders-\d+|(?i)PAY\w*?)"}}, {});
  ASSERT_TRUE(topics) << topics.error().message();
  EXPECT_THAT(topics->names(), IsEmpty());
  ASSERT_TRUE(topics->next_listing());
  EXPECT_LE(*topics->next_listing(), kNow);
  topics->listing_begun();
  EXPECT_EQ(topics->next_listing(), std::nullopt);
  EXPECT_TRUE(topics->listed({"payments", "orders-12", "orders-d", "my-orders-1", "orders-1-x"}, kNow));
  EXPECT_THAT(topics->names(), ElementsAre("orders-12", "payments"));
  EXPECT_EQ(topics->next_listing(), kNow + 5min) << "as often as Java's consumers refresh their metadata";
}

TEST(TopicsOfASink, ComeAndGoWithTheClusters) {
  auto topics = SinkTopics::of({{"topics.regex", "t.*"}}, {{"metadata.max.age.ms", "1000"}});
  ASSERT_TRUE(topics);
  EXPECT_TRUE(topics->listed({"t1", "x"}, kNow));
  EXPECT_EQ(topics->next_listing(), kNow + 1s);
  EXPECT_FALSE(topics->listed({"y", "t1"}, kNow)) << "what does not match changes nothing";
  EXPECT_TRUE(topics->listed({"t1", "t2"}, kNow));
  EXPECT_TRUE(topics->listed({"t2"}, kNow));
  EXPECT_THAT(topics->names(), ElementsAre("t2"));
  topics->listing_failed(kNow);
  EXPECT_THAT(topics->names(), ElementsAre("t2"));
}

TEST(TopicsOfASink, LeaveBrokersInternalOnesOutUnlessTheyAreAskedFor) {
  auto topics = SinkTopics::of({{"topics.regex", ".*"}}, {});
  (void)topics->listed({"__consumer_offsets", "__mine", "a"}, kNow);
  EXPECT_THAT(topics->names(), ElementsAre("__mine", "a"));
  topics = SinkTopics::of({{"topics.regex", ".*"}}, {{"exclude.internal.topics", "false"}});
  (void)topics->listed({"__consumer_offsets", "a"}, kNow);
  EXPECT_THAT(topics->names(), ElementsAre("__consumer_offsets", "a"));
}

TEST(TopicsOfASink, RefuseAnExpressionThatCannotBeRead) {
  const auto topics = SinkTopics::of({{"topics.regex", "a("}}, {});
  ASSERT_FALSE(topics);
  EXPECT_THAT(topics.error().message(), HasSubstr("topics.regex"));
}

}  // namespace
}  // namespace fencepost::runtime
