#include "rest/routes.h"

#include <set>

#include "server_fixture.h"

namespace fencepost::rest {
namespace {

using herder::Hop;

const herder::ConnectorInfo kInfo{"c", {{"name", "c"}}, {{"c", 0}}, herder::ConnectorKind::Source};
const herder::StateInfo kState{"RUNNING", "w:1", "", "4.3.1"};
const herder::ConnectorStatus kStatus{"c", kState, {{0, {"FAILED", "w:1", "boom", ""}}}, herder::ConnectorKind::Sink};

class RoutesTest : public ServerTest {
 protected:
  HttpReply answered_by(const herder::Response& response, std::string_view target = "/connectors/c") {
    port.answer_always(response);
    return ask("GET", target);
  }
};

TEST_F(RoutesTest, EachPathAndMethodStandsOnce) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : api_routes()) EXPECT_TRUE(seen.emplace(route.method, route.path).second) << route.path;
}

TEST_F(RoutesTest, AnswersAreWrittenAsJavaWritesThem) {
  EXPECT_EQ(answered_by(herder::Names{{"a", "b\"\n"}}).body, R"(["a","b\"\n"])");
  EXPECT_EQ(answered_by(kInfo).body,
            R"({"name":"c","config":{"name":"c"},"tasks":[{"connector":"c","task":0}],"type":"source"})");
  EXPECT_EQ(answered_by(herder::Config{{{"a", "1"}, {"b", std::nullopt}}}).body, R"({"a":"1","b":null})");
  EXPECT_EQ(answered_by(kStatus).body, R"({"name":"c","connector":{"state":"RUNNING","worker_id":"w:1","version":"4.3.1"},)"
                                       R"("tasks":[{"id":0,"state":"FAILED","worker_id":"w:1","trace":"boom"}],"type":"sink"})");
  EXPECT_EQ(answered_by(herder::TaskConfigs{{{{"c", 0}, {{"a", "1"}}}}}).body,
            R"([{"id":{"connector":"c","task":0},"config":{"a":"1"}}])");
  EXPECT_EQ(answered_by(herder::TaskStateInfo{3, kState}).body,
            R"({"id":3,"state":"RUNNING","worker_id":"w:1","version":"4.3.1"})");
  EXPECT_EQ(answered_by(herder::ActiveTopics{"c", {"t"}}).body, R"({"c":{"topics":["t"]}})");
  EXPECT_EQ(answered_by(herder::Offsets{R"([{"partition":{},"offset":null}])"}).body,
            R"({"offsets":[{"partition":{},"offset":null}]})");
  EXPECT_EQ(answered_by(herder::Message{"done"}).body, R"({"message":"done"})");
}

TEST_F(RoutesTest, AnswersWithoutContentHaveNeitherBodyNorType) {
  const auto done = answered_by(herder::Done{});
  EXPECT_EQ(done.status, 204);
  EXPECT_EQ(header(done, "Content-Length"), "(none)");
  const auto accepted = answered_by(herder::Accepted{});
  EXPECT_EQ(accepted.status, 202);
  EXPECT_EQ(header(accepted, "Content-Type"), "(none)");
  EXPECT_EQ(answered_by(herder::RestartPlanned{kStatus}).status, 202);
}

TEST_F(RoutesTest, EachKindOfErrorHasItsStatus) {
  using enum ErrorKind;
  const std::pair<ErrorKind, int> table[] = {{InvalidConfig, 400}, {NotFound, 404}, {Conflict, 409}, {Forbidden, 403},
                                             {Unavailable, 503},   {Timeout, 500},  {Fenced, 500},   {Corrupt, 500},
                                             {Failed, 500},        {Bug, 500}};
  for (const auto& [kind, status] : table) {
    const auto reply = answered_by(Error(kind, "why"));
    EXPECT_EQ(reply.status, status);
    EXPECT_EQ(reply.body, R"({"error_code":)" + std::to_string(status) + R"(,"message":"why"})");
  }
}

