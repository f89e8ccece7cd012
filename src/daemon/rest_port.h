#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "config/worker_config.h"
#include "daemon/logger_levels.h"
#include "daemon/mailbox.h"
#include "daemon/pending_answers.h"
#include "daemon/transactions.h"
#include "herder/herder.h"
#include "plugin/registry.h"
#include "rest/port.h"

namespace fencepost::daemon {

/// Between the REST server and the rest of the worker.
class RestPort final : public rest::Port {
 public:
  RestPort(EventBox& events, const plugin::Registry& plugins, const config::WorkerConfig& config, LoggerLevels& loggers)
      : events_(events), plugins_(plugins), config_(config), loggers_(loggers) {}

  void submit(herder::Hop hop, herder::Request request, Answer answer) override;
  [[nodiscard]] std::shared_ptr<const herder::View> connector_views() const override;
  [[nodiscard]] rest::ServerInfo server_info() const override;
  [[nodiscard]] std::vector<rest::PluginInfo> plugins() const override;
  [[nodiscard]] Result<std::string> validate(const Properties& config) override;
  [[nodiscard]] Result<std::string> plugin_config(std::string_view plugin) override;
  [[nodiscard]] std::vector<rest::LoggerLevel> logger_levels() const override { return loggers_.all(); }
  std::vector<std::string> set_logger_level(const std::string& logger, const std::string& level) override;

  [[nodiscard]] std::string event_loop() const override;
  void transactions(rest::TransactionsQuery query, std::function<void(Result<std::vector<std::string>>)> done) override;
  void abort_transaction(rest::TransactionAbort order, std::function<void(Result<std::string>)> done) override;
  [[nodiscard]] std::string metrics() const override;

  /// Who answers for transactions and metrics, as long as the returned guard lives; before and after it they are Unavailable.
  class Served {
   public:
    explicit Served(RestPort& port) : port_(port) {}
    ~Served() { port_.set_transactions(nullptr); }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

   private:
    RestPort& port_;
  };
  [[nodiscard]] Served serve(Transactions& transactions) {
    set_transactions(&transactions);
    return Served(*this);
  }

  /// The herder's answer to a request that came through submit().
  void reply(RequestId request, herder::Response response) { pending_.answer(request, std::move(response)); }
  void publish(std::shared_ptr<const herder::View> view);
  void set_cluster_id(std::string cluster_id);
  /// What the event loop does from now on; empty: it waits for events.
  void event_loop_does(std::string what);

 private:
  void set_transactions(Transactions* transactions);

  EventBox& events_;
  const plugin::Registry& plugins_;
  const config::WorkerConfig& config_;
  LoggerLevels& loggers_;
  PendingAnswers<herder::Response> pending_;
  mutable std::mutex mutex_;
  std::string cluster_id_;
  std::string loop_does_ = "starting";
  std::chrono::steady_clock::time_point loop_since_ = std::chrono::steady_clock::now();
  std::shared_ptr<const herder::View> view_;
  mutable std::mutex transactions_mutex_;
  Transactions* transactions_ = nullptr;
};

}  // namespace fencepost::daemon
