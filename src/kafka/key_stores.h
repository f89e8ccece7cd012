#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "base/properties.h"

namespace fencepost::kafka {

/// Reads Java's ssl.truststore.* and ssl.keystore.* settings and puts librdkafka's ssl.* into `settings`.
/// What a file is, is told from its first bytes: PEM, PKCS12, or JKS, which is refused with the command that converts it.
[[nodiscard]] Result<void> translate_key_stores(const Properties& java, std::map<std::string, std::string>& settings);

}  // namespace fencepost::kafka
