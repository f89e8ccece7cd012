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

/// Jersey's own answer where no resource has the path, or none of its methods is this one; not that of a handler.
bool knows_no_such_request(const HttpReply& reply) {
  return (reply.status == 404 || reply.status == 405) && message_of(reply).starts_with(fmt::format("HTTP {} ", reply.status));
}

std::optional<Error> to_fence_outcome(const std::string& leader_url, const std::string& what, const Result<HttpReply>& result) {
  if (!result || !knows_no_such_request(*result)) return to_outcome(what, result);
  return Error(ErrorKind::NotFound,
               fmt::format("the leader at {} knows no fencing ({}): it is of a version without exactly-once support for source "
                           "connectors. Bring every worker of the cluster to a version that has it and restart each with "
                           "exactly.once.source.support=preparing; only when all are there, restart them with enabled",
                           leader_url, message_of(*result)));
}

}  // namespace

class LeaderClient::Clients {
 public:
  Clients(Log log, std::chrono::seconds timeout, const net::TlsSettings& tls) : log_(std::move(log)), peers_(timeout, tls) {}

  using Judge = std::function<std::optional<Error>(const std::string& what, const Result<HttpReply>& result)>;

  void send(const std::string& leader_url, HttpRequest request, const std::optional<RequestSignature>& signature, Judge judge,
            Done done) {
    request.headers.emplace_back("Accept", "application/json");
    if (signature) {
      request.headers.emplace_back("X-Connect-Authorization", signature->mac_base64);
      request.headers.emplace_back("X-Connect-Request-Signature-Algorithm", signature->algorithm);
    }
    const std::string what = fmt::format("asking the leader at {}: {} {}", leader_url, request.method, request.target);
    peers_.send(leader_url, std::move(request),
                [what, log = log_, judge = std::move(judge), done = std::move(done)](const Result<HttpReply>& result) {
                  auto outcome = judge(what, result);
                  if (outcome) log.debug(outcome->message());
                  done(std::move(outcome));
                });
  }

 private:
  Log log_;
  PeerClient peers_;
};

LeaderClient::LeaderClient(Log log, std::chrono::seconds timeout, const net::TlsSettings& tls)
    : clients_(std::make_unique<Clients>(std::move(log), timeout, tls)) {}
LeaderClient::~LeaderClient() = default;

void LeaderClient::fence(const std::string& leader_url, const std::string& connector,
                         const std::optional<RequestSignature>& signature, Done done) const {
  const auto judge = [leader_url](const std::string& what, const Result<HttpReply>& result) {
    return to_fence_outcome(leader_url, what, result);
  };
  clients_->send(leader_url, {"PUT", "/connectors/" + encode_strictly(connector) + "/fence", {}, {}}, signature, judge,
                 std::move(done));
}

void LeaderClient::send_task_configs(const std::string& leader_url, const std::string& connector, const std::string& body,
                                     const std::optional<RequestSignature>& signature, Done done) const {
  clients_->send(leader_url, {"POST", "/connectors/" + encode_strictly(connector) + "/tasks", {}, body}, signature, to_outcome,
                 std::move(done));
}

}  // namespace fencepost::rest
