#include "metrics/samples.h"

#include <gtest/gtest.h>

#include <set>

namespace fencepost::metrics {
namespace {

TEST(Catalog, NamesAreUniqueSayTheirUnitAndAreExplained) {
  std::set<std::string_view> names;
  for (const Metric& metric : catalog()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(metric.name.starts_with("fencepost_") || metric.name.starts_with("kafka_")) << metric.name;
    EXPECT_EQ(metric.type == Type::Counter, metric.name.ends_with("_total")) << metric.name;
    EXPECT_FALSE(metric.help.empty()) << metric.name;
  }
}

TEST(Samples, AreWrittenAsPrometheusReadsThem) {
  Samples samples;
  samples.add(Id::TransactionAborts, {{"connector", "a"}, {"reason", "timeout"}}, 2);
  samples.add(Id::TransactionOpenSeconds, {{"connector", "a"}}, 0.25);
  samples.add(Id::TransactionAborts, {{"connector", "b"}, {"reason", "timeout"}}, 0);
  const std::string text = samples.to_prometheus();
  EXPECT_EQ(text,
            "# HELP fencepost_task_transaction_open_seconds How long the task's transaction has been open; 0 while none is.\n"
            "# TYPE fencepost_task_transaction_open_seconds gauge\n"
            "fencepost_task_transaction_open_seconds{connector=\"a\"} 0.25\n"
            "# HELP fencepost_task_transaction_aborts_total Transactions of the task that were aborted, by reason.\n"
            "# TYPE fencepost_task_transaction_aborts_total counter\n"
            "fencepost_task_transaction_aborts_total{connector=\"a\",reason=\"timeout\"} 2\n"
            "fencepost_task_transaction_aborts_total{connector=\"b\",reason=\"timeout\"} 0\n");
}

// A connector's name is the user's; none may end a line or a label early.
TEST(Samples, EscapeWhatUsersNamed) {
  Samples samples;
  samples.add(Id::TransactionCommits, {{"connector", "a\"b\\c\nd"}}, 1);
  EXPECT_NE(samples.to_prometheus().find(R"({connector="a\"b\\c\nd"} 1)"), std::string::npos) << samples.to_prometheus();
}

}  // namespace
}  // namespace fencepost::metrics
