#include "rest/transport.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "rest/cpprest.h"
#include "rest/cpprest_pool.h"
#include "rest/listening.h"
#include "rest/path.h"

namespace fencepost::rest {
namespace {

using web::http::http_request;
using web::http::http_response;
using ListenerHook = web::http::experimental::listener::details::http_listener_impl;
using ServerApi = web::http::experimental::details::http_server_api;

/// Which connection and which of its requests an http_request belongs to.
class ExchangeContext : public web::http::details::_http_server_context {
 public:
  ExchangeContext(std::shared_ptr<Connection> connection, std::uint64_t exchange, Transport::Patience& patience)
      : connection_(std::move(connection)), exchange_(exchange), patience_(&patience) {}
  void answer(HttpReply reply) const { connection_->answer(exchange_, std::move(reply)); }
  /// Where dispatch() waits to hear how long the answer may take; gone when dispatch() returns.
  [[nodiscard]] Transport::Patience* patience() const { return patience_; }

 private:
  std::shared_ptr<Connection> connection_;
  std::uint64_t exchange_;
  Transport::Patience* patience_;
};

std::string take_body(const web::http::details::http_msg_base& message) {
  std::string out;
  if (!message.instream().is_valid()) return out;
  auto buffer = message.instream().streambuf();
  std::uint8_t* data = nullptr;
  std::size_t size = 0;
  if (buffer.acquire(data, size) && size > 0) {
    out.assign(reinterpret_cast<const char*>(data), size);
    buffer.release(data, size);
  }
  return out;
}

/// What cpprestsdk knows of our transport. It owns this object from the first listener to the last one of the process.
class Hub : public web::http::experimental::details::http_server {
 public:
  pplx::task<void> start() override { return pplx::task_from_result(); }
  pplx::task<void> stop() override { return pplx::task_from_result(); }
  pplx::task<void> register_listener(ListenerHook* listener) override {
    const std::lock_guard lock(mutex_);
    listeners_[listener->uri().to_string()] = listener;
    return pplx::task_from_result();
  }
  pplx::task<void> unregister_listener(ListenerHook* listener) override {
    const std::lock_guard lock(mutex_);
    listeners_.erase(listener->uri().to_string());
    return pplx::task_from_result();
  }
  pplx::task<void> respond(http_response response) override {
    const auto* context = static_cast<const ExchangeContext*>(response._get_server_context());
    HttpReply reply;
    reply.status = response.status_code();
    for (const auto& [name, value] : response.headers()) {
      if (!equals_ignoring_case(name, "Content-Length")) reply.headers.emplace_back(name, value);
    }
    reply.body = take_body(*response._get_impl());
    context->answer(std::move(reply));
    return pplx::task_from_result();
  }
  [[nodiscard]] ListenerHook* find(const std::string& uri) {
    const std::lock_guard lock(mutex_);
    const auto found = listeners_.find(uri);
    return found == listeners_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, ListenerHook*> listeners_;
};

/// Answers pass while it is open. Closing waits for those that are passing, so that none meets a listener that is gone.
class Gate {
 public:
  template <class Pass>
  void pass(Pass pass) {
    const std::shared_lock lock(mutex_);
    if (open_) pass();
  }
  void close() {
    const std::unique_lock lock(mutex_);
    open_ = false;
  }

 private:
  std::shared_mutex mutex_;
  bool open_ = true;
};

http_response to_response(HttpReply reply) {
  http_response response(static_cast<web::http::status_code>(reply.status));
  for (const auto& [name, value] : reply.headers) response.headers().add(name, value);
  if (!reply.body.empty()) response.set_body(std::move(reply.body), reply.media_type);
  return response;
}

std::string target_of(const web::uri& uri) { return uri.query().empty() ? uri.path() : uri.path() + "?" + uri.query(); }

/// One listener of cpprestsdk with its handler.
class CpprestListener {
 public:
  CpprestListener(const Endpoint& bound, Transport::Handler handler, std::function<void(HttpReply&)> decorate,
                  std::shared_ptr<Gate> gate)
      : scheme_(bound.scheme),
        handler_(std::move(handler)),
        decorate_(std::move(decorate)),
        gate_(std::move(gate)),
        listener_(web::uri(key_of(bound))) {
    const auto take = [this](const http_request& request) { this->take(request); };
    listener_.support(take);
    // These two have handlers of cpprestsdk's own unless they are taken by name.
    listener_.support(web::http::methods::OPTIONS, take);
    listener_.support(web::http::methods::TRCE, take);
  }

  void open() {
    if (ServerApi::server_api() == nullptr) ServerApi::register_server_api(std::make_unique<Hub>());
    listener_.open().get();
    hook_ = static_cast<Hub*>(ServerApi::server_api())->find(listener_.uri().to_string());
  }
  void close() { listener_.close().get(); }

