#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {

void get_offsets(const CallPtr& call) { call->ask(herder::GetOffsets{call->parameter(0)}); }

void alter_offsets(const CallPtr& call) {
  auto offsets = read_offsets(call->request().body);
  if (!offsets) return call->refuse(offsets.error());
  call->ask(herder::AlterOffsets{call->parameter(0), *std::move(offsets)});
}

void reset_offsets(const CallPtr& call) { call->ask(herder::AlterOffsets{call->parameter(0), std::nullopt}); }

}  // namespace fencepost::rest::routes
