#pragma once

#include <string_view>

namespace fencepost::daemon {

/// Fencepost's own version; also that of its built-in plugins.
inline constexpr std::string_view kVersion = "0.1.0";
/// The Kafka Connect whose REST API and formats this is. GET / shows it, because tools choose features by it.
inline constexpr std::string_view kConnectVersion = "4.3.1";

}  // namespace fencepost::daemon
