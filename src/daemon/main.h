#pragma once

namespace fencepost::daemon {

/// The program. Exit codes: 0 done, 1 the worker could not start or go on, 2 wrong arguments or settings.
[[nodiscard]] int run(int argc, const char* const* argv);

}  // namespace fencepost::daemon
