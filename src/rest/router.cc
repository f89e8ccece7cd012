#include "rest/router.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/writer.h"
#include "rest/media_types.h"
#include "rest/routes/task_number.h"

namespace fencepost::rest {
namespace {

/// The herder has a deadline of its own and knows better why; this one is for when it does not answer at all.
constexpr std::chrono::seconds kAfterTheHerder{5};

/// What a request waited for that got no answer. Nobody holds the call any more where its work was lost.
std::string wait_of(const std::weak_ptr<Call>& call, const Services& services) {
  const auto waiting = call.lock();
  return fmt::format("{}; the worker's event loop {}", waiting ? waiting->wait() : "nobody works on it any more",
                     services.port.event_loop());
}

HttpReply unhealthy(const std::string& wait) {
  std::string body;
  json::Writer(body)
      .begin_object()
      .key("status")
      .string("unhealthy")
      .key("message")
      .string("Worker was unable to handle this request and may be unable to handle other requests: " + wait + ".")
      .end_object();
  return HttpReply::json(500, std::move(body));
}

bool is_placeholder(const std::string& segment) { return segment.front() == '{'; }

bool matches(const std::string& pattern, const std::string& segment) {
  if (!is_placeholder(pattern)) return pattern == segment;
  return !pattern.ends_with(":int}") || parse_task_number(segment).has_value();
}

std::string allowed_methods(const std::vector<std::string_view>& methods) {
  std::string out;
  const auto add = [&](std::string_view method) { out.append(out.empty() ? "" : ",").append(method); };
  for (const std::string_view method : methods) {
    add(method);
    if (method == "GET") add("HEAD");
  }
  add("OPTIONS");
  return out;
}

/// What is wrong with the media types of a request; 0: nothing.
int check_media_types(const Route& route, const HttpRequest& request) {
  const auto content_type = find_header(request.headers, "Content-Type");
  if (route.checks_content_type && !may_consume_json(content_type)) return 415;
  if (!route.answers_text && !accepts_json(find_header(request.headers, "Accept"))) return 406;
  // A body without a type cannot be read; nothing at all can, and is then missing.
  const bool has_something = content_type || !request.body.empty();
  if (route.body == BodyKind::Json && has_something && !is_json(content_type)) return 415;
  return 0;
}

}  // namespace

Router::Router(std::span<const Route> routes) {
  for (const Route& route : routes) patterns_.push_back({route, *split_path(route.path)});
}

std::vector<const Router::Pattern*> Router::matching(const std::vector<std::string>& path) const {
  std::vector<const Pattern*> out;
  for (const Pattern& pattern : patterns_) {
    if (std::equal(pattern.segments.begin(), pattern.segments.end(), path.begin(), path.end(), matches)) out.push_back(&pattern);
  }
  return out;
}

Transport::Patience Router::take(const std::shared_ptr<Services>& services, HttpRequest request, Transport::Reply reply) const {
  const auto answer = [&](HttpReply now) {
    services->headers.add_to(now, request);
    reply(std::move(now));
    return Transport::Patience{};
  };
  const auto path = split_path(request.path());
  if (!path) return answer(error_reply(400, "HTTP 400 Bad Request: the path is malformed"));
  const auto found = matching(*path);
  if (found.empty()) return answer(plain_error(404));

  std::vector<std::string_view> methods;
  for (const Pattern* pattern : found) methods.push_back(pattern->route.method);
  if (request.method == "OPTIONS") return answer({.status = 200, .headers = {{"Allow", allowed_methods(methods)}}, .body = {}});
  const std::string_view method = request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  const auto chosen = std::find(methods.begin(), methods.end(), method);
  if (chosen == methods.end()) {
    HttpReply refusal = plain_error(405);
    refusal.headers.emplace_back("Allow", allowed_methods(methods));
    return answer(std::move(refusal));
  }
  const Pattern& pattern = *found[static_cast<std::size_t>(chosen - methods.begin())];
  const Route& route = pattern.route;
  if (const int status = check_media_types(route, request); status != 0) return answer(plain_error(status));

  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < path->size(); ++i) {
    if (is_placeholder(pattern.segments[i])) parameters.push_back((*path)[i]);
  }
  const auto call = std::make_shared<Call>(services, std::move(request), std::move(parameters), std::move(reply));
  try {
    route.handle(call);
  } catch (const std::exception& e) {
    // A plugin's code may stand behind some of them.
    call->answer(error_reply(500, e.what()));
  }
  const std::weak_ptr<Call> weak = call;
  if (route.is_health) {
    return {services->options.health_timeout, [weak, services] { return unhealthy(wait_of(weak, *services)); }};
  }
  return {services->options.request_timeout + kAfterTheHerder,
          [weak, services] { return error_reply(500, "Request timed out: " + wait_of(weak, *services) + "."); }};
}

}  // namespace fencepost::rest
