#pragma once

#include <functional>
#include <string_view>

#include "base/log.h"

namespace fencepost {

/// A log that hands its lines, without context, to somebody else's: a plugin's, for what the plugin uses of ours. The receiver is
/// called from any thread, also from several at once.
[[nodiscard]] Log make_forwarding_log(std::function<void(LogLevel, std::string_view)> receiver);

}  // namespace fencepost
