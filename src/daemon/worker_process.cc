#include "daemon/worker_process.h"

#include <fmt/format.h>

#include "config/worker_settings.h"
#include "daemon/clock.h"
#include "daemon/plugins.h"
#include "daemon/rest_port.h"
#include "daemon/runtime_ports.h"
#include "daemon/shell.h"
#include "daemon/signals.h"
#include "daemon/start.h"
#include "daemon/stores.h"
#include "daemon/translate_settings.h"
#include "daemon/version.h"
#include "daemon/wire_client.h"
#include "herder/herder.h"
#include "runtime/kafka_clients.h"

namespace fencepost::daemon {
namespace {

using namespace std::chrono_literals;

/// Feeds events to the herder and its actions to the shell, until the worker is done.
void serve(herder::Herder& herder, Shell& shell, EventBox& events, RestPort& rest, const Clock& clock) {
  while (!shell.terminated()) {
    const auto deadline = herder.next_deadline();
    const auto until = deadline ? clock.steady(*deadline) : std::chrono::steady_clock::now() + 1h;
    auto event = events.take_until(until);
    if (!event && events.closed()) return;
    rest.event_loop_does("deciding what to do");
    const herder::Actions actions = herder.apply(event ? *event : herder::Event(herder::TimePassed{}), clock.now());
    // Published before the answers go out, so that who was told of a change also reads it.
    rest.publish(herder.view());
    for (const auto& action : actions) {
      // Answers never wait, and there are many of them.
      if (!std::holds_alternative<herder::Reply>(action)) rest.event_loop_does(herder::describe(action));
      shell.execute(action);
    }
    rest.event_loop_does({});
  }
}

runtime::WorkerOptions runtime_options(const config::WorkerConfig& config) {
  return {.worker = config.originals,
          .group_id = config.group_id,
          .offset_flush_interval = config.offset_flush_interval,
          .offset_flush_timeout = config.offset_flush_timeout,
          .graceful_shutdown_timeout = config.task_shutdown_timeout,
          .topic_creation_enabled = config.topic_creation_enabled,
          .offsets_partitions = config.offset_topic.partitions,
          .offsets_replication_factor = config.offset_topic.replication_factor};
}

Result<void> start_and_serve(const config::WorkerConfig& config, const AdjustableLog& adjustable) {
  const Log& log = adjustable.log;
  for (const std::string& name : config::unknown_worker_settings(config.originals)) {
    log.warn(fmt::format("the setting '{}' is not known and has no effect", name));
  }
  FENCEPOST_TRY(const plugin::Registry plugins, find_plugins(config, log));
  EventBox events;
  const Signals signals([&events, &log] {
    log.info("stopping: tasks end and the group is left");
    events.put(herder::ShutdownRequested{});
  });
  LoggerLevels loggers(adjustable);
  FENCEPOST_TRY(const rest::Options options, rest_options(config));
  RestPort port(events, plugins, config, loggers);
  FENCEPOST_TRY(const auto rest, rest::Server::open(options, port, log));
  FENCEPOST_TRY(const auto stores, Stores::make(config, events, log));
  FENCEPOST_TRY(const auto wire, WireClient::start(config, events, log));

  OffsetsBinding offsets(stores->offsets());
  FencerBinding fencer(wire->fencer());
  PluginsBinding plugins_port(plugins);
  runtime::KafkaClients clients(log);
  runtime::Worker runtime(runtime_options(config), {&offsets, &fencer, &plugins_port, &clients, {}}, log,
                          [&events](herder::Event event) { events.put(std::move(event)); });
  // Its answers come on the wire client's thread, which ends later than everything that is declared below here.
  const auto transactions = std::make_shared<Transactions>(config.group_id, *wire, runtime.transactions(), log);
  const RestPort::Served served = port.serve(*transactions);
  rest::LeaderClient leader(log, options.request_timeout, options.tls.settings);
  herder::Herder herder(herder_options(config, *rest, plugins));
  const Clock clock;
  {
    Shell shell({config, plugins, events, loggers, port, leader, *stores, *wire, runtime, log});
    const Start start(
        config, *stores, events, [&port](std::string id) { port.set_cluster_id(std::move(id)); }, log);
    log.info(fmt::format("worker {} serves {}", rest->worker_id(), rest->advertised_url()));
    serve(herder, shell, events, port, clock);
    if (auto failed = start.failure()) return Failure(*std::move(failed));
    if (auto flushed = stores->statuses().flush(2s); !flushed)
      log.warn("the last statuses may be lost: " + flushed.error().message());
  }
  events.close();
  rest->close();
  stores->stop();
  log.info("stopped");
  return {};
}

}  // namespace

int run_worker(const config::WorkerConfig& config, const AdjustableLog& adjustable) {
  const Log& log = adjustable.log;
  log.info(fmt::format("fencepost {} (Kafka Connect {}), group {}", kVersion, kConnectVersion, config.group_id));
  const auto outcome = start_and_serve(config, adjustable);
  if (outcome) return 0;
  log.error("cannot start: " + outcome.error().message());
  return 1;
}

}  // namespace fencepost::daemon
