#pragma once

namespace fencepost::builtin {

/// What built-in plugins call their version: the worker's own.
inline constexpr const char* kVersion = "0.1.0";

}  // namespace fencepost::builtin
