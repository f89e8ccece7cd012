#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {

void get_config(const CallPtr& call) { call->ask(herder::GetConnectorConfig{call->parameter(0)}); }

void put_config(const CallPtr& call) {
  auto config = read_config(call->request().body);
  if (!config) return call->refuse(config.error());
  const std::string& name = call->parameter(0);
  if (const auto settled = settle_name(name, *config); !settled) return call->refuse(settled.error());
  call->ask_to_create(name, herder::PutConnectorConfig{name, *std::move(config)});
}

void patch_config(const CallPtr& call) {
  auto patch = read_config(call->request().body);
  if (!patch) return call->refuse(patch.error());
  call->ask(herder::PatchConnectorConfig{call->parameter(0), *std::move(patch)});
}

}  // namespace fencepost::rest::routes
