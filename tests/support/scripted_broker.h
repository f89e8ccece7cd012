#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "wire/apis.h"
#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/frame.h"

namespace fencepost::testing {

/// A broker on loopback that answers as a test tells it, also wrongly. It speaks real TCP and real frames, so what is tested is
/// the real client. One thread a connection.
class ScriptedBroker {
 public:
  struct Request {
    std::int16_t key = 0;
    std::int16_t version = 0;
    std::int32_t correlation = 0;
    std::string client_id;
    std::string body;
  };
  /// The bytes to send back, length and header included; nothing closes the connection; an empty string sends nothing.
  using Handler = std::function<std::optional<std::string>(const Request&)>;

  ScriptedBroker() {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(listener_, 64) != 0) {
      throw std::runtime_error("cannot listen on loopback");
    }
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    offer_everything();
    accepting_ = std::thread([this] { accept_all(); });
  }

  ~ScriptedBroker() {
    ::shutdown(listener_, SHUT_RDWR);
    accepting_.join();
    drop_connections();
    for (std::thread& thread : serving_) thread.join();
    for (const int fd : sockets_) ::close(fd);
    ::close(listener_);
  }
  ScriptedBroker(const ScriptedBroker&) = delete;
  ScriptedBroker& operator=(const ScriptedBroker&) = delete;

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] int connections() const { return connections_; }

  /// What to do with one API's requests.
  void handle(std::int16_t key, Handler handler) {
    const std::lock_guard lock(mutex_);
    handlers_[key] = std::move(handler);
  }
  template <class Typed>
  void on(std::function<typename Typed::Response(const Typed&)> answer) {
    handle(Typed::kApi.key, [answer = std::move(answer)](const Request& request) -> std::optional<std::string> {
      const auto decoded = wire::decode<Typed>(request.body, request.version);
      if (!decoded) return std::nullopt;
      return respond<Typed>(request, answer(*decoded));
    });
  }
  template <class Typed>
  static std::string respond(const Request& request, const typename Typed::Response& response) {
    return frame(request.correlation, Typed::kApi.flexible(request.version) && request.key != wire::kApiVersionsKey,
                 wire::encode(response, request.version).value());
  }
  static std::string frame(std::int32_t correlation, bool flexible_header, std::string_view body) {
    wire::Writer writer;
    writer.number(static_cast<std::int32_t>(4 + (flexible_header ? 1 : 0) + body.size()));
    writer.number(correlation);
    if (flexible_header) writer.unsigned_varint(0);
    writer.raw(body);
    return std::move(writer).take();
  }

  /// As if the network broke: every connection there is ends now.
  void drop_connections() {
    const std::lock_guard lock(mutex_);
    for (const int fd : sockets_) ::shutdown(fd, SHUT_RDWR);
  }

 private:
  void offer_everything() {
    on<wire::ApiVersionsRequest>([](const wire::ApiVersionsRequest&) {
      wire::ApiVersionsResponse out;
      wire::for_each_request([&]<class Each>() {
        out.api_keys.push_back(
            {.api_key = Each::kApi.key, .min_version = Each::kApi.versions.first, .max_version = Each::kApi.versions.last});
      });
      return out;
    });
  }

  void accept_all() {
    while (true) {
      const int fd = ::accept(listener_, nullptr, nullptr);
      if (fd < 0) return;
      const std::lock_guard lock(mutex_);
      ++connections_;
      sockets_.push_back(fd);
      serving_.emplace_back([this, fd] { serve(fd); });
    }
  }

  static bool read_exactly(int fd, char* into, std::size_t size) {
    while (size > 0) {
      const ssize_t got = ::recv(fd, into, size, 0);
      if (got <= 0) return false;
      into += got;
      size -= static_cast<std::size_t>(got);
    }
    return true;
  }

  static std::optional<Request> read_request(int fd) {
    std::string length(4, '\0');
    if (!read_exactly(fd, length.data(), 4)) return std::nullopt;
    std::string bytes(static_cast<std::size_t>(wire::Reader(length).number<std::int32_t>()), '\0');
    if (!read_exactly(fd, bytes.data(), bytes.size())) return std::nullopt;
    wire::Reader reader(bytes);
    Request out;
    out.key = reader.number<std::int16_t>();
    out.version = reader.number<std::int16_t>();
    out.correlation = reader.number<std::int32_t>();
    out.client_id = reader.raw(static_cast<std::size_t>(reader.number<std::int16_t>()));
    wire::for_each_request([&]<class Each>() {
      if (Each::kApi.key == out.key && Each::kApi.flexible(out.version)) reader.unsigned_varint();
    });
    out.body = reader.raw(reader.left());
    return out;
  }

  void serve(int fd) {
    while (const auto request = read_request(fd)) {
      Handler handler;
      {
        const std::lock_guard lock(mutex_);
        const auto found = handlers_.find(request->key);
        if (found != handlers_.end()) handler = found->second;
      }
      const auto answer = handler ? handler(*request) : std::nullopt;
      if (!answer) break;
      if (!answer->empty() && ::send(fd, answer->data(), answer->size(), MSG_NOSIGNAL) < 0) break;
    }
    ::shutdown(fd, SHUT_RDWR);
  }

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::map<std::int16_t, Handler> handlers_;
  std::vector<int> sockets_;
  std::vector<std::thread> serving_;
  std::thread accepting_;
};

}  // namespace fencepost::testing
