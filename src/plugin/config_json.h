#pragma once

#include "fencepost/config_def.h"
#include "json/writer.h"

namespace fencepost::plugin {

/// A setting's definition as the REST API writes it (ConfigKeyInfo).
void write_definition(json::Writer& out, const ConfigKey& key);

}  // namespace fencepost::plugin
