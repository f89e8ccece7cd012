#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/properties.h"
#include "config/worker_config.h"
#include "fencepost/config_def.h"
#include "plugin/registry.h"

namespace fencepost::plugin {

/// One setting of a validated config: what it is (absent where nobody defines it) and what was made of the given value.
struct ConfigInfo {
  std::optional<ConfigKey> definition;
  ConfigValue value;
};

/// What PUT /connector-plugins/P/config/validate answers.
struct ConfigInfos {
  std::string name;  ///< connector.class as it was given
  std::vector<std::string> groups;
  std::vector<ConfigInfo> configs;

  [[nodiscard]] std::size_t error_count() const;
  /// As the REST API writes it.
  [[nodiscard]] std::string to_json() const;
  /// The message with which a create or update is refused; nothing where there are no errors.
  [[nodiscard]] std::optional<std::string> refusal() const;
};

/// Checks a whole connector config as Connect does before it writes one: the framework's settings, those of transforms,
/// predicates and converters that it names, the connector's own (its validate() is called and may take seconds), client
/// overrides, and what exactly once asks for. Errors: InvalidConfig where there is no connector.class or no such connector, or
/// where the connector's own check throws.
[[nodiscard]] Result<ConfigInfos> validate_connector(const Registry& plugins, const config::WorkerConfig& worker,
                                                     const Properties& config);

/// What can be set on a plugin, by class, simple name or alias, as GET /connector-plugins/P/config lists it in JSON.
/// Errors: NotFound; InvalidConfig for a kind of plugin without settings.
[[nodiscard]] Result<std::string> plugin_settings_json(const Registry& plugins, std::string_view name);

}  // namespace fencepost::plugin
