#pragma once

#include "base/log_control.h"
#include "config/worker_config.h"

namespace fencepost::daemon {

/// Runs a worker until SIGTERM or SIGINT; the exit code. What keeps it from starting is one line in the log that names the cure.
[[nodiscard]] int run_worker(const config::WorkerConfig& config, const AdjustableLog& log);

}  // namespace fencepost::daemon