TEST_F(RoutesTest, AnEscapeThatAClientMendedIsMalformedUnlessAConnectorHasThatName) {
  EXPECT_EQ(answered_by(kInfo, "/connectors/50%25").status, 200);
  EXPECT_EQ(answered_by(Error(ErrorKind::NotFound, "why"), "/connectors/%25zz").status, 400);
  EXPECT_EQ(answered_by(Error(ErrorKind::NotFound, "why"), "/connectors/%2541").status, 404);
  EXPECT_EQ(ask("DELETE", "/connectors/%25").status, 404);
}

TEST_F(RoutesTest, HealthIsJavasWhenReadyAndNamesEachPartThatWaitsWhenNot) {
  EXPECT_EQ(answered_by(herder::Health{true, "", {}}, "/health").body,
            R"({"status":"healthy","message":"Worker has completed startup and is ready to handle requests."})");
  const auto reply = answered_by(herder::Health{false, "group: joining", {{"group", "joining", 17}}}, "/health");
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.body, R"({"status":"starting","message":"Worker is still starting up. group: joining",)"
                        R"("components":[{"component":"group","doing":"joining","since":17}]})");
}

TEST_F(RoutesTest, PathsBecomeRequests) {
  port.answer_always(herder::Done{});
  const std::tuple<const char*, const char*, herder::Request> table[] = {
      {"GET", "/connectors", herder::ListConnectors{}},
      {"GET", "/connectors/a%2Fb%25/", herder::GetConnector{"a/b%"}},
      {"DELETE", "/connectors/a+b", herder::DeleteConnector{"a+b"}},
      {"GET", "/connectors/../config", herder::GetConnectorConfig{".."}},
      {"GET", "/connectors/c/status", herder::GetConnectorStatus{"c"}},
      {"GET", "/connectors/c/tasks", herder::GetTaskConfigs{"c"}},
      {"GET", "/connectors/c/tasks/7/status", herder::GetTaskStatus{{"c", 7}}},
      {"POST", "/connectors/c/tasks/-1/restart", herder::RestartTask{{"c", -1}}},
      {"POST", "/connectors/c/restart", herder::RestartConnector{"c", false, false}},
      {"POST", "/connectors/c/restart?includeTasks=TRUE&onlyFailed=maybe", herder::RestartConnector{"c", false, true}},
      {"PUT", "/connectors/c/pause", herder::SetTargetState{"c", herder::TargetState::Paused}},
      {"PUT", "/connectors/c/resume", herder::SetTargetState{"c", herder::TargetState::Started}},
      {"PUT", "/connectors/c/stop", herder::SetTargetState{"c", herder::TargetState::Stopped}},
      {"GET", "/connectors/c/topics", herder::GetActiveTopics{"c"}},
      {"PUT", "/connectors/c/topics/reset", herder::ResetActiveTopics{"c"}},
      {"GET", "/connectors/c/offsets", herder::GetOffsets{"c"}},
      {"DELETE", "/connectors/c/offsets", herder::AlterOffsets{"c", std::nullopt}},
      {"GET", "/health", herder::GetHealth{}}};
  for (const auto& [method, path, request] : table) {
    EXPECT_EQ(ask(method, path).status, 204) << path;
    EXPECT_EQ(port.last(), request) << method << " " << path;
  }
}

TEST_F(RoutesTest, TheForwardFlagTellsHowFarARequestHasCome) {
  port.answer_always(herder::Done{});
  const std::pair<const char*, Hop> table[] = {{"/connectors", Hop::FromClient},
                                               {"/connectors?forward=true", Hop::Forwarded},
                                               {"/connectors?forward=false", Hop::ForwardedTwice},
                                               {"/connectors?forward", Hop::ForwardedTwice}};
  for (const auto& [path, hop] : table) {
    ask("GET", path);
    EXPECT_EQ(port.asked().back().first, hop) << path;
  }
}

TEST_F(RoutesTest, CreationHasTheEncodedNameInItsLocation) {
  const std::pair<const char*, const char*> table[] = {
      {"my conn", "my%20conn"},   {"ünï", "%C3%BCn%C3%AF"},     {"x?y#z", "x%3Fy%23z"}, {"a+b", "a+b"},
      {"a;b,c=d&e", "a;b,c=d&e"}, {"~t!$'()*@:", "~t!$'()*@:"}, {"a/b", "a%2Fb"},       {"50%", "50%25"}};
  for (const auto& [name, location] : table) {
    port.answer_always(herder::Created{kInfo});
    const auto reply = ask_json("POST", "/connectors", "{\"name\":\"" + std::string(name) + "\",\"config\":{}}");
    EXPECT_EQ(reply.status, 201);
    EXPECT_EQ(header(reply, "Location"), "http://worker:1/connectors/" + std::string(location));
  }
  port.answer_always(kInfo);
  EXPECT_EQ(header(ask_json("PUT", "/connectors/c/config", "{}"), "Location"), "(none)");
}

