#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fencepost/config_def.h"
#include "fencepost/data.h"
#include "fencepost/errors.h"
#include "fencepost/offset_storage_reader.h"
#include "fencepost/plugin_log.h"

namespace fencepost {

/// What the runtime offers to a connector while it runs.
/// Threads: any; a connector may call from a thread of its own that watches the source.
class ConnectorContext {
 public:
  virtual ~ConnectorContext() = default;

  /// The source has changed: the runtime asks for task_configs() again and restarts the tasks if they differ.
  virtual void request_task_reconfiguration() = 0;
  /// Fails the connector with this reason, also when no call of the runtime is under way.
  virtual void raise_error(const ConnectError& reason) = 0;
  /// Null pointer for sink connectors.
  [[nodiscard]] virtual OffsetStorageReader* offsets() = 0;
  [[nodiscard]] virtual const PluginLog& log() const = 0;
};

/// Divides the work of a source or a sink among tasks; moves no data itself.
///
/// Threads: start, task_configs, reconfigure and stop come from one thread, in this order; config_def(), validate() and the
///          questions of SourceConnector are asked of fresh objects that are never started.
/// Life:    start, task_configs*, stop, once.
/// Errors:  any exception fails this connector, stands as its trace in the status, and touches no other.
class Connector {
 public:
  virtual ~Connector() = default;

  /// Shown by the REST API and written into statuses.
  [[nodiscard]] virtual std::string version() const = 0;
  /// The connector's own settings; the framework adds its own.
  [[nodiscard]] virtual ConfigDef config_def() const = 0;
  /// Checks that need more than one setting, or the source itself. The default is config_def().validate(config).
  [[nodiscard]] virtual std::vector<ConfigValue> validate(const ConfigMap& config) const { return config_def().validate(config); }

  virtual void start(const ConfigMap& config, ConnectorContext& context) = 0;
  /// The settings of each task, at most `tasks_max` of them. They go into the config topic, so they must be free of secrets that
  /// the connector's own config does not hold. "task.class" is added by the runtime.
  [[nodiscard]] virtual std::vector<ConfigMap> task_configs(std::int32_t tasks_max) = 0;
  virtual void stop() noexcept = 0;

 protected:
  Connector() = default;
  Connector(const Connector&) = default;
  Connector& operator=(const Connector&) = default;
};

enum class ExactlyOnceSupport : std::uint8_t { Supported, Unsupported };

/// Offsets as the REST API alters them: partition and new offset, nothing for "forget it".
using SourceOffsetChanges = std::vector<std::pair<FieldMap, std::optional<FieldMap>>>;

class SourceConnector : public Connector {
 public:
  /// Whether the connector gives every record once with this config, if the worker does; nothing where nobody knows (KIP-618).
  [[nodiscard]] virtual std::optional<ExactlyOnceSupport> exactly_once_support(const ConfigMap& /*config*/) const {
    return std::nullopt;
  }
  /// Whether its tasks say where transactions end (transaction.boundary=connector).
  [[nodiscard]] virtual bool can_define_transaction_boundaries(const ConfigMap& /*config*/) const { return false; }
  /// Checks offsets that a user wants to set or (with nothing) forget, before they are written (KIP-875); ConnectError names what
  /// is wrong with them. The connector is stopped then. True: the connector knows this kind of request and approves; false: it
  /// cannot tell.
  virtual bool alter_offsets(const ConfigMap& /*config*/, const SourceOffsetChanges& /*changes*/) { return false; }
};

class SinkConnector : public Connector {};

}  // namespace fencepost
