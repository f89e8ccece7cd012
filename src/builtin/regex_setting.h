#pragma once

#include <string>

#include "fencepost/config_def.h"
#include "regex/pattern.h"

namespace fencepost::builtin {

/// Checks that a setting is a regular expression; shown as "valid regex".
[[nodiscard]] ConfigValidator valid_regex();
/// The compiled expression of a setting that was checked; ConfigError names it otherwise.
[[nodiscard]] regex::Pattern compile_setting(std::string_view name, const std::string& expression);

}  // namespace fencepost::builtin
