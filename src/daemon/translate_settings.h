#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "config/worker_config.h"
#include "group/group_client.h"
#include "herder/options.h"
#include "kafka/client_settings.h"
#include "net/settings.h"
#include "plugin/registry.h"
#include "rest/server.h"

namespace fencepost::daemon {

// The worker's settings in the words of each part.

[[nodiscard]] Result<rest::Options> rest_options(const config::WorkerConfig& config);
[[nodiscard]] herder::Options herder_options(const config::WorkerConfig& config, const rest::Server& rest,
                                             const plugin::Registry& plugins);
[[nodiscard]] group::Settings group_settings(const config::WorkerConfig& config);
/// The wire client takes the same translation of Java's settings as librdkafka.
[[nodiscard]] Result<net::Settings> wire_settings(const config::WorkerConfig& config);
/// The same for the Kafka that a connector writes to; nothing where that is the worker's own.
[[nodiscard]] Result<std::optional<net::Settings>> target_wire_settings(const config::WorkerConfig& config,
                                                                        const Properties& connector);
/// `defaults` stand under the worker's settings, `musts` over them.
[[nodiscard]] Result<kafka::Translated> worker_client(const config::WorkerConfig& config, kafka::ClientKind kind,
                                                      std::string_view purpose, const Properties& defaults = {},
                                                      const Properties& musts = {});

}  // namespace fencepost::daemon
