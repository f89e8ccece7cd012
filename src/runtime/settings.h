#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/properties.h"
#include "fencepost/config_def.h"

namespace fencepost::runtime {

// Reads single settings of a connector's config, which was validated when it was created; what is wrong all the same (an edit
// of the config topic by hand) is InvalidConfig naming the setting.

[[nodiscard]] std::string lower(std::string_view text);
[[nodiscard]] Result<std::int64_t> whole_number(const Properties& config, std::string_view name, std::int64_t fallback);
[[nodiscard]] bool flag(const Properties& config, std::string_view name, bool fallback);
/// Elements between commas, blanks around them dropped; no empty ones.
[[nodiscard]] std::vector<std::string> list(const Properties& config, std::string_view name);
/// What plugins are given: null values are left out.
[[nodiscard]] ConfigMap to_config_map(const Properties& config);

}  // namespace fencepost::runtime
