#include "daemon/translate_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "config/client_config.h"
#include "kafka/key_stores.h"
#include "protocol/signature.h"
#include "runtime/connector_offsets.h"

namespace fencepost::daemon {
namespace {

config::ClientKind config_kind(kafka::ClientKind kind) {
  switch (kind) {
    case kafka::ClientKind::Producer:
      return config::ClientKind::Producer;
    case kafka::ClientKind::Consumer:
      return config::ClientKind::Consumer;
    case kafka::ClientKind::Admin:
      return config::ClientKind::Admin;
  }
  return config::ClientKind::Admin;
}

std::string listener_text(const config::Listener& listener) {
  std::string url = listener.url();
  if (url.ends_with('/')) url.pop_back();
  return url;
}

herder::ConnectorKind kind_of(const PluginDescriptor& plugin) {
  return plugin.kind() == PluginKind::Source ? herder::ConnectorKind::Source : herder::ConnectorKind::Sink;
}

/// All of the settings with the prefix, or where there is none of these the plain ones, as Java takes them.
Result<rest::Tls> rest_tls(const Properties& worker, const std::string& prefix) {
  Properties java;
  for (const auto& [key, value] : worker) {
    if (key.starts_with(prefix + "ssl.")) java.set(key.substr(prefix.size()), value);
  }
  if (java.empty()) java = worker;
  std::map<std::string, std::string> librdkafka;
  FENCEPOST_CHECK(kafka::translate_key_stores(java, librdkafka));
  Properties translated;
  for (const auto& [key, value] : librdkafka) translated.set(key, value);
  rest::Tls out;
  out.settings = net::tls_settings_from(translated);
  out.settings.verify_hostname = !java.get_or("ssl.endpoint.identification.algorithm", "https").empty();
  const std::string auth = java.get_or("ssl.client.auth", "none");
  if (auth == "required") out.client = net::ClientCertificate::Required;
  if (auth == "requested") out.client = net::ClientCertificate::Requested;
  return out;
}

}  // namespace

Result<rest::Options> rest_options(const config::WorkerConfig& config) {
  rest::Options out;
  const auto is_https = [](const config::Listener& listener) { return listener.tls; };
  // Who serves HTTPS asks the others by it too.
  if (std::any_of(config.listeners.begin(), config.listeners.end(), is_https)) {
    FENCEPOST_TRY(out.tls, rest_tls(config.originals, "listeners.https."));
  }
  if (config.admin_listeners && std::any_of(config.admin_listeners->begin(), config.admin_listeners->end(), is_https)) {
    FENCEPOST_TRY(out.admin_tls, rest_tls(config.originals, "admin.listeners.https."));
  }
  out.listeners.clear();
  for (const auto& listener : config.listeners) out.listeners.push_back(listener_text(listener));
  if (config.admin_listeners) {
    out.admin_listeners.emplace();
    for (const auto& listener : *config.admin_listeners) out.admin_listeners->push_back(listener_text(listener));
  }
  out.advertised_host = config.advertised_host.value_or("");
  out.advertised_port = config.advertised_port;
  if (config.advertised_listener < config.listeners.size()) {
    out.advertised_listener = config.listeners[config.advertised_listener].scheme();
  }
  out.allow_origin = config.access_control_allow_origin;
  out.allow_methods = config.access_control_allow_methods;
  out.response_headers = config.originals.get_or("response.http.headers.config", "");
  out.topic_tracking = config.topic_tracking_enabled;
  out.topic_tracking_reset = config.topic_tracking_reset_allowed;
  out.request_bytes_max = config.rest_request_bytes_max;
  return out;
}

herder::Options herder_options(const config::WorkerConfig& config, const rest::Server& rest, const plugin::Registry& plugins) {
  herder::Options out;
  out.group_id = config.group_id;
  out.worker_id = rest.worker_id();
  out.advertised_url = rest.advertised_url();
  out.config_topic = config.config_topic.name;
  out.status_topic = config.status_topic.name;
  out.exactly_once = static_cast<herder::ExactlyOnce>(config.exactly_once);
  static_assert(static_cast<int>(herder::ExactlyOnce::Enabled) == static_cast<int>(config::ExactlyOnceSource::Enabled));
  switch (config.protocol) {
    case config::ConnectProtocol::Eager:
      out.connect_protocol = "eager";
      break;
    case config::ConnectProtocol::Compatible:
      out.connect_protocol = "compatible";
      break;
    case config::ConnectProtocol::Sessioned:
      out.connect_protocol = "sessioned";
      break;
  }
  out.scheduled_rebalance_max_delay = config.scheduled_rebalance_delay_max;
  out.rebalance_timeout = config.rebalance_timeout;
  out.worker_sync_timeout = config.worker_sync_timeout;
  out.worker_unsync_backoff = config.worker_unsync_backoff;
  out.graceful_shutdown_timeout = config.task_shutdown_timeout;
  out.topic_tracking = config.topic_tracking_enabled;
  out.session_keys.generation_algorithm = config.key_generation_algorithm;
  out.session_keys.key_bytes = config.key_size_bits ? static_cast<std::size_t>(*config.key_size_bits) / 8
                                                    : protocol::default_key_bytes(config.key_generation_algorithm).value_or(32);
  out.session_keys.ttl = config.key_ttl;
  out.session_keys.signature_algorithm = config.signature_algorithm;
  out.session_keys.verification_algorithms = config.verification_algorithms;
  std::map<std::string, herder::PluginInfo> table;
  for (const PluginDescriptor& plugin : plugins.all()) {
    if (plugin.kind() != PluginKind::Source && plugin.kind() != PluginKind::Sink) continue;
    const herder::PluginInfo info{plugin.class_name, kind_of(plugin), plugin.version};
    for (const std::string& name : plugin::short_names(plugin)) table.emplace(name, info);
    table.insert_or_assign(plugin.class_name, info);
  }
  out.plugins = herder::PluginTable(std::move(table));
  return out;
}

group::Settings group_settings(const config::WorkerConfig& config) {
  group::Settings out;
  out.group_id = config.group_id;
  out.session_timeout = config.session_timeout;
  out.rebalance_timeout = config.rebalance_timeout;
  out.heartbeat_interval = config.heartbeat_interval;
  return out;
}

Result<kafka::Translated> worker_client(const config::WorkerConfig& config, kafka::ClientKind kind, std::string_view purpose,
                                        const Properties& defaults, const Properties& musts) {
  Properties java = defaults;
  for (const auto& [key, value] : config::worker_client(config, config_kind(kind), purpose)) java.set(key, value);
  for (const auto& [key, value] : musts) java.set(key, value);
  return kafka::translate(kind, java);
}

namespace {

Result<net::Settings> wire_settings_from(const config::WorkerConfig& config, const kafka::Translated& client) {
  Properties librdkafka;
  for (const auto& [key, value] : client.settings) librdkafka.set(key, value);
  FENCEPOST_TRY(net::Settings out, net::settings_from(librdkafka));
  out.client_id = config.client_id;
  out.request_timeout = config.request_timeout;
  out.reconnect_backoff = config.reconnect_backoff;
  out.reconnect_backoff_max = config.reconnect_backoff_max;
  out.retry_backoff = config.retry_backoff;
  out.metadata_max_age = config.metadata_age_max;
  return out;
}

}  // namespace

Result<net::Settings> wire_settings(const config::WorkerConfig& config) {
  FENCEPOST_TRY(const kafka::Translated client, worker_client(config, kafka::ClientKind::Admin, "group"));
  return wire_settings_from(config, client);
}

Result<std::optional<net::Settings>> target_wire_settings(const config::WorkerConfig& config, const Properties& connector) {
  runtime::WorkerOptions options;
  options.worker = config.originals;
  const auto place = runtime::OffsetsPlace::of(options, connector, {});
  if (!place.elsewhere) return std::nullopt;
  FENCEPOST_TRY(const kafka::Translated client, kafka::translate(kafka::ClientKind::Admin, place.admin));
  FENCEPOST_TRY(net::Settings out, wire_settings_from(config, client));
  return out;
}

}  // namespace fencepost::daemon