TEST_F(RoutesTest, InternalRequestsCarryTheirSignatureAndTheRawBody) {
  port.answer_always(herder::Done{});
  const std::string signed_by = "X-Connect-Authorization: AAAA\r\nX-Connect-Request-Signature-Algorithm: HmacSHA256\r\n";
  EXPECT_EQ(ask("PUT", "/connectors/c/fence", "", signed_by).status, 204);
  EXPECT_EQ(port.last(), herder::Request(herder::FenceZombies{"c", {"AAAA", "HmacSHA256", ""}}));
  EXPECT_EQ(ask_json("POST", "/connectors/c/tasks", R"([{"a": 1.50}])").status, 204);
  EXPECT_EQ(port.last(), herder::Request(herder::PublishTaskConfigs{"c", {{{"a", "1.50"}}}, {{}, {}, R"([{"a": 1.50}])"}}));
  EXPECT_EQ(ask_json("POST", "/connectors/c/tasks", "{}").status, 500);
}

TEST_F(RoutesTest, ExpandShowsWhatIsAskedForAndLeavesOutWhatIsNotKnown) {
  // A worker that starts lets the herder say when there is something to show, or why there is not.
  port.answer_always(Error(ErrorKind::Unavailable, "reading the config log since 12 s"));
  const auto starting = ask("GET", "/connectors?expand=info");
  EXPECT_EQ(starting.status, 503);
  EXPECT_NE(starting.body.find("since 12 s"), std::string::npos) << starting.body;
  port.answer_always(herder::Names{});
  EXPECT_EQ(ask("GET", "/connectors?expand=info").body, "{}");
  port.views =
      std::make_shared<herder::View>(herder::View{{"c", std::make_shared<herder::ConnectorView>(kInfo, kStatus)},
                                                  {"new", std::make_shared<herder::ConnectorView>(kInfo, std::nullopt)}});
  EXPECT_EQ(ask("GET", "/connectors?expand=STATUS").body, R"({"c":{},"new":{}})");
  EXPECT_EQ(ask("GET", "/connectors?expand").body, R"({"c":{},"new":{}})");
  EXPECT_TRUE(ask("GET", "/connectors?expand=info&expand=bogus").body.starts_with(R"({"c":{"info":{)"));
  const auto both = ask("GET", "/connectors?expand=info&expand=status").body;
  EXPECT_TRUE(both.starts_with(R"({"c":{"status":{)")) << both;
  EXPECT_EQ(both.find("new"), std::string::npos);
}

TEST_F(RoutesTest, PluginsAreListedAndAsked) {
  EXPECT_EQ(ask("GET", "/connector-plugins").body, R"([{"class":"a.FileStreamSourceConnector","type":"source","version":"1"}])");
  EXPECT_NE(ask("GET", "/connector-plugins?connectorsOnly=false").body.find(R"({"class":"a.JsonConverter","type":"converter"})"),
            std::string::npos);
  EXPECT_EQ(ask("GET", "/connector-plugins/Json/config").body, "[]");
  EXPECT_EQ(ask("GET", "/connector-plugins/nope/config").status, 404);
  EXPECT_EQ(ask_json("PUT", "/connector-plugins/FileStreamSource/config/validate",
                     R"({"connector.class":"a.FileStreamSourceConnector"})")
                .body,
            R"({"name":"x"})");
  EXPECT_EQ(ask_json("PUT", "/connector-plugins/X/config/validate", "{}").status, 400);
  const auto other =
      ask_json("PUT", "/connector-plugins/FileStreamSource/config/validate", R"({"connector.class":"FileStreamSink"})");
  EXPECT_EQ(
      other.body,
      R"({"error_code":400,"message":"Included connector type FileStreamSink does not match request type FileStreamSource"})");
}

