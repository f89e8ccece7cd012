#pragma once

#include "base/error.h"
#include "base/log.h"
#include "config/worker_config.h"
#include "plugin/registry.h"

namespace fencepost::daemon {

/// All plugins of this worker: the built-in ones, and those that plugin.path holds. The worker's own converters are among them
/// and take their settings, or the error says which does not. Loading tries shared objects in child processes, so call it before
/// threads run.
[[nodiscard]] Result<plugin::Registry> find_plugins(const config::WorkerConfig& config, const Log& log);

}  // namespace fencepost::daemon
