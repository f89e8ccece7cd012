#include "fencepost/plugin.h"

namespace fencepost {

std::string_view to_string(PluginKind kind) {
  static constexpr std::string_view kNames[] = {"source",         "sink",      "converter",     "header_converter",
                                                "transformation", "predicate", "configprovider"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace fencepost
