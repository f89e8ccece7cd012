#pragma once

#include <functional>
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
/// Whether the change may still be made; blocks.
using MayChange = std::function<Result<void>()>;
/// Sets the offsets of a stopped connector whose tasks are fenced, or resets them all where there is no list. Asks once more
/// before anything is written, when whoever comes later can only hold it up, not be overwritten by it. The answer is the sentence
/// to show. Errors: InvalidConfig for what makes no sense for a sink, Failed where the source connector refuses.
[[nodiscard]] Result<std::string> change_offsets(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                                 const std::string& connector, const Properties& config,
                                                 const std::optional<std::string>& offsets_json, const MayChange& may_change);

}  // namespace fencepost::runtime
