#include "fencepost/plugin.h"

extern "C" __attribute__((visibility("default"))) const fencepost::PluginModule* fencepost_plugin_module() {
  static const fencepost::PluginModule module{fencepost::kSdkVersion + 1000, nullptr};
  return &module;
}
