#pragma once

#include <map>
#include <string>
#include <vector>

#include "assignor/work.h"

namespace fencepost::assignor {

/// `connect.protocol=eager`: nobody runs anything when this is asked, and all is dealt anew. Connectors in order go round the
/// workers in order, then tasks go on where the connectors ended. Needs no memory. No workers: nothing.
[[nodiscard]] std::map<std::string, Load> assign_eagerly(std::vector<std::string> workers, const Configured& configured);

}  // namespace fencepost::assignor
