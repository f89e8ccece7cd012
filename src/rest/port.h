#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/properties.h"
#include "herder/herder.h"
#include "herder/requests.h"

namespace fencepost::rest {

/// What GET / shows.
struct ServerInfo {
  std::string version;
  std::string commit;
  std::string kafka_cluster_id;
};

/// A row of GET /connector-plugins.
struct PluginInfo {
  std::string class_name;
  std::string type;     ///< source, sink, converter, header_converter, transformation, predicate, ...
  std::string version;  ///< empty: not known
};

/// What GET /admin/loggers shows of a logger.
struct LoggerLevel {
  std::string logger;
  std::string level;                             ///< as Java's: OFF, FATAL, ERROR, WARN, INFO, DEBUG, TRACE, ALL
  std::optional<std::int64_t> last_modified_ms;  ///< since 1970; nothing: as the worker started
};

/// Whose transactions are asked for: those of some tasks of one connector, and what the worker that should run them says.
struct TransactionsQuery {
  std::string connector;
  Properties config;  ///< the connector's, which says to which Kafka it writes
  std::vector<std::int32_t> tasks;
  std::string owner;          ///< the worker's id; empty: on none
  std::string owner_problem;  ///< why the owner could not be asked; empty: this worker is the owner
  /// Also ids of tasks that the connector no longer has, those from tasks_total on, where they hold an open transaction.
  bool former_tasks = false;
  std::int32_t tasks_total = 0;
};

/// POST .../transactions/abort. One of task and transactional_id is given.
struct TransactionAbort {
  std::string connector;
  Properties config;  ///< the connector's
  std::optional<std::int32_t> task;
  std::optional<std::string> transactional_id;
  bool force = false;  ///< also one that a running task holds
};

/// What the REST server asks of the rest of the worker; the daemon binds it.
///
/// Threads: every function is called from any of the server's threads, several at a time.
class Port {
 public:
  using Answer = std::function<void(herder::Response)>;

  virtual ~Port() = default;

  /// Passes a request to the herder. `answer` is called at most once, at once or later, from any thread; no thread waits for it.
  /// An answer that never comes ends in a 500 when the server's own deadline passes; one that comes after that is dropped.
  virtual void submit(herder::Hop hop, herder::Request request, Answer answer) = 0;

  /// Everything that GET /connectors?expand= shows: the herder's newest snapshot; null before there is one.
  [[nodiscard]] virtual std::shared_ptr<const herder::View> connector_views() const = 0;

  [[nodiscard]] virtual ServerInfo server_info() const = 0;

  /// All plugins of the worker, in the order in which they are shown.
  [[nodiscard]] virtual std::vector<PluginInfo> plugins() const = 0;

  /// Runs a connector's own validation: may take seconds, and is called from the server's validation threads only. The value is
  /// the ConfigInfos object as JSON. Errors: InvalidConfig where the config names no connector class that exists.
  [[nodiscard]] virtual Result<std::string> validate(const Properties& config) = 0;

  /// What can be set on a plugin, given by class, simple name or alias: a JSON list of ConfigKeyInfo. Errors: NotFound;
  /// InvalidConfig for a kind of plugin that has no settings.
  [[nodiscard]] virtual Result<std::string> plugin_config(std::string_view plugin) = 0;

  /// All loggers with a level, by name; "root" is always among them.
  [[nodiscard]] virtual std::vector<LoggerLevel> logger_levels() const = 0;
  /// Sets a level on this worker, for a logger and those below it; the names of those that had another one before.
  virtual std::vector<std::string> set_logger_level(const std::string& logger, const std::string& level) = 0;

  /// What the loop that answers submit() does at this moment, and for how long it has, for requests that it did not answer in
  /// time: "is idle", "has carried out ... for 7 s".
  [[nodiscard]] virtual std::string event_loop() const = 0;

  /// JSON objects, one an id, with "task" in each. `done` is called at most once, from any thread.
  virtual void transactions(TransactionsQuery query, std::function<void(Result<std::vector<std::string>>)> done) = 0;
  /// Ends a transaction of the connector's own; a JSON object that says what was done. Errors: InvalidConfig for an id that is
  /// not the connector's, Conflict where a running task holds it.
  virtual void abort_transaction(TransactionAbort order, std::function<void(Result<std::string>)> done) = 0;
  /// Prometheus' text.
  [[nodiscard]] virtual std::string metrics() const = 0;
};

}  // namespace fencepost::rest
