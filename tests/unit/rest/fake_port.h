#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rest/port.h"

namespace fencepost::rest {

/// A worker that answers as a test says, and remembers what it was asked.
class FakePort : public Port {
 public:
  using Herder = std::function<void(herder::Hop, const herder::Request&, Answer)>;

  void submit(herder::Hop hop, herder::Request request, Answer answer) override {
    Herder herder;
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back({hop, request});
      herder = herder_;
    }
    if (herder) herder(hop, request, std::move(answer));
  }
  std::shared_ptr<const herder::View> connector_views() const override { return views; }
  ServerInfo server_info() const override { return {"1.2.3", "abc", "cluster"}; }
  std::vector<PluginInfo> plugins() const override {
    return {{"a.FileStreamSourceConnector", "source", "1"}, {"a.JsonConverter", "converter", ""}};
  }
  Result<std::string> validate(const Properties& config) override {
    if (!config.contains("connector.class")) return failure(ErrorKind::InvalidConfig, "contains no connector type");
    return R"({"name":"x"})";
  }
  Result<std::string> plugin_config(std::string_view plugin) override {
    if (plugin != "Json") return failure(ErrorKind::NotFound, "Unknown plugin " + std::string(plugin));
    return "[]";
  }
  void transactions(TransactionsQuery query, std::function<void(Result<std::vector<std::string>>)> done) override {
    std::vector<std::string> rows;
    for (const std::int32_t task : query.tasks) {
      rows.push_back(R"({"task":)" + std::to_string(task) + R"(,"hangs":)" + (task % 2 == 1 ? "true" : "false") + R"(,"from":")" +
                     name + query.owner_problem + R"("})");
    }
    if (query.former_tasks) rows.push_back(R"({"task":99,"hangs":true,"from":"former"})");
    done(std::move(rows));
  }
  void abort_transaction(TransactionAbort order, std::function<void(Result<std::string>)> done) override {
    if (order.transactional_id && *order.transactional_id != "g-c-1") {
      return done(failure(ErrorKind::InvalidConfig, "not of connector " + order.connector));
    }
    if (!order.force) return done(failure(ErrorKind::Conflict, "held by a running task of " + name));
    done(R"({"aborted":true,"by":")" + name + R"("})");
  }
  std::string event_loop() const override { return "has carried out FenceProducers for 7 s"; }
  std::string metrics() const override { return "# HELP x y\n"; }

  std::vector<LoggerLevel> logger_levels() const override { return {{"a.b", "DEBUG", 7}, {"root", "INFO", std::nullopt}}; }
  std::vector<std::string> set_logger_level(const std::string& logger, const std::string& level) override {
    return {logger, level};
  }

  void answer_by(Herder herder) {
    const std::lock_guard lock(mutex_);
    herder_ = std::move(herder);
  }
  void answer_always(const herder::Response& response) {
    answer_by([response](herder::Hop, const herder::Request&, const Answer& answer) { answer(response); });
  }
  [[nodiscard]] std::vector<std::pair<herder::Hop, herder::Request>> asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  [[nodiscard]] herder::Request last() const { return asked().at(asked().size() - 1).second; }

  std::shared_ptr<const herder::View> views;
  std::string name = "worker";

 private:
  mutable std::mutex mutex_;
  Herder herder_;
  std::vector<std::pair<herder::Hop, herder::Request>> asked_;
};

}  // namespace fencepost::rest
