#pragma once

#include "fencepost/config_def.h"

namespace fencepost::config {

/// What the framework itself understands in the config of a source connector, in the order in which Connect shows it.
/// Settings of transforms, predicates and converters depend on the config and are added by the plugin folder's validation.
[[nodiscard]] ConfigDef source_connector_config_def();
/// The same for a sink connector.
[[nodiscard]] ConfigDef sink_connector_config_def();

}  // namespace fencepost::config
