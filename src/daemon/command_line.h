#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace fencepost::daemon {

using Overrides = std::vector<std::pair<std::string, std::string>>;

/// Run a worker until a signal ends it.
struct RunWorker {
  std::string properties_file;
  Overrides overrides;
};
/// Read and check the settings, say what is wrong with them, and end.
struct CheckSettings {
  std::string properties_file;
  Overrides overrides;
};
/// Nothing to run: a text that was asked for (--help, --version).
struct ShowText {
  std::string text;
};

using Command = std::variant<RunWorker, CheckSettings, ShowText>;

/// What the arguments ask for; InvalidConfig names the argument that is wrong.
[[nodiscard]] Result<Command> parse_command_line(int argc, const char* const* argv);

}  // namespace fencepost::daemon
