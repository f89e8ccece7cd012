#include "rest/peer_client.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "net/tls.h"
#include "rest/cpprest.h"
#include "rest/cpprest_pool.h"

namespace fencepost::rest {
namespace {

namespace client = web::http::client;

/// Kept small: leaders change, and old ones should not hold sockets for ever.
constexpr std::size_t kClientsMax = 16;

HttpReply to_reply(const web::http::http_response& response, std::string body) {
  HttpReply out;
  out.status = response.status_code();
  for (const auto& [name, value] : response.headers()) out.headers.emplace_back(name, value);
  out.body = std::move(body);
  return out;
}

/// For ssl.endpoint.identification.algorithm= (empty). cpprestsdk compares names in the verification callback that it gives to
/// each connection, so the chain is verified without that callback.
void ignore_host_names(boost::asio::ssl::context& context) {
  SSL_CTX_set_cert_verify_callback(
      context.native_handle(),
      [](X509_STORE_CTX* chain, void*) {
        X509_STORE_CTX_set_verify_cb(chain, [](int ok, X509_STORE_CTX*) { return ok; });
        return X509_verify_cert(chain);
      },
      nullptr);
}

Failure unreachable(const std::string& url, std::string_view why) {
  return failure(ErrorKind::Unavailable, fmt::format("no answer from {}: {}", url, why));
}

}  // namespace

class PeerClient::Clients {
 public:
  Clients(std::chrono::seconds timeout, net::TlsSettings tls) {
    config_.set_timeout(timeout);
    config_.set_max_redirects(0);
    config_.set_ssl_context_callback([tls = std::move(tls)](boost::asio::ssl::context& context) {
      // The daemon has tried these settings when the worker started; files that went away since fail the handshake.
      (void)net::apply_tls_settings(context, tls);
      if (!tls.verify_hostname) ignore_host_names(context);
    });
  }

  client::http_client get(const std::string& url) {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(url);
    if (found != clients_.end()) return found->second;
    if (clients_.size() >= kClientsMax) clients_.clear();
    return clients_.emplace(url, client::http_client(web::uri(url), config_)).first->second;
  }

 private:
  client::http_client_config config_;
  std::mutex mutex_;
  std::map<std::string, client::http_client> clients_;
};

PeerClient::PeerClient(std::chrono::seconds timeout, net::TlsSettings tls) {
  limit_cpprest_threads();
  clients_ = std::make_unique<Clients>(timeout, std::move(tls));
}
PeerClient::~PeerClient() = default;

void PeerClient::send(const std::string& worker_url, HttpRequest request, Done done) {
  try {
    web::http::http_request message(request.method);
    message.set_request_uri(web::uri(request.target));
    for (const auto& [name, value] : request.headers) message.headers().add(name, value);
    if (!request.body.empty()) {
      const auto size = request.body.size();
      message.set_body(concurrency::streams::bytestream::open_istream(std::move(request.body)), size, "application/json");
    }
    clients_->get(worker_url)
        .request(message)
        .then([](const web::http::http_response& response) {
          return response.extract_utf8string(true).then(
              [response](std::string body) { return to_reply(response, std::move(body)); });
        })
        .then([worker_url, done](const pplx::task<HttpReply>& task) {
          Result<HttpReply> result = unreachable(worker_url, "");
          try {
            result = task.get();
          } catch (const std::exception& e) {
            result = unreachable(worker_url, e.what());
          }
          done(std::move(result));
        });
  } catch (const std::exception& e) {
    done(unreachable(worker_url, e.what()));
  }
}

}  // namespace fencepost::rest
