#include "daemon/rest_port.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/clock.h"
#include "daemon/version.h"
#include "plugin/connector_validation.h"

namespace fencepost::daemon {

void RestPort::submit(herder::Hop hop, herder::Request request, Answer answer) {
  const RequestId id = pending_.add(std::move(answer));
  if (!events_.put(herder::RequestReceived{id, hop, std::move(request)})) {
    pending_.answer(id, Error(ErrorKind::Unavailable, "The worker is shutting down"));
  }
}

std::shared_ptr<const herder::View> RestPort::connector_views() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

rest::ServerInfo RestPort::server_info() const {
  const std::lock_guard lock(mutex_);
  return {std::string(kConnectVersion), "fencepost-" + std::string(kVersion), cluster_id_};
}

std::vector<rest::PluginInfo> RestPort::plugins() const {
  std::vector<rest::PluginInfo> out;
  for (const PluginDescriptor& plugin : plugins_.all()) {
    out.push_back({plugin.class_name, std::string(to_string(plugin.kind())), plugin.version});
  }
  return out;
}

Result<std::string> RestPort::validate(const Properties& config) {
  FENCEPOST_TRY(const plugin::ConfigInfos infos, plugin::validate_connector(plugins_, config_, config));
  return infos.to_json();
}

Result<std::string> RestPort::plugin_config(std::string_view plugin) { return plugin::plugin_settings_json(plugins_, plugin); }

std::vector<std::string> RestPort::set_logger_level(const std::string& logger, const std::string& level) {
  return loggers_.set(logger, level, wall_clock());
}

void RestPort::transactions(rest::TransactionsQuery query, std::function<void(Result<std::vector<std::string>>)> done) {
  // The lock is held while the question is put, so that nobody puts it to something that is being destroyed.
  const std::lock_guard lock(transactions_mutex_);
  if (transactions_ == nullptr) return done(failure(ErrorKind::Unavailable, "The worker is starting or shutting down"));
  transactions_->describe(query, std::move(done));
}

void RestPort::abort_transaction(rest::TransactionAbort order, std::function<void(Result<std::string>)> done) {
  const std::lock_guard lock(transactions_mutex_);
  if (transactions_ == nullptr) return done(failure(ErrorKind::Unavailable, "The worker is starting or shutting down"));
  transactions_->abort(order, std::move(done));
}

std::string RestPort::metrics() const {
  const std::lock_guard lock(transactions_mutex_);
  return transactions_ == nullptr ? std::string() : transactions_->metrics();
}

void RestPort::set_transactions(Transactions* transactions) {
  const std::lock_guard lock(transactions_mutex_);
  transactions_ = transactions;
}

void RestPort::publish(std::shared_ptr<const herder::View> view) {
  const std::lock_guard lock(mutex_);
  view_ = std::move(view);
}

std::string RestPort::event_loop() const {
  const std::lock_guard lock(mutex_);
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - loop_since_);
  return fmt::format("has been {} for {} s", loop_does_.empty() ? "idle" : "busy with " + loop_does_, since.count());
}

void RestPort::event_loop_does(std::string what) {
  const std::lock_guard lock(mutex_);
  loop_does_ = std::move(what);
  loop_since_ = std::chrono::steady_clock::now();
}

void RestPort::set_cluster_id(std::string cluster_id) {
  const std::lock_guard lock(mutex_);
  cluster_id_ = std::move(cluster_id);
}

}  // namespace fencepost::daemon
