#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "base/error.h"
#include "base/log.h"
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

 private:
  WireClient() = default;

  net::Loop loop_;
  std::unique_ptr<net::Cluster> cluster_;
  std::unique_ptr<group::GroupClient> group_;
  std::unique_ptr<fencer::Fencer> fencer_;
  std::thread thread_;
};

}  // namespace fencepost::daemon
