#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/properties.h"
#include "runtime/ports.h"

namespace fencepost::runtime {

// GET, PATCH and DELETE /connectors/C/offsets (KIP-875). All block.

/// The offsets of a connector as the JSON list [{"partition":{..},"offset":{..}}].
[[nodiscard]] Result<std::string> read_offsets(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                               const std::string& connector, const Properties& config);
/// Sets the offsets of a stopped connector whose tasks are fenced, or resets them all where there is no list. The answer is the
/// sentence to show. Errors: InvalidConfig for what makes no sense for a sink, Failed where the source connector refuses.
[[nodiscard]] Result<std::string> change_offsets(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                                 const std::string& connector, const Properties& config,
                                                 const std::optional<std::string>& offsets_json);

}  // namespace fencepost::runtime
