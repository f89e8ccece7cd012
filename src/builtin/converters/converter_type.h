#pragma once

#include "fencepost/config_def.h"

namespace fencepost::builtin {

/// The setting that all converters have: whether they convert keys, values or headers. The framework sets it.
[[nodiscard]] ConfigDef converter_config_def();

}  // namespace fencepost::builtin
