#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fencepost/config_def.h"

namespace fencepost {

/// Values that a config refers to as ${provider:path:key}, from a file, the environment, a vault (KIP-297).
/// Threads: any, after configure(). Errors: ConfigError, naming path and key, never the value.
class ConfigProvider {
 public:
  virtual ~ConfigProvider() = default;

  struct Data {
    ConfigMap values{};
    /// After this long the value may have changed, and connectors that use it are restarted if they ask for that.
    std::optional<std::chrono::milliseconds> ttl{};
  };

  virtual void configure(const ConfigMap& config) = 0;
  [[nodiscard]] virtual ConfigDef config_def() const { return {}; }
  /// The values of these keys; keys that are unknown are absent in the answer.
  [[nodiscard]] virtual Data get(std::string_view path, const std::set<std::string, std::less<>>& keys) = 0;

 protected:
  ConfigProvider() = default;
  ConfigProvider(const ConfigProvider&) = default;
  ConfigProvider& operator=(const ConfigProvider&) = default;
};

}  // namespace fencepost
