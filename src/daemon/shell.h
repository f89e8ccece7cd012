#pragma once

#include <chrono>
#include <future>
#include <optional>

#include "base/log.h"
#include "config/worker_config.h"
#include "daemon/logger_levels.h"
#include "daemon/mailbox.h"
#include "daemon/rest_port.h"
#include "daemon/stores.h"
#include "daemon/wire_client.h"
#include "herder/actions.h"
#include "plugin/registry.h"
#include "rest/leader_client.h"
#include "rest/validation_pool.h"
#include "runtime/worker.h"

namespace fencepost::daemon {

/// What the herder's actions are carried out by.
struct Parts {
  const config::WorkerConfig& config;
  const plugin::Registry& plugins;
  EventBox& events;
  LoggerLevels& loggers;
  RestPort& rest;
  rest::LeaderClient& leader;
  Stores& stores;
  WireClient& wire;
  runtime::Worker& runtime;
  Log log;
};

/// Carries out the herder's actions: each is handed to the part whose business it is, and the part's answer becomes an event.
/// It decides nothing. Threads: the event loop's.
class Shell {
 public:
  explicit Shell(Parts parts);
  ~Shell();

  void execute(const herder::Action& action);
  /// The herder has said that the worker is done.
  [[nodiscard]] bool terminated() const { return terminated_; }

 private:
  class Visitor;
  Parts parts_;
  rest::ValidationPool validations_;
  std::optional<std::future<void>> left_;
  bool terminated_ = false;
};

}  // namespace fencepost::daemon
