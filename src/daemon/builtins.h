#pragma once

#include <vector>

#include "fencepost/plugin.h"

namespace fencepost::daemon {

/// The plugins that come with the worker: the one list of them.
[[nodiscard]] std::vector<PluginDescriptor> builtin_plugins();

}  // namespace fencepost::daemon
