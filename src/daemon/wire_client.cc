#include "daemon/wire_client.h"

#include <utility>

#include "daemon/translate_settings.h"

namespace fencepost::daemon {

Result<std::unique_ptr<WireClient>> WireClient::start(const config::WorkerConfig& config, EventBox& events, const Log& log) {
  std::unique_ptr<WireClient> out(new WireClient);
  FENCEPOST_TRY(net::Settings settings, wire_settings(config));
  FENCEPOST_TRY(out->cluster_, net::Cluster::create(out->loop_, std::move(settings), log));
  out->group_ = std::make_unique<group::GroupClient>(
      *out->cluster_, group_settings(config), [&events](herder::Event event) { events.put(std::move(event)); }, log);
  out->fencer_ = std::make_unique<fencer::Fencer>(*out->cluster_, log);
  out->thread_ = std::thread([loop = &out->loop_] { loop->run(); });
  return out;
}

WireClient::~WireClient() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace fencepost::daemon
