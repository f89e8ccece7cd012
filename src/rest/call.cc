#include "rest/call.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "rest/answers.h"

namespace fencepost::rest {
namespace {

/// More than these waiting, and a client is told to come back.
constexpr std::size_t kValidationsWaitingMax = 1000;
constexpr std::size_t kValidationThreads = 2;

/// What belongs to the request whoever carries it.
constexpr std::string_view kForwardedHeaders[] = {"Authorization", "X-Connect-Authorization",
                                                  "X-Connect-Request-Signature-Algorithm"};

constexpr std::string_view kHerder = "the worker's herder";

herder::Hop hop_of(const Query& query) {
  if (!find_query(query, "forward")) return herder::Hop::FromClient;
  return query_flag(query, "forward", false) ? herder::Hop::Forwarded : herder::Hop::ForwardedTwice;
}

bool is_error_body(const std::string& body) {
  const auto value = json::parse(body);
  return value && value->find("error_code") != nullptr && value->find("message") != nullptr;
}

bool is_host(std::string_view host) {
  return !host.empty() && host.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:[]") ==
                              std::string_view::npos;
}

}  // namespace

Services::Services(const Options& server_options, Port& bound_port, ResponseHeaders response_headers, Log server_log)
    : options(server_options),
      port(bound_port),
      headers(std::move(response_headers)),
      log(std::move(server_log)),
      peers(server_options.request_timeout, server_options.tls.settings),
      validation(kValidationThreads, kValidationsWaitingMax) {}

Call::Call(std::shared_ptr<Services> services, HttpRequest request, std::vector<std::string> parameters, Transport::Reply reply)
    : services_(std::move(services)),
      request_(std::move(request)),
      query_(parse_query(request_.query())),
      parameters_(std::move(parameters)),
      reply_(std::move(reply)),
      hop_(hop_of(query_)) {}

void Call::waits_for(std::string whom) {
  const std::lock_guard lock(waits_mutex_);
  waits_for_ = std::move(whom);
  waits_since_ = std::chrono::steady_clock::now();
}

std::string Call::wait() const {
  const std::lock_guard lock(waits_mutex_);
  const auto waited = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - waits_since_);
  return fmt::format("it has waited for {} for {} s", waits_for_, waited.count());
}

void Call::answer(HttpReply reply) {
  if (reply.status == 201 && !created_.empty()) reply.headers.emplace_back("Location", location());
  services_->headers.add_to(reply, request_);
  reply_(std::move(reply));
}

void Call::ask(herder::Request request) {
  waits_for(std::string(kHerder));
  services_->port.submit(hop_, std::move(request),
                         [self = shared_from_this()](const herder::Response& response) { self->on_response(response); });
}

void Call::once_started(std::function<void()> go_on) {
  if (services_->port.connector_views() != nullptr) return go_on();
  waits_for(std::string(kHerder));
  services_->port.submit(herder::Hop::ForwardedTwice, herder::ListConnectors{},
                         [self = shared_from_this(), go_on = std::move(go_on)](const herder::Response& response) {
                           if (std::holds_alternative<Error>(response)) return self->on_response(response);
                           go_on();
                         });
}

void Call::ask_to_create(std::string connector, herder::Request request) {
  created_ = std::move(connector);
  ask(std::move(request));
}

void Call::on_response(const herder::Response& response) {
  if (const auto* other = std::get_if<herder::ForwardTo>(&response); other != nullptr && hop_ != herder::Hop::ForwardedTwice) {
    return forward(other->url);
  }
  if (const auto* error = std::get_if<Error>(&response); error != nullptr && is_repaired_escape(*error)) {
    return answer(error_reply(400, fmt::format("{}; or is the '%' in the path a malformed escape?", error->message())));
  }
  answer(to_reply(response));
}

/// Many clients mend "/connectors/%zz" to "/connectors/%25zz" before they send it. Java's server refuses each %25, malformed or
/// not; here it can belong to a name, so it counts as malformed only where no connector has it.
bool Call::is_repaired_escape(const Error& error) const {
  return error.kind() == ErrorKind::NotFound && request_.method == "GET" && !parameters_.empty() &&
         has_stray_percent(parameters_[0]);
}

std::string Call::location() const {
  const auto host = find_header(request_.headers, "Host");
  const std::string base = host && is_host(*host) ? fmt::format("{}://{}/", request_.scheme, *host) : services_->advertised_url;
  return base + "connectors/" + encode_segment(created_);
}

/// The same request with each name encoded anew and one hop more on its account.
HttpRequest Call::forwarded() const {
  HttpRequest out;
  out.method = request_.method;
  const auto segments = split_path(request_.path());
  for (const std::string& segment : segments.value_or(std::vector<std::string>()))
    out.target.append("/").append(encode_strictly(segment));
  out.target += hop_ == herder::Hop::FromClient ? "?forward=true" : "?forward=false";
  for (const auto& [name, value] : query_) {
    if (name != "forward") out.target.append("&").append(encode_strictly(name)).append("=").append(encode_strictly(value));
  }
  out.headers.emplace_back("Accept", "application/json");
  for (const std::string_view name : kForwardedHeaders) {
    if (const auto value = find_header(request_.headers, name)) out.headers.emplace_back(name, *value);
  }
  out.body = request_.body;
  return out;
}

void Call::forward(const std::string& worker_url) {
  if (worker_url.empty()) {
    return answer(error_reply(409,
                              "Cannot complete request momentarily due to no known leader URL, likely because a rebalance was "
                              "underway."));
  }
  waits_for(fmt::format("worker {}, the leader, to which the request was passed on", worker_url));
  services_->peers.send(worker_url, forwarded(), [self = shared_from_this(), worker_url](Result<HttpReply> result) {
    self->relay(worker_url, std::move(result));
  });
}

void Call::relay(const std::string& worker_url, Result<HttpReply> result) {
  if (!result) {
    services_->log.error(
        fmt::format("REST: {} {} could not be passed on: {}", request_.method, request_.path(), result.error().message()));
    return answer(error_reply(500, "IO Error trying to forward REST request: " + result.error().message()));
  }
  const bool is_success = result->status >= 200 && result->status < 300;
  if (is_success || is_error_body(result->body)) return answer(HttpReply::json(result->status, std::move(result->body)));
  answer(error_reply(
      500, fmt::format("Unexpected status code when handling forwarded request: {} from {}", result->status, worker_url)));
}

}  // namespace fencepost::rest
