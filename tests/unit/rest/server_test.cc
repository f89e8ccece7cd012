#include "rest/server.h"

#include <chrono>
#include <thread>

#include "server_fixture.h"

namespace fencepost::rest {
namespace {

using namespace std::chrono_literals;

TEST_F(ServerTest, AnswersJsonWithLengthTypeAndDateAndKeepsTheConnection) {
  RawClient client(tcp_port());
  for (int i = 0; i < 3; ++i) {
    const HttpReply reply = client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").receive();
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, R"({"version":"1.2.3","commit":"abc","kafka_cluster_id":"cluster"})");
    EXPECT_EQ(header(reply, "Content-Type"), "application/json");
    EXPECT_NE(header(reply, "Date"), "(none)");
    EXPECT_EQ(header(reply, "Connection"), "(none)");
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInTheirOrder) {
  RawClient client(tcp_port());
  client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /nope HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(client.receive().status, 200);
  EXPECT_EQ(client.receive().status, 404);
  EXPECT_EQ(client.receive(false).status, 200);
}

TEST_F(ServerTest, ClosesForHttp10AndWhereTheClientAsks) {
  RawClient old(tcp_port());
  EXPECT_EQ(old.send("GET / HTTP/1.0\r\n\r\n").receive().status, 200);
  EXPECT_TRUE(old.is_closed());
  RawClient polite(tcp_port());
  const auto reply = polite.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").receive();
  EXPECT_EQ(header(reply, "Connection"), "close");
  EXPECT_TRUE(polite.is_closed());
}

TEST_F(ServerTest, SaysNoAsJerseyDoes) {
  EXPECT_EQ(ask("GET", "/nope").body, R"({"error_code":404,"message":"HTTP 404 Not Found"})");
  EXPECT_EQ(ask("DELETE", "/connectors").body, R"({"error_code":405,"message":"HTTP 405 Method Not Allowed"})");
  EXPECT_EQ(ask("BREW", "/connectors").status, 405);
  EXPECT_EQ(ask("TRACE", "/connectors").status, 405);
  EXPECT_EQ(ask("BREW", "/nope").status, 404);
  EXPECT_EQ(ask("GET", "/", {}, "Accept: text/html\r\n").status, 406);
  EXPECT_EQ(ask("POST", "/connectors", "{}", "Content-Type: text/plain\r\n").status, 415);
  EXPECT_EQ(ask("POST", "/connectors", "{}").status, 415);
  EXPECT_EQ(ask("PUT", "/connectors/x/pause", {}, "Content-Type: text/plain\r\n").status, 415);
  EXPECT_EQ(ask("GET", "/connectors/x/tasks/zero/status").status, 404);
  EXPECT_EQ(ask("GET", "/connectors/x/tasks/99999999999/status").status, 404);
  EXPECT_EQ(ask("GET", "/connectors/../connectors").status, 404);
}

TEST_F(ServerTest, HeadHasTheLengthOfGetAndNoBody) {
  RawClient client(tcp_port());
  const auto reply = client.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n").receive(false);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(header(reply, "Content-Length"), "63");
  EXPECT_EQ(client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").receive().body.size(), 63U);
}

TEST_F(ServerTest, OptionsListsTheMethodsOfAPath) {
  const auto reply = ask("OPTIONS", "/connectors");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(header(reply, "Allow"), "GET,HEAD,POST,OPTIONS");
  EXPECT_EQ(ask("OPTIONS", "/nope").status, 404);
}

TEST_F(ServerTest, MalformedPathsAre400WithJson) {
  for (const char* path :
       {"/connectors/%", "/connectors/%zz", "/connectors/%ff", "/connectors/%00", "/connectors/a%0Ab", "//connectors",
        "/connectors//status", "/connectors/a|b", "/connectors/\xc3\xa9", "/connectors/%ED%A0%80", "*", "connectors"}) {
    const auto reply = ask("GET", path);
    EXPECT_EQ(reply.status, 400) << path;
    EXPECT_TRUE(reply.body.starts_with(R"({"error_code":400,"message":")")) << path << reply.body;
  }
}

TEST_F(ServerTest, AQueryThatNobodyKnowsIsIgnoredWhateverItHolds) {
  for (const char* target : {"/?foo=1&bar", "/?", "/?a|b", "/?\xc3\xa9=%zz", "/?[x]=\"{}\"", "/?a=b?c/d#e"}) {
    EXPECT_EQ(ask("GET", target).status, 200) << target;
  }
}

TEST_F(ServerTest, WhatIsNoHttpIs400WithJsonAndTheConnectionEnds) {
  for (const char* text : {"hello\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
                           "\x16\x03\x01\x02\x03\r\n\r\n", "POST /connectors HTTP/1.1\r\nContent-Length: x\r\n\r\n"}) {
    RawClient client(tcp_port());
    const auto reply = client.send(text).receive();
    EXPECT_EQ(reply.status, 400) << text;
    EXPECT_TRUE(reply.body.starts_with(R"({"error_code":400,)")) << reply.body;
  }
  EXPECT_EQ(RawClient(tcp_port()).send("GET / HTTP/3.1\r\n\r\n").receive().status, 505);
}

TEST_F(ServerTest, LongPathsAre414AndLongHeadersAre431) {
  EXPECT_EQ(ask("GET", "/connectors/" + std::string(9000, 'x')).status, 414);
  EXPECT_EQ(ask("GET", "/connectors/" + std::string(9'000'000, '/')).status, 414);
  EXPECT_EQ(ask("GET", "/", {}, "X: " + std::string(60000, 'x') + "\r\n").status, 431);
}

TEST_F(ServerTest, ABodyAboveTheLimitIs413EvenWhileTheClientStillSends) {
  Options small = options();
  small.request_bytes_max = 1000;
  open(small);
  EXPECT_EQ(ask_json("POST", "/connectors", std::string(5'000'000, ' ')).status, 413);
  RawClient chunked(tcp_port());
  chunked.send("POST /connectors HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int i = 0; i < 20; ++i) chunked.send("64\r\n" + std::string(100, ' ') + "\r\n");
  EXPECT_EQ(chunked.receive().status, 413);
  EXPECT_EQ(ask_json("POST", "/connectors", std::string(999, ' ')).status, 500);
}

TEST_F(ServerTest, ChunkedBodiesAreRead) {
  port.answer_always(herder::Done{});
  RawClient client(tcp_port());
  client.send("PUT /connectors/x/config HTTP/1.1\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.send("6\r\n{\"a\":\"\r\n").send("3\r\nb\"}\r\n0\r\n\r\n");
  EXPECT_EQ(client.receive().status, 204);
  EXPECT_EQ(std::get<herder::PutConnectorConfig>(port.last()).config, (Properties{{"a", "b"}, {"name", "x"}}));
}

TEST_F(ServerTest, AClientThatExpectsContinueIsTold) {
  RawClient client(tcp_port());
  client.send("POST /connectors HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  EXPECT_EQ(client.send("{}").receive().status, 500);
  Options small = options();
  small.request_bytes_max = 1;
  open(small);
  RawClient large(tcp_port());
  large.send("POST /connectors HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(large.receive().status, 413);
}

TEST_F(ServerTest, ASilentHerderEndsInATimeoutAndItsLateAnswerIsDropped) {
  Options hasty = options();
  hasty.health_timeout = 1s;
  open(hasty);
  Port::Answer late;
  port.answer_by([&](herder::Hop, const herder::Request&, Port::Answer answer) { late = std::move(answer); });
  RawClient client(tcp_port());
  const auto reply = client.send("GET /health HTTP/1.1\r\n\r\n").receive();
  EXPECT_EQ(reply.status, 500);
  EXPECT_NE(reply.body.find("unhealthy"), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find("it has waited for the worker's herder for"), std::string::npos) << reply.body;
  EXPECT_NE(reply.body.find("the worker's event loop has carried out FenceProducers for 7 s"), std::string::npos) << reply.body;
  late(herder::Health{true, "", {}});
  EXPECT_EQ(client.send("GET / HTTP/1.1\r\n\r\n").receive().body.find("{\"version\""), 0U);
}

TEST_F(ServerTest, AnIdleConnectionIsClosed) {
  Options hasty = options();
  hasty.idle_timeout = 1s;
  open(hasty);
  RawClient idle(tcp_port());
  RawClient slow(tcp_port());
  slow.send("POST /connectors HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_TRUE(idle.is_closed());
  EXPECT_TRUE(slow.is_closed());
}

TEST_F(ServerTest, ClosingWaitsForAnswersThatComeAndDropsThoseThatDoNot) {
  std::vector<Port::Answer> answers;
  std::mutex mutex;
  port.answer_by([&](herder::Hop, const herder::Request&, Port::Answer answer) {
    const std::lock_guard lock(mutex);
    answers.push_back(std::move(answer));
  });
  const auto count = [&] {
    const std::lock_guard lock(mutex);
    return answers.size();
  };
  RawClient answered(tcp_port());
  RawClient forgotten(tcp_port());
  RawClient idle(tcp_port());
  answered.send("GET /connectors HTTP/1.1\r\n\r\n");
  while (count() < 1) std::this_thread::yield();
  forgotten.send("GET /connectors HTTP/1.1\r\n\r\n");
  while (count() < 2) std::this_thread::yield();
  std::thread closing([&] { server->close(); });
  EXPECT_TRUE(idle.is_closed());
  answers[0](herder::Names{{"a"}});
  EXPECT_EQ(answered.receive().body, R"(["a"])");
  closing.join();
  EXPECT_TRUE(forgotten.is_closed());
  server.reset();
  answers[1](herder::Names{{"b"}});
}

TEST_F(ServerTest, APortInUseIsAnErrorThatNamesTheListener) {
  Options same = options();
  same.listeners = {"http://127.0.0.1:" + std::to_string(tcp_port())};
  const auto second = Server::open(same, port, Log());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::Unavailable);
  EXPECT_NE(second.error().message().find(same.listeners[0]), std::string::npos);
  EXPECT_EQ(ask("GET", "/").status, 200);
}

TEST_F(ServerTest, AdvertisesTheBoundPortUnlessToldOtherwise) {
  EXPECT_EQ(server->advertised_url(), "http://127.0.0.1:" + std::to_string(tcp_port()) + "/");
  EXPECT_EQ(server->worker_id(), "127.0.0.1:" + std::to_string(tcp_port()));
  Options named = options();
  named.listeners = {"http://:0"};
  named.advertised_host = "worker-a";
  named.advertised_port = 99;
  open(named);
  EXPECT_EQ(server->worker_id(), "worker-a:99");
  EXPECT_EQ(ask("GET", "/").status, 200);
}

TEST_F(ServerTest, ManyClientsAtOnceAllGetTheirAnswers) {
  std::mutex mutex;
  std::vector<std::thread> herders;
  port.answer_by([&](herder::Hop, const herder::Request& request, const Port::Answer& answer) {
    const std::lock_guard lock(mutex);
    herders.emplace_back([request, answer] { answer(herder::Names{{std::get<herder::GetActiveTopics>(request).name}}); });
  });
  std::vector<std::thread> clients;
  for (int c = 0; c < 8; ++c) {
    clients.emplace_back([&, c] {
      RawClient client(tcp_port());
      for (int i = 0; i < 20; ++i) {
        const std::string name = std::to_string(c) + "-" + std::to_string(i);
        EXPECT_EQ(client.send("GET /connectors/" + name + "/topics HTTP/1.1\r\n\r\n").receive().body, "[\"" + name + "\"]");
      }
    });
  }
  for (auto& client : clients) client.join();
  for (auto& herder : herders) herder.join();
}

}  // namespace
}  // namespace fencepost::rest
