#pragma once

#include "base/forwarding_log.h"
#include "fencepost/plugin_log.h"

namespace fencepost::mirror {

/// A plugin's log for clients that want ours. The plugin's log must outlive it.
[[nodiscard]] inline Log bridge(const PluginLog& log) {
  return make_forwarding_log([&log](LogLevel level, std::string_view line) {
    log.write(static_cast<Severity>(static_cast<unsigned char>(level)), line);
  });
}

}  // namespace fencepost::mirror
