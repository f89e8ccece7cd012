#pragma once

namespace fencepost {

/// Prints one line to standard error and ends the process: our own invariant is broken, and to go on could commit on it.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line, const char* meaning);

}  // namespace fencepost

/// Kept in release builds. For our own mistakes only, never for what a broker, a file or a user can cause.
#define FENCEPOST_ASSERT(condition, meaning) \
  ((condition) ? static_cast<void>(0) : ::fencepost::assertion_failed(#condition, __FILE__, __LINE__, meaning))
