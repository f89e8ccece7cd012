#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "fake_port.h"
#include "raw_client.h"
#include "rest/server.h"

namespace fencepost::rest {

/// A server on a free port of this machine with a fake worker behind it.
class ServerTest : public ::testing::Test {
 protected:
  static Options options() {
    Options out;
    out.listeners = {"http://127.0.0.1:0"};
    return out;
  }

  void open(const Options& given) {
    auto opened = Server::open(given, port, Log());
    ASSERT_TRUE(opened) << opened.error().message();
    server = *std::move(opened);
  }
  void SetUp() override { open(options()); }

  [[nodiscard]] std::uint16_t tcp_port() const { return server->endpoints().front().port; }

  HttpReply ask(std::string_view method, std::string_view target, std::string_view body = {},
                std::string_view headers = {}) const {
    std::string text;
    text.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: worker:1\r\n").append(headers);
    if (!body.empty()) text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n");
    text.append("\r\n").append(body);
    return RawClient(tcp_port()).send(text).receive(method != "HEAD");
  }
  HttpReply ask_json(std::string_view method, std::string_view target, std::string_view body) const {
    return ask(method, target, body, "Content-Type: application/json\r\n");
  }

  FakePort port;
  std::unique_ptr<Server> server;
};

inline std::string header(const HttpReply& reply, std::string_view name) {
  return std::string(find_header(reply.headers, name).value_or("(none)"));
}

}  // namespace fencepost::rest
