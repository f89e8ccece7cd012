#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {
namespace {

/// The herder checks it: only it knows the protocol in use and the session key.
herder::Signature signature_of(const HttpRequest& request) {
  herder::Signature out;
  if (const auto mac = find_header(request.headers, "X-Connect-Authorization")) out.mac_base64 = std::string(*mac);
  if (const auto algorithm = find_header(request.headers, "X-Connect-Request-Signature-Algorithm")) {
    out.algorithm = std::string(*algorithm);
  }
  out.body = request.body;
  return out;
}

}  // namespace

void fence(const CallPtr& call) { call->ask(herder::FenceZombies{call->parameter(0), signature_of(call->request())}); }

void publish_task_configs(const CallPtr& call) {
  auto configs = read_task_configs(call->request().body);
  if (!configs) return call->refuse(configs.error());
  call->ask(herder::PublishTaskConfigs{call->parameter(0), *std::move(configs), signature_of(call->request())});
}

}  // namespace fencepost::rest::routes
