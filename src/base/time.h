#pragma once

#include <chrono>

namespace fencepost {

/// Milliseconds since the Unix epoch. The shell makes it from the wall clock at start plus a steady clock since then, so it
/// never runs backwards. The core only ever receives it.
using Time = std::chrono::sys_time<std::chrono::milliseconds>;
using Duration = std::chrono::milliseconds;

}  // namespace fencepost
