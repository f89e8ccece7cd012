#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/properties.h"
#include "config/worker_config.h"
#include "daemon/mailbox.h"
#include "fencer/fencer.h"
#include "group/group_client.h"
#include "net/cluster.h"
#include "net/loop.h"

namespace fencepost::daemon {

/// The worker's own Kafka client and its thread: membership and fencing.
class WireClient {
 public:
  [[nodiscard]] static Result<std::unique_ptr<WireClient>> start(const config::WorkerConfig& config, EventBox& events,
                                                                 const Log& log);
  ~WireClient();
  WireClient(const WireClient&) = delete;
  WireClient& operator=(const WireClient&) = delete;

  [[nodiscard]] group::GroupClient& group() { return *group_; }
  [[nodiscard]] fencer::Fencer& fencer() { return *fencer_; }
  /// The fencer of the Kafka that a connector with this config writes to, where its transactional ids are known. `use` is called
  /// on this client's thread. InvalidConfig where the connector's client settings are wrong.
  void with_fencer_of(Properties connector, std::function<void(Result<fencer::Fencer*>)> use);

 private:
  /// Another Kafka that connectors of this worker write to.
  struct Target {
    std::unique_ptr<net::Cluster> cluster;
    std::unique_ptr<fencer::Fencer> fencer;
  };
  WireClient(const config::WorkerConfig& config, Log log) : config_(config), log_(std::move(log)) {}
  [[nodiscard]] Result<fencer::Fencer*> fencer_of(const Properties& connector);

  const config::WorkerConfig& config_;
  const Log log_;

  net::Loop loop_;
  std::unique_ptr<net::Cluster> cluster_;
  std::unique_ptr<group::GroupClient> group_;
  std::unique_ptr<fencer::Fencer> fencer_;
  std::map<std::string, Target> targets_;  ///< by their clients' settings; used on the thread alone
  std::thread thread_;
};

}  // namespace fencepost::daemon
