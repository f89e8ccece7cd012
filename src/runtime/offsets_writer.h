#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/properties.h"
#include "runtime/connector_offsets.h"
#include "runtime/ports.h"

namespace fencepost::runtime {

/// Writes source offsets that a user sets, where no task of the connector runs. Both steps block; not to be moved, as its
/// producer reports to it.
class OffsetsWriter {
 public:
  OffsetsWriter(const WorkerOptions& options, const WorkerPorts& ports, const Log& log, const std::string& connector,
                const Properties& config, const OffsetsPlace& place)
      : options_(options), ports_(ports), log_(log), connector_(connector), config_(config), place_(place) {}
  OffsetsWriter(const OffsetsWriter&) = delete;
  OffsetsWriter& operator=(const OffsetsWriter&) = delete;
  ~OffsetsWriter() = default;

  /// Under exactly once: takes the id of the connector's first task. Whoever takes it from now on keeps write() from committing.
  [[nodiscard]] Result<void> prepare();
  /// All of them count or, under exactly once, none. Conflict: the id was taken since prepare(), by tasks that run again or by a
  /// newer change.
  [[nodiscard]] Result<void> write(std::vector<OffsetRecord> records);

 private:
  [[nodiscard]] Result<void> write_apart(const std::string& topic, const std::vector<OffsetRecord>& records);

  const WorkerOptions& options_;
  const WorkerPorts& ports_;
  const Log& log_;
  const std::string& connector_;
  const Properties& config_;
  const OffsetsPlace& place_;
  std::optional<Error> not_delivered_;
  std::unique_ptr<ProducerPort> producer_;  ///< none: they go through the worker's own
  bool transactional_ = false;
};

}  // namespace fencepost::runtime
