#include "daemon/plugins.h"

#include "daemon/builtins.h"
#include "plugin/loader.h"
#include "plugin/worker_plugins.h"

namespace fencepost::daemon {

Result<plugin::Registry> find_plugins(const config::WorkerConfig& config, const Log& log) {
  auto loaded = plugin::load_plugins(config.plugin_path, log);
  FENCEPOST_TRY(plugin::Registry plugins,
                plugin::Registry::make(plugin::merge_plugins(builtin_plugins(), std::move(loaded), log)));
  FENCEPOST_CHECK(plugin::check_worker_converters(plugins, config));
  return plugins;
}

}  // namespace fencepost::daemon
