#pragma once

#include <string>

#include "base/error.h"
#include "config/worker_config.h"
#include "daemon/command_line.h"

namespace fencepost::daemon {

/// Reads a worker's properties file, puts the overrides over it and checks the outcome. Errors: InvalidConfig, one line that
/// names each setting, its value and what is allowed.
[[nodiscard]] Result<config::WorkerConfig> read_settings(const std::string& file, const Overrides& overrides);

}  // namespace fencepost::daemon
