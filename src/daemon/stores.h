#pragma once

#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "config/worker_config.h"
#include "daemon/mailbox.h"
#include "store/config_log.h"
#include "store/offset_log.h"
#include "store/status_log.h"

namespace fencepost::daemon {

/// The worker's three internal topics.
class Stores {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Stores>> make(const config::WorkerConfig& config, EventBox& events, const Log& log);

  /// Makes the topics that are missing, checks them, and reads all three to their ends, side by side.
  [[nodiscard]] Result<void> start(std::chrono::milliseconds timeout);
  /// Ends a start() that is under way, from any thread.
  void stop();

  [[nodiscard]] store::ConfigLog& configs() { return *configs_; }
  [[nodiscard]] store::StatusLog& statuses() { return *statuses_; }
  [[nodiscard]] store::OffsetLog& offsets() { return *offsets_; }

 private:
  std::shared_ptr<kafka::LogWriter> writer_;
  std::unique_ptr<store::ConfigLog> configs_;
  std::unique_ptr<store::StatusLog> statuses_;
  std::unique_ptr<store::OffsetLog> offsets_;
};

}  // namespace fencepost::daemon
