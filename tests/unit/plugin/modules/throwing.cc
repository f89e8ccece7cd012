#include "fencepost/plugin.h"

namespace {

void list(std::vector<fencepost::PluginDescriptor>&) { throw fencepost::ConnectError("no licence file"); }

}  // namespace

FENCEPOST_EXPORT_PLUGINS(list)
