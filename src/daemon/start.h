#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "config/worker_config.h"
#include "daemon/mailbox.h"
#include "daemon/stores.h"

namespace fencepost::daemon {

/// Finds the cluster and reads the stores on a thread of its own, so that the event loop can say meanwhile what is waited for.
/// The herder is told each step, and StoresRead or StartFailed in the end.
class Start {
 public:
  Start(const config::WorkerConfig& config, Stores& stores, EventBox& events, std::function<void(std::string)> cluster_found,
        Log log);
  /// Ends what is under way; the stores are stopped.
  ~Start();
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  /// After StartFailed: why.
  [[nodiscard]] std::optional<Error> failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

 private:
  Result<void> run(const std::stop_token& stop);
  Result<std::string> ask_cluster_id(const std::stop_token& stop);

  const config::WorkerConfig& config_;
  Stores& stores_;
  EventBox& events_;
  std::function<void(std::string)> cluster_found_;
  Log log_;
  mutable std::mutex mutex_;
  std::optional<Error> failure_;
  std::jthread thread_;
};

}  // namespace fencepost::daemon
