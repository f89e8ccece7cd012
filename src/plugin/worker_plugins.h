#pragma once

#include "base/error.h"
#include "config/worker_config.h"
#include "plugin/registry.h"

namespace fencepost::plugin {

/// Whether the converters that a worker's file names exist and take their settings. Errors: InvalidConfig, naming the setting,
/// the value and what there is.
[[nodiscard]] Result<void> check_worker_converters(const Registry& plugins, const config::WorkerConfig& worker);

}  // namespace fencepost::plugin
