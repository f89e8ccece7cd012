#include <future>

#include "rest/leader_client.h"
#include "server_fixture.h"

namespace fencepost::rest {
namespace {

using herder::Hop;

/// A follower (the fixture's server) and a leader.
class ForwardingTest : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    auto opened = Server::open(options(), leader_port, Log());
    ASSERT_TRUE(opened);
    leader = *std::move(opened);
    port.answer_always(herder::ForwardTo{leader->advertised_url()});
  }

  FakePort leader_port;
  std::unique_ptr<Server> leader;
};

TEST_F(ForwardingTest, TheLeaderIsAskedTheSameAndItsAnswerComesBack) {
  leader_port.answer_always(herder::Created{{"a/b c", {{"x", "1"}}, {}, herder::ConnectorKind::Source}});
  const auto reply = ask_json("PUT", "/connectors/a%2Fb%20c/config?x=%26", R"({"x":"ü"})");
  EXPECT_EQ(reply.status, 201);
  EXPECT_EQ(reply.body, R"({"name":"a/b c","config":{"x":"1"},"tasks":[],"type":"source"})");
  EXPECT_EQ(header(reply, "Location"), "http://worker:1/connectors/a%2Fb%20c");
  ASSERT_EQ(leader_port.asked().size(), 1U);
  EXPECT_EQ(leader_port.asked()[0].first, Hop::Forwarded);
  EXPECT_EQ(leader_port.last(), herder::Request(herder::PutConnectorConfig{"a/b c", {{"x", "ü"}, {"name", "a/b c"}}}));
}

TEST_F(ForwardingTest, ErrorsAndEmptyAnswersComeBackAsTheyAre) {
  leader_port.answer_always(Error(ErrorKind::Conflict, "rebalancing"));
  EXPECT_EQ(ask("DELETE", "/connectors/c").body, R"({"error_code":409,"message":"rebalancing"})");
  leader_port.answer_always(herder::Done{});
  EXPECT_EQ(ask("DELETE", "/connectors/c").status, 204);
  leader_port.answer_always(herder::Accepted{});
  EXPECT_EQ(ask("PUT", "/connectors/c/pause").status, 202);
}

TEST_F(ForwardingTest, TheQueryAndTheSignatureGoAlong) {
  leader_port.answer_always(herder::Done{});
  ask("POST", "/connectors/c/restart?includeTasks=true&onlyFailed=true");
  EXPECT_EQ(leader_port.last(), herder::Request(herder::RestartConnector{"c", true, true}));
  ask("PUT", "/connectors/c/fence", {}, "X-Connect-Authorization: AAAA\r\nX-Connect-Request-Signature-Algorithm: HmacSHA256\r\n");
  EXPECT_EQ(leader_port.last(), herder::Request(herder::FenceZombies{"c", {"AAAA", "HmacSHA256", ""}}));
}

TEST_F(ForwardingTest, ARequestTakesTwoHopsAtMost) {
  leader_port.answer_always(herder::ForwardTo{server->advertised_url()});
  const auto reply = ask("DELETE", "/connectors/c");
  EXPECT_EQ(reply.status, 409);
  ASSERT_EQ(port.asked().size(), 2U);
  EXPECT_EQ(port.asked()[0].first, Hop::FromClient);
  EXPECT_EQ(port.asked()[1].first, Hop::ForwardedTwice);
}

TEST_F(ForwardingTest, ALeaderThatIsGoneIsA500ThatNamesIt) {
  const std::string url = leader->advertised_url();
  leader.reset();
  const auto reply = ask("DELETE", "/connectors/c");
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("IO Error trying to forward REST request: "), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find(url), std::string::npos) << reply.body;
  port.answer_always(herder::ForwardTo{""});
  EXPECT_EQ(ask("DELETE", "/connectors/c").status, 409);
}

TEST_F(ForwardingTest, ALeaderThatRestartedOnItsPortIsReachedAgain) {
  leader_port.answer_always(herder::Done{});
  EXPECT_EQ(ask("DELETE", "/connectors/c").status, 204);
  Options same = options();
  same.listeners = {to_string(leader->endpoints().front())};
  leader.reset();
  auto again = Server::open(same, leader_port, Log());
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(ask("DELETE", "/connectors/c").status, 204);
}

TEST_F(ForwardingTest, TheFollowerMayCloseWhileTheLeaderStillThinks) {
  std::promise<Port::Answer> asked;
  leader_port.answer_by([&](herder::Hop, const herder::Request&, Port::Answer answer) { asked.set_value(std::move(answer)); });
  RawClient client(tcp_port());
  client.send("DELETE /connectors/c HTTP/1.1\r\n\r\n");
  const auto answer = asked.get_future().get();
  server.reset();
  answer(herder::Done{});
  EXPECT_TRUE(client.is_closed());
}

TEST_F(ForwardingTest, TheLeaderClientTellsOutcomesByKind) {
  const LeaderClient client{Log()};
  const auto outcome_of = [&](const herder::Response& response) {
    leader_port.answer_always(response);
    std::promise<std::optional<Error>> done;
    client.fence(leader->advertised_url(), "a/b", RequestSignature{"HmacSHA256", "AAAA"},
                 [&](std::optional<Error> outcome) { done.set_value(std::move(outcome)); });
    return done.get_future().get();
  };
  EXPECT_EQ(outcome_of(herder::Done{}), std::nullopt);
  EXPECT_EQ(leader_port.last(), herder::Request(herder::FenceZombies{"a/b", {"AAAA", "HmacSHA256", ""}}));
  for (const auto kind : {ErrorKind::Conflict, ErrorKind::Unavailable, ErrorKind::Forbidden, ErrorKind::NotFound,
                          ErrorKind::InvalidConfig, ErrorKind::Failed}) {
    EXPECT_EQ(outcome_of(Error(kind, "why"))->kind(), kind);
  }
}

// A worker of a version before KIP-618 has no such path; that is not the 404 of an unknown connector.
TEST_F(ForwardingTest, ALeaderThatKnowsNoFencingIsToldApartAndTheCureIsNamed) {
  const LeaderClient client{Log()};
  const auto outcome_of = [&](const std::string& message) {
    leader_port.answer_always(Error(ErrorKind::NotFound, message));
    std::promise<std::optional<Error>> done;
    client.fence(leader->advertised_url(), "c", std::nullopt, [&](std::optional<Error> e) { done.set_value(std::move(e)); });
    return done.get_future().get()->message();
  };
  EXPECT_NE(outcome_of("HTTP 404 Not Found").find("exactly.once.source.support=preparing"), std::string::npos);
  EXPECT_EQ(outcome_of("Connector c not found").find("preparing"), std::string::npos);
}

TEST_F(ForwardingTest, TaskConfigsReachTheLeaderAsTheyWereSigned) {
  const LeaderClient client{Log()};
  leader_port.answer_always(herder::Done{});
  std::promise<std::optional<Error>> done;
  client.send_task_configs(leader->advertised_url(), "c", R"([{"a":"ü"}])", std::nullopt,
                           [&](std::optional<Error> outcome) { done.set_value(std::move(outcome)); });
  EXPECT_EQ(done.get_future().get(), std::nullopt);
  EXPECT_EQ(leader_port.last(), herder::Request(herder::PublishTaskConfigs{"c", {{{"a", "ü"}}}, {{}, {}, R"([{"a":"ü"}])"}}));
}

}  // namespace
}  // namespace fencepost::rest
