#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rest/http.h"

namespace fencepost::rest {

/// A TCP connection to a port of this machine that sends what it is told, byte for byte.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) throw std::runtime_error("connect");
  }
  ~RawClient() { ::close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  RawClient& send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return *this;
  }
  /// One answer; status 0 where the connection ends or nothing comes for `ms`.
  HttpReply receive(bool has_body = true, int ms = 5000) {
    std::size_t end = 0;
    while ((end = read_.find("\r\n\r\n")) == std::string::npos) {
      if (!fill(ms)) return {0, {}, read_};
    }
    HttpReply out;
    out.status = std::stoi(read_.substr(9, 3));
    std::size_t at = read_.find("\r\n") + 2;
    while (at < end) {
      const auto line_end = read_.find("\r\n", at);
      const auto colon = read_.find(": ", at);
      out.headers.emplace_back(read_.substr(at, colon - at), read_.substr(colon + 2, line_end - colon - 2));
      at = line_end + 2;
    }
    read_.erase(0, end + 4);
    const auto length = find_header(out.headers, "Content-Length");
    if (!length || !has_body) return out;
    const auto size = std::stoul(std::string(*length));
    while (read_.size() < size) {
      if (!fill(ms)) return {0, {}, read_};
    }
    out.body = read_.substr(0, size);
    read_.erase(0, size);
    return out;
  }
  /// Whether the other side has closed.
  bool is_closed(int ms = 5000) { return !fill(ms) && closed_; }

 private:
  bool fill(int ms) {
    pollfd entry{socket_, POLLIN, 0};
    if (::poll(&entry, 1, ms) <= 0) return false;
    char bytes[65536];
    const auto got = ::recv(socket_, bytes, sizeof bytes, 0);
    closed_ = got <= 0;
    if (closed_) return false;
    read_.append(bytes, static_cast<std::size_t>(got));
    return true;
  }

  int socket_;
  bool closed_ = false;
  std::string read_;
};

}  // namespace fencepost::rest
