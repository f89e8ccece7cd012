#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/properties.h"
#include "fencepost/config_def.h"

namespace fencepost::config {

/// Every setting of a worker: a Java distributed worker's, and ours (rest.request.max.bytes, log.level, log.format).
[[nodiscard]] ConfigDef worker_config_def();

/// The ssl.* and sasl.* settings, which workers and clients share.
[[nodiscard]] ConfigDef security_config_def();

/// Whether a setting of the worker is handed to the Kafka clients that the worker itself uses: brokers, security, timeouts.
[[nodiscard]] bool is_client_setting(std::string_view name);

/// Names that stand in a worker's file and mean nothing to us, in their order: worth one warning. Names under prefixes that carry
/// other people's settings (producer., key.converter., config.providers., ...) are never among them.
[[nodiscard]] std::vector<std::string> unknown_worker_settings(const Properties& properties);

}  // namespace fencepost::config
