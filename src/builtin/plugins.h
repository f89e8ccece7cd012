#pragma once

#include <vector>

#include "fencepost/plugin.h"

namespace fencepost::builtin {

/// The plugins of this folder under the names of the Java classes that they stand for.
[[nodiscard]] std::vector<PluginDescriptor> plugins();

}  // namespace fencepost::builtin
