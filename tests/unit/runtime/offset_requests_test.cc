#include "runtime/offset_requests.h"

#include <gtest/gtest.h>

#include "fakes.h"

namespace fencepost::runtime::test {
namespace {

class OffsetRequests : public ::testing::Test {
 protected:
  OffsetRequests() { options.worker = {{"bootstrap.servers", "b:1"}}; }
  WorkerPorts ports() { return {&offsets, &fencer, &plugins, &clients, {}}; }
  Result<std::string> change(std::optional<std::string> json) {
    return change_offsets(options, ports(), Log(), "orders", {{"connector.class", "Scripted"}}, std::move(json), may_change());
  }
  MayChange may_change() {
    return [this]() -> Result<void> {
      journal.add("may it");
      if (refused) return Failure(*refused);
      return {};
    };
  }

  Journal journal;
  Script script;
  FakeOffsets offsets{journal};
  FakeFencer fencer{journal};
  FakeClients clients{journal};
  FakePlugins plugins{script, journal};
  WorkerOptions options;
  std::optional<Error> refused;
};

TEST_F(OffsetRequests, ShowASourcesPartitionsAndOffsets) {
  offsets.table[R"(["orders",{"file":"f"}])"] = R"({"at":7})";
  EXPECT_EQ(read_offsets(options, ports(), Log(), "orders", {{"connector.class", "Scripted"}}),
            R"([{"partition":{"file":"f"},"offset":{"at":7}}])");
}

TEST_F(OffsetRequests, WriteWhatAUserSets) {
  const auto answered = change(R"([{"partition":{"file":"f"},"offset":{"at":3}},{"partition":{"file":"g"},"offset":null}])");
  ASSERT_TRUE(answered);
  EXPECT_NE(answered->find("have been altered successfully. However"), std::string::npos);
  EXPECT_TRUE(journal.has(R"(global ["orders",{"file":"f"}] {"at":3})"));
  EXPECT_TRUE(journal.has(R"(global ["orders",{"file":"g"}] null)"));
}

TEST_F(OffsetRequests, ForgetAllOffsetsInAReset) {
  offsets.table[R"(["orders",{"file":"f"}])"] = R"({"at":7})";
  const auto answered = change(std::nullopt);
  ASSERT_TRUE(answered);
  EXPECT_NE(answered->find("reset"), std::string::npos);
  EXPECT_TRUE(journal.has(R"(global ["orders",{"file":"f"}] null)"));
}

TEST_F(OffsetRequests, RefuseAListThatIsEmptyAndAPartitionThatIsNull) {
  EXPECT_EQ(change("[]").error().kind(), ErrorKind::InvalidConfig);
  const auto null = change(R"([{"partition":null,"offset":{"at":3}}])");
  ASSERT_FALSE(null);
  EXPECT_NE(null.error().message().find("cannot be null"), std::string::npos);
  EXPECT_FALSE(journal.has("global"));
}

TEST_F(OffsetRequests, WriteTombstonesToTheGlobalTopicFirst) {
  offsets.table[R"(["orders",{"file":"f"}])"] = R"({"at":7})";
  const auto answered =
      change_offsets(options, ports(), Log(), "orders", {{"connector.class", "Scripted"}, {"offsets.storage.topic", "own"}},
                     std::nullopt, may_change());
  ASSERT_TRUE(answered);
  ASSERT_TRUE(journal.has("produce own"));
  EXPECT_LT(journal.place("global "), journal.place("produce own"));
}

// As Connect does: the tasks' id is taken, so that none of them can still commit over what the user sets.
TEST_F(OffsetRequests, AreOneTransactionOfTheFirstTasksIdUnderExactlyOnce) {
  options.group_id = "g";
  options.worker.set("exactly.once.source.support", "enabled");
  // The answer waits until a reader sees them: the markers of a transaction follow the answer to its commit.
  clients.kept = [&](const std::string&, OffsetRecord record) { offsets.late.push_back(std::move(record)); };
  offsets.late_by = 2;
  ASSERT_TRUE(change(R"([{"partition":{"file":"f"},"offset":{"at":3}},{"partition":{"file":"g"},"offset":null}])"));
  EXPECT_EQ(journal.lines(), (std::vector<std::string>{"offsets read", "client g-orders-0", "init", "may it", "begin",
                                                       R"(produce connect-offsets ["orders",{"file":"f"}] {"at":3})",
                                                       R"(produce connect-offsets ["orders",{"file":"g"}] null)", "commit 2",
                                                       "client closed", "offsets read", "offsets read"}));
  EXPECT_EQ(offsets.table.size(), 1U);
}

// What comes after the question can fence the producer; what came before it is in the answer.
TEST_F(OffsetRequests, AreNotWrittenWhereTheHerderForbidsIt) {
  refused = Error(ErrorKind::Conflict, "the connector was resumed meanwhile");
  EXPECT_EQ(change(R"([{"partition":{"file":"f"},"offset":{"at":3}}])").error(), *refused);
  options.worker.set("exactly.once.source.support", "enabled");
  EXPECT_EQ(change(R"([{"partition":{"file":"f"},"offset":{"at":3}}])").error(), *refused);
  EXPECT_TRUE(journal.has("init"));
  EXPECT_FALSE(journal.has("produce")) << journal.text();
  EXPECT_FALSE(journal.has("global")) << journal.text();
}

TEST_F(OffsetRequests, AreAConflictWhereTasksTookTheIdMeanwhile) {
  options.worker.set("exactly.once.source.support", "enabled");
  clients.faults.commit = TransactionFailure{.error = Error(ErrorKind::Fenced, "a newer producer")};
  EXPECT_EQ(change(R"([{"partition":{"file":"f"},"offset":{"at":3}}])").error().kind(), ErrorKind::Conflict);
}

TEST_F(OffsetRequests, AreTakenBackWhereTheirTransactionFails) {
  options.group_id = "g";
  options.worker.set("exactly.once.source.support", "enabled");
  clients.faults.commit = TransactionFailure{.requires_abort = true, .error = Error(ErrorKind::Failed, "no room")};
  const auto answered = change(R"([{"partition":{"file":"f"},"offset":{"at":3}}])");
  ASSERT_FALSE(answered);
  EXPECT_NE(answered.error().message().find("no room"), std::string::npos);
  EXPECT_TRUE(journal.has("abort")) << journal.text();
}

}  // namespace
}  // namespace fencepost::runtime::test
