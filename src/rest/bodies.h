#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/properties.h"
#include "herder/requests.h"

namespace fencepost::rest {

/// Why a request is answered by its handler alone.
struct Refusal {
  int status = 400;
  std::string message;
};

template <class T>
using OrRefusal = tl::expected<T, Refusal>;

// What Jackson makes of the bodies. A body that it cannot read is a 500 in Connect; what it can read but makes no sense is a 400.

/// A config: an object of texts; numbers (as they are spelled) and booleans become text, null stays null.
[[nodiscard]] OrRefusal<Properties> read_config(std::string_view body);
/// POST /connectors. The name is trimmed and stands in the config afterwards. A bad initial_state is the client's error here,
/// 400, where Java answers 500 (KAFKA-15470).
[[nodiscard]] OrRefusal<herder::CreateConnector> read_create(std::string_view body);
/// PATCH offsets: the text of the list in "offsets", of objects with "partition" and "offset".
[[nodiscard]] OrRefusal<std::string> read_offsets(std::string_view body);
/// A list of task configs, of the internal POST /connectors/C/tasks.
[[nodiscard]] OrRefusal<std::vector<Properties>> read_task_configs(std::string_view body);

/// Puts the name into a config that does not have it. A 400 where the config has another one.
[[nodiscard]] OrRefusal<void> settle_name(const std::string& name, Properties& config);

}  // namespace fencepost::rest
