#include "rest/leader_client.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "rest/path.h"
#include "rest/peer_client.h"

namespace fencepost::rest {
namespace {

ErrorKind kind_of(int status) {
  switch (status) {
    case 400:
      return ErrorKind::InvalidConfig;
    case 403:
      return ErrorKind::Forbidden;
    case 404:
      return ErrorKind::NotFound;
    case 409:
      return ErrorKind::Conflict;
    case 503:
      return ErrorKind::Unavailable;
    default:
      return ErrorKind::Failed;
  }
}

std::string message_of(const HttpReply& reply) {
  const auto body = json::parse(reply.body);
  const auto* message = body ? body->find("message") : nullptr;
  if (message != nullptr && message->is_string()) return *message->as_string();
  return "no message";
}

std::optional<Error> to_outcome(const std::string& what, const Result<HttpReply>& result) {
  if (!result) return Error(result.error()).while_doing(what);
  if (result->status >= 200 && result->status < 300) return std::nullopt;
  return Error(kind_of(result->status), fmt::format("{}: {} {}", what, result->status, message_of(*result)));
}

}  // namespace

class LeaderClient::Clients {
 public:
  Clients(Log log, std::chrono::seconds timeout) : log_(std::move(log)), peers_(timeout) {}

  void send(const std::string& leader_url, HttpRequest request, const std::optional<RequestSignature>& signature, Done done) {
    request.headers.emplace_back("Accept", "application/json");
    if (signature) {
      request.headers.emplace_back("X-Connect-Authorization", signature->mac_base64);
      request.headers.emplace_back("X-Connect-Request-Signature-Algorithm", signature->algorithm);
    }
    const std::string what = fmt::format("asking the leader at {}: {} {}", leader_url, request.method, request.target);
    peers_.send(leader_url, std::move(request), [what, log = log_, done = std::move(done)](const Result<HttpReply>& result) {
      auto outcome = to_outcome(what, result);
      if (outcome) log.debug(outcome->message());
      done(std::move(outcome));
    });
  }

 private:
  Log log_;
  PeerClient peers_;
};

LeaderClient::LeaderClient(Log log, std::chrono::seconds timeout)
    : clients_(std::make_unique<Clients>(std::move(log), timeout)) {}
LeaderClient::~LeaderClient() = default;

void LeaderClient::fence(const std::string& leader_url, const std::string& connector,
                         const std::optional<RequestSignature>& signature, Done done) const {
  clients_->send(leader_url, {"PUT", "/connectors/" + encode_strictly(connector) + "/fence", {}, {}}, signature, std::move(done));
}

void LeaderClient::send_task_configs(const std::string& leader_url, const std::string& connector, const std::string& body,
                                     const std::optional<RequestSignature>& signature, Done done) const {
  clients_->send(leader_url, {"POST", "/connectors/" + encode_strictly(connector) + "/tasks", {}, body}, signature,
                 std::move(done));
}

}  // namespace fencepost::rest