TEST_F(RoutesTest, TopicTrackingCanBeSwitchedOff) {
  Options without = options();
  without.topic_tracking_reset = false;
  open(without);
  port.answer_always(herder::Done{});
  EXPECT_EQ(ask("GET", "/connectors/c/topics").status, 204);
  EXPECT_EQ(ask("PUT", "/connectors/c/topics/reset").status, 403);
  without.topic_tracking = false;
  open(without);
  EXPECT_EQ(ask("GET", "/connectors/c/topics").status, 403);
}

TEST_F(RoutesTest, AdminListenersServeNothingElse) {
  Options apart = options();
  apart.admin_listeners = {{"http://127.0.0.1:0"}};
  open(apart);
  ASSERT_EQ(server->endpoints().size(), 2U);
  EXPECT_EQ(RawClient(server->endpoints()[1].port).send("GET /connectors HTTP/1.1\r\n\r\n").receive().status, 404);
  EXPECT_EQ(ask("GET", "/").status, 200);
}

TEST_F(RoutesTest, FixedHeadersAndAllowedOriginsAreOnEveryAnswer) {
  Options dressed = options();
  dressed.allow_origin = "http://example.com";
  dressed.allow_methods = "GET,POST";
  dressed.response_headers = R"(add X-Frame-Options: DENY, set X-A: b, "add Cache-Control: no-cache, no-store")";
  open(dressed);
  const auto fine = ask("GET", "/nope", {}, "Origin: http://example.com\r\n");
  EXPECT_EQ(header(fine, "X-Frame-Options"), "DENY");
  EXPECT_EQ(header(fine, "Cache-Control"), "no-cache, no-store");
  EXPECT_EQ(header(fine, "Access-Control-Allow-Origin"), "http://example.com");
  EXPECT_EQ(header(ask("GET", "/%"), "X-A"), "b");
  EXPECT_EQ(header(ask("GET", "/|"), "X-A"), "b");
  EXPECT_EQ(header(ask("GET", "/", {}, "Origin: http://example.com.evil.org\r\n"), "Access-Control-Allow-Origin"), "(none)");
  const auto preflight =
      ask("OPTIONS", "/connectors", {}, "Origin: http://example.com\r\nAccess-Control-Request-Method: POST\r\n");
  EXPECT_EQ(preflight.status, 200);
  EXPECT_EQ(header(preflight, "Access-Control-Allow-Methods"), "GET,POST");
  for (const char* bad : {"bogus X-A: b", "set X-A", "add X A: b"}) {
    Options wrong = options();
    wrong.response_headers = bad;
    const auto refused = Server::open(wrong, port, Log());
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().kind(), ErrorKind::InvalidConfig);
  }
}

TEST_F(ServerTest, LoggersAreShownAndSetOnThisWorkerOrOnAll) {
  EXPECT_EQ(ask("GET", "/admin/loggers").body,
            R"({"a.b":{"level":"DEBUG","last_modified":7},"root":{"level":"INFO","last_modified":null}})");
  EXPECT_EQ(ask("GET", "/admin/loggers/root").body, R"({"level":"INFO","last_modified":null})");
  EXPECT_EQ(ask("GET", "/admin/loggers/x").status, 404);
  EXPECT_EQ(ask_json("PUT", "/admin/loggers/x", R"({"level":"warn"})").body, R"(["x","WARN"])");
  EXPECT_EQ(ask_json("PUT", "/admin/loggers/x?scope=nonsense", R"({"level":"warn"})").body, R"(["x","WARN"])");
  EXPECT_EQ(ask_json("PUT", "/admin/loggers/x", R"({"level":"loud"})").status, 404);
  EXPECT_EQ(ask_json("PUT", "/admin/loggers/x", R"({})").status, 400);
  EXPECT_EQ(ask_json("PUT", "/admin/loggers/x", "[]").status, 500);
  EXPECT_TRUE(port.asked().empty());
  port.answer_always(herder::Done{});
  EXPECT_EQ(ask_json("PUT", "/admin/loggers/x?scope=Cluster", R"({"level":"debug"})").status, 204);
  EXPECT_EQ(port.last(), herder::Request(herder::SetClusterLoggerLevel{"x", "debug"}));
}

}  // namespace
}  // namespace fencepost::rest