  /// Called by connections.
  Transport::Patience dispatch(const std::shared_ptr<Connection>& connection, std::uint64_t exchange, HttpRequest request) {
    Transport::Patience patience;
    auto message = http_request::_create_request(std::make_unique<ExchangeContext>(connection, exchange, patience));
    try {
      // To cpprestsdk "//connectors" is a host.
      if (request.target.starts_with("//")) throw web::uri_exception("empty segment");
      message.set_method(request.method);
      message.set_request_uri(web::uri(with_clean_query(request.target)));
    } catch (const std::exception&) {
      HttpReply reply = error_reply(400, "HTTP 400 Bad Request: the path is malformed; names in it must be percent-encoded");
      decorate_(reply);
      connection->answer(exchange, std::move(reply));
      return patience;
    }
    for (const auto& [name, value] : request.headers) message.headers().add(name, value);
    if (!request.body.empty()) {
      message._get_impl()->set_instream(concurrency::streams::bytestream::open_istream(std::move(request.body)));
    }
    hook_->handle_request(message);
    return patience;
  }

 private:
  /// cpprestsdk wants a URI of each listener; no request is compared with it.
  static std::string key_of(const Endpoint& bound) {
    std::string host = bound.host.empty() ? "any" : bound.host;
    for (char& c : host) c = c == ':' || c == '%' ? '-' : c;
    return fmt::format("http://{}:{}/", host, bound.port);
  }

  void take(const http_request& message) {
    HttpRequest request;
    request.method = message.method();
    request.target = target_of(message.request_uri());
    for (const auto& [name, value] : message.headers()) request.headers.emplace_back(name, value);
    request.body = take_body(*message._get_impl());
    request.scheme = scheme_;
    auto* patience = static_cast<const ExchangeContext*>(message._get_server_context())->patience();
    auto pending = std::make_shared<std::atomic<bool>>(true);
    *patience = handler_(std::move(request), [message, pending, gate = gate_](HttpReply reply) {
      if (!pending->exchange(false)) return;
      gate->pass([&] { http_request(message).reply(to_response(std::move(reply))); });
    });
  }

  std::string scheme_;
  Transport::Handler handler_;
  std::function<void(HttpReply&)> decorate_;
  std::shared_ptr<Gate> gate_;
  web::http::experimental::listener::http_listener listener_;
  ListenerHook* hook_ = nullptr;
};

class CpprestTransport : public Transport {
 public:
  CpprestTransport(const Limits& limits, std::function<void(HttpReply&)> decorate)
      : limits_(limits), decorate_(std::move(decorate)), threads_(limits.threads) {}
  ~CpprestTransport() override { CpprestTransport::close(); }

  Result<void> bind(const std::vector<Listener>& listeners, const Log& log) {
    for (const Listener& listener : listeners) {
      FENCEPOST_TRY(auto listening, Listening::open(listener.endpoint, threads_, log));
      endpoints_.push_back(listening->endpoint());
      listenings_.push_back(std::move(listening));
      listeners_.push_back(std::make_unique<CpprestListener>(endpoints_.back(), listener.handler, decorate_, gate_));
      tls_.push_back(listener.tls);
    }
    return {};
  }

  void start() override {
    for (std::size_t i = 0; i < listeners_.size(); ++i) {
      listeners_[i]->open();
      ++opened_;
      auto settings = std::make_shared<ConnectionSettings>();
      settings->limits = limits_;
      settings->tls = tls_[i];
      settings->decorate = decorate_;
      settings->dispatch = [listener = listeners_[i].get()](const auto& connection, std::uint64_t exchange, HttpRequest request) {
        return listener->dispatch(connection, exchange, std::move(request));
      };
      listenings_[i]->start(std::move(settings));
    }
  }

  const std::vector<Endpoint>& endpoints() const override { return endpoints_; }

  void close() override {
    if (std::exchange(closed_, true)) return;
    for (const auto& listening : listenings_) listening->stop();
    threads_.close(limits_.farewell);
    gate_->close();
    for (; opened_ > 0; --opened_) listeners_[opened_ - 1]->close();
  }

 private:
  bool closed_ = false;
  Limits limits_;
  std::function<void(HttpReply&)> decorate_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::vector<std::unique_ptr<CpprestListener>> listeners_;
  std::vector<std::shared_ptr<TlsContext>> tls_;
  std::size_t opened_ = 0;
  std::vector<Endpoint> endpoints_;
  IoThreads threads_;
  std::vector<std::shared_ptr<Listening>> listenings_;
};

}  // namespace

Result<std::unique_ptr<Transport>> Transport::open(const std::vector<Listener>& listeners, const Limits& limits,
                                                   std::function<void(HttpReply&)> decorate, const Log& log) {
  limit_cpprest_threads();
  auto out = std::make_unique<CpprestTransport>(limits, std::move(decorate));
  FENCEPOST_CHECK(out->bind(listeners, log));
  return out;
}

}  // namespace fencepost::rest
