#include "json/parse.h"
#include "server_fixture.h"

namespace fencepost::rest {
namespace {

/// Two workers of one group: "near" is asked, "far" has task 1 of connector c.
class TransactionsTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    auto opened = Server::open(options(), far_port, Log());
    ASSERT_TRUE(opened);
    far = *std::move(opened);
    port.name = "near";
    far_port.name = "far";
    herder::ConnectorView view;
    view.info.name = "c";
    view.info.tasks = {{"c", 0}, {"c", 1}, {"c", 2}};
    view.status = herder::ConnectorStatus{.name = "c", .connector = {}, .tasks = {}, .kind = herder::ConnectorKind::Source};
    view.status->tasks = {{0, {"RUNNING", server->worker_id(), {}, {}}},
                          {1, {"RUNNING", far->worker_id(), {}, {}}},
                          {2, {"UNASSIGNED", far->worker_id(), {}, {}}}};
    herder::View views;
    views.emplace("c", std::make_shared<const herder::ConnectorView>(view));
    port.views = std::make_shared<const herder::View>(views);
    far_port.views = port.views;
  }

  FakePort far_port;
  std::unique_ptr<Server> far;
};

TEST_F(TransactionsTest, EachWorkerTellsOfItsTasksAndAnyWorkerTellsAll) {
  const auto reply = ask("GET", "/connectors/c/transactions");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(
      reply.body,
      R"({"connector":"c","hanging":2,"tasks":[{"task":0,"hangs":false,"from":"near"},{"task":1,"hangs":true,"from":"far"},)"
      R"({"task":2,"hangs":false,"from":"near"},{"task":99,"hangs":true,"from":"former"}]})");
}

TEST_F(TransactionsTest, AWorkerThatIsGoneIsNamedBesideWhatIsKnownWithoutIt) {
  far.reset();
  const auto reply = ask("GET", "/connectors/c/transactions");
  EXPECT_EQ(reply.status, 200);
  EXPECT_NE(reply.body.find(R"({"task":1,"hangs":true,"from":"near)"), std::string::npos) << reply.body;
  EXPECT_EQ(reply.body.find(R"("task":1,"hangs":true,"from":"near"})"), std::string::npos)
      << "the problem is missing: " << reply.body;
}

TEST_F(TransactionsTest, AConnectorThatDoesNotExistIsA404) {
  EXPECT_EQ(ask("GET", "/connectors/d/transactions").status, 404);
  EXPECT_EQ(ask("POST", "/connectors/d/transactions/abort?task=0").status, 404);
}

TEST_F(TransactionsTest, AnAbortIsPassedToTheWorkerOfTheTask) {
  EXPECT_EQ(ask("POST", "/connectors/c/transactions/abort?task=1&force=true").body, R"({"aborted":true,"by":"far"})");
  EXPECT_EQ(ask_json("POST", "/connectors/c/transactions/abort", R"({"task":0,"force":true})").body,
            R"({"aborted":true,"by":"near"})");
  EXPECT_EQ(ask_json("POST", "/connectors/c/transactions/abort", R"({"transactional_id":"g-c-1","force":true})").body,
            R"({"aborted":true,"by":"far"})");
}

TEST_F(TransactionsTest, AnAbortFallsToThisWorkerWhereTheTasksIsGone) {
  far.reset();
  EXPECT_EQ(ask("POST", "/connectors/c/transactions/abort?task=1&force=true").body, R"({"aborted":true,"by":"near"})");
}

TEST_F(TransactionsTest, ARunningTasksTransactionAndAnothersIdAreRefusedWithTheReason) {
  EXPECT_EQ(ask("POST", "/connectors/c/transactions/abort?task=1").body,
            R"({"error_code":409,"message":"held by a running task of far"})");
  EXPECT_EQ(ask("POST", "/connectors/c/transactions/abort?transactional_id=g-other-0&force=true").status, 400);
}

TEST_F(TransactionsTest, AnAbortNamesOneThing) {
  for (const char* query : {"", "?task=x", "?task=1&transactional_id=g-c-1"}) {
    EXPECT_EQ(ask("POST", std::string("/connectors/c/transactions/abort") + query).status, 400) << query;
  }
  EXPECT_EQ(ask_json("POST", "/connectors/c/transactions/abort", R"({"task":-1})").status, 400);
  EXPECT_EQ(ask_json("POST", "/connectors/c/transactions/abort", "[1]").status, 400);
}

TEST_F(TransactionsTest, MetricsArePlainTextWhateverTheScraperAccepts) {
  const auto reply = ask("GET", "/metrics", {}, "Accept: application/openmetrics-text\r\n");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "# HELP x y\n");
  EXPECT_EQ(header(reply, "Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace
}  // namespace fencepost::rest
