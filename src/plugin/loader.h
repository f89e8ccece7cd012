#pragma once

#include <string>
#include <vector>

#include "base/log.h"
#include "fencepost/plugin.h"

namespace fencepost::plugin {

/// Finds and loads the shared objects (*.so) that lie in the folders of plugin.path, or in their direct subfolders, and returns
/// the plugins that they offer. An entry of the path may also be a shared object itself.
///
/// Each object is tried in a child process first, so that one that crashes or hangs while it is loaded costs a line in the log,
/// not the worker. The same goes for a missing entry point, a wrong SDK version, or a plugin without a factory. Loaded objects
/// stay loaded until the process ends: their code may be called at any time.
///
/// Threads: call it once at start, before other threads run (it forks). Blocks for a few milliseconds an object.
[[nodiscard]] std::vector<PluginDescriptor> load_plugins(const std::vector<std::string>& plugin_path, const Log& log);

/// Adds loaded plugins to built-in ones. A loaded one of the same kind and class name is left out, with a line in the log: a
/// worker must not do something else than its version says because of a file.
[[nodiscard]] std::vector<PluginDescriptor> merge_plugins(std::vector<PluginDescriptor> built_in,
                                                          std::vector<PluginDescriptor> loaded, const Log& log);

}  // namespace fencepost::plugin
