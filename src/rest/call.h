#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "herder/requests.h"
#include "rest/bodies.h"
#include "rest/http.h"
#include "rest/path.h"
#include "rest/peer_client.h"
#include "rest/port.h"
#include "rest/response_headers.h"
#include "rest/server.h"
#include "rest/transport.h"
#include "rest/validation_pool.h"

namespace fencepost::rest {

/// What all calls of a server share.
struct Services {
  Services(const Options& server_options, Port& bound_port, ResponseHeaders response_headers, Log server_log);

  Options options;
  Port& port;
  ResponseHeaders headers;
  Log log;
  PeerClient peers;
  ValidationPool validation;
  std::string advertised_url;  ///< known once the listeners are bound
};

/// One request on its way: handlers read it, ask the herder, and answer it once. It lives until it is answered.
class Call : public std::enable_shared_from_this<Call> {
 public:
  Call(std::shared_ptr<Services> services, HttpRequest request, std::vector<std::string> parameters, Transport::Reply reply);

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  [[nodiscard]] const Query& query() const { return query_; }
  [[nodiscard]] bool flag(std::string_view name, bool fallback = false) const { return query_flag(query_, name, fallback); }
  /// What stood in the place of the n-th {...} of the route's path, decoded.
  [[nodiscard]] const std::string& parameter(std::size_t n) const { return parameters_[n]; }
  [[nodiscard]] Services& services() const { return *services_; }

  /// What a client is told that waited for too long: what the call waits for from now on, as in "validation by its plugin".
  void waits_for(std::string whom);
  /// The same as it is now, since when.
  [[nodiscard]] std::string wait() const;

  void answer(HttpReply reply);
  void refuse(const Refusal& refusal) { answer(error_reply(refusal.status, refusal.message)); }

  /// Asks the herder and answers with what it says, or passes the request on to the worker that must answer it.
  void ask(herder::Request request);
  /// The same; a 201 gets the Location of this connector.
  void ask_to_create(std::string connector, herder::Request request);
  /// Goes on at once where there are connector views, else when the worker has read its config topic, which its herder knows; or
  /// answers why that did not come about.
  void once_started(std::function<void()> go_on);

  /// Whether no other worker has passed it on to this one.
  [[nodiscard]] bool is_from_client() const { return hop_ == herder::Hop::FromClient; }
  /// Asks another worker the same; Unavailable where it does not answer.
  void ask_worker(const std::string& worker_url, PeerClient::Done done) const {
    services_->peers.send(worker_url, forwarded(), std::move(done));
  }

 private:
  void on_response(const herder::Response& response);
  [[nodiscard]] bool is_repaired_escape(const Error& error) const;
  void forward(const std::string& worker_url);
  void relay(const std::string& worker_url, Result<HttpReply> result);
  [[nodiscard]] HttpRequest forwarded() const;
  [[nodiscard]] std::string location() const;

  std::shared_ptr<Services> services_;
  HttpRequest request_;
  Query query_;
  std::vector<std::string> parameters_;
  Transport::Reply reply_;
  herder::Hop hop_ = herder::Hop::FromClient;
  std::string created_;
  mutable std::mutex waits_mutex_;
  std::string waits_for_ = "its handler";
  std::chrono::steady_clock::time_point waits_since_ = std::chrono::steady_clock::now();
};

using CallPtr = std::shared_ptr<Call>;

}  // namespace fencepost::rest
