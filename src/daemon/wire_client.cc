#include "daemon/wire_client.h"

#include <utility>

#include "daemon/translate_settings.h"

namespace fencepost::daemon {

Result<std::unique_ptr<WireClient>> WireClient::start(const config::WorkerConfig& config, EventBox& events, const Log& log) {
  std::unique_ptr<WireClient> out(new WireClient(config, log));
  FENCEPOST_TRY(net::Settings settings, wire_settings(config));
  FENCEPOST_TRY(out->cluster_, net::Cluster::create(out->loop_, std::move(settings), log));
  out->group_ = std::make_unique<group::GroupClient>(
      *out->cluster_, group_settings(config), [&events](herder::Event event) { events.put(std::move(event)); }, log);
  out->fencer_ = std::make_unique<fencer::Fencer>(*out->cluster_, log);
  out->thread_ = std::thread([loop = &out->loop_] { loop->run(); });
  return out;
}

void WireClient::with_fencer_of(Properties connector, std::function<void(Result<fencer::Fencer*>)> use) {
  loop_.post([this, connector = std::move(connector), use = std::move(use)] { use(fencer_of(connector)); });
}

Result<fencer::Fencer*> WireClient::fencer_of(const Properties& connector) {
  FENCEPOST_TRY(auto settings, target_wire_settings(config_, connector));
  if (!settings) return fencer_.get();
  // What decides where and as whom the client connects; the values may be secrets and are compared only.
  std::string key;
  for (const char* prefix : {"producer.override.", "admin.override."}) {
    for (const auto& [name, value] : connector.with_prefix(prefix)) {
      key.append(prefix).append(name).append("=").append(value.value_or("")).append("\n");
    }
  }
  const auto known = targets_.find(key);
  if (known != targets_.end()) return known->second.fencer.get();
  Target target;
  FENCEPOST_TRY(target.cluster, net::Cluster::create(loop_, *std::move(settings), log_));
  target.fencer = std::make_unique<fencer::Fencer>(*target.cluster, log_);
  return targets_.emplace(std::move(key), std::move(target)).first->second.fencer.get();
}

WireClient::~WireClient() {
  loop_.stop();
  if (thread_.joinable()) thread_.join();
}

}  // namespace fencepost::daemon
