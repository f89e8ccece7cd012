#include "config/worker_config.h"

#include <algorithm>

#include "base/endpoint.h"
#include "config/worker_settings.h"
#include "fencepost/settings.h"

namespace fencepost::config {

namespace {

std::string lower(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

ConfigMap to_map(const Properties& properties) {
  ConfigMap out;
  for (const auto& [name, value] : properties) {
    if (value) out.insert_or_assign(name, *value);
  }
  return out;
}

std::optional<OverridePolicy> parse_policy(const std::string& name) {
  std::string simple = name.substr(name.rfind('.') + 1);
  constexpr std::string_view suffix = "ConnectorClientConfigOverridePolicy";
  if (simple.ends_with(suffix)) simple.resize(simple.size() - suffix.size());
  if (simple == "All") return OverridePolicy::All;
  if (simple == "None") return OverridePolicy::None;
  if (simple == "Principal") return OverridePolicy::Principal;
  return std::nullopt;
}

/// Faults of all settings, gathered so that a file is mended in one go.
class Faults {
 public:
  void add(std::string text) {
    if (!text_.empty()) text_ += "; ";
    text_ += text;
  }
  void add(std::string_view name, std::string_view value, std::string_view reason) {
    add(ConfigError(name, value, reason).what());
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

InternalTopic internal_topic(const Settings& settings, const Properties& properties, const std::string& kind,
                             std::int32_t partitions) {
  const std::string prefix = kind + ".storage.";
  InternalTopic topic{.name = settings.get_string(prefix + "topic"),
                      .partitions = partitions,
                      .replication_factor = settings.get_short(prefix + "replication.factor"),
                      .settings = properties.with_prefix(prefix)};
  for (const char* ours : {"topic", "partitions", "replication.factor", "cleanup.policy"}) topic.settings.erase(ours);
  return topic;
}

std::vector<Listener> listeners(const std::vector<std::string>& urls, std::string_view name, Faults& faults) {
  std::vector<Listener> out;
  for (const std::string& url : urls) {
    if (auto listener = parse_listener(url)) {
      out.push_back(*std::move(listener));
    } else {
      faults.add(name, url, listener.error().message());
    }
  }
  return out;
}

void read_times(const Settings& settings, WorkerConfig& config) {
  const auto of_int = [&](std::string_view name) { return milliseconds(settings.get_int(name)); };
  const auto of_long = [&](std::string_view name) { return milliseconds(settings.get_long(name)); };
  config.session_timeout = of_int("session.timeout.ms");
  config.rebalance_timeout = of_int("rebalance.timeout.ms");
  config.heartbeat_interval = of_int("heartbeat.interval.ms");
  config.worker_sync_timeout = of_int("worker.sync.timeout.ms");
  config.worker_unsync_backoff = of_int("worker.unsync.backoff.ms");
  config.scheduled_rebalance_delay_max = of_int("scheduled.rebalance.max.delay.ms");
  config.request_timeout = of_int("request.timeout.ms");
  config.retry_backoff = of_long("retry.backoff.ms");
  config.retry_backoff_max = of_long("retry.backoff.max.ms");
  config.reconnect_backoff = of_long("reconnect.backoff.ms");
  config.reconnect_backoff_max = of_long("reconnect.backoff.max.ms");
  config.connection_setup_timeout = of_long("socket.connection.setup.timeout.ms");
  config.connection_setup_timeout_max = of_long("socket.connection.setup.timeout.max.ms");
  config.connection_idle_max = of_long("connections.max.idle.ms");
  config.metadata_age_max = of_long("metadata.max.age.ms");
  config.offset_flush_interval = of_long("offset.flush.interval.ms");
  config.offset_flush_timeout = of_long("offset.flush.timeout.ms");
  config.task_shutdown_timeout = of_long("task.shutdown.graceful.timeout.ms");
  config.key_ttl = of_int("inter.worker.key.ttl.ms");
}

void check_times(const WorkerConfig& config, Faults& faults) {
  if (config.heartbeat_interval >= config.session_timeout) {
    faults.add("heartbeat.interval.ms", std::to_string(config.heartbeat_interval.count()),
               "it must be lower than session.timeout.ms (" + std::to_string(config.session_timeout.count()) +
                   "); a third of it is usual");
  }
  const auto positive = [&](std::string_view name, milliseconds time) {
    if (time <= milliseconds::zero()) faults.add(name, std::to_string(time.count()), "it must be larger than 0");
  };
  positive("session.timeout.ms", config.session_timeout);
  positive("rebalance.timeout.ms", config.rebalance_timeout);
  positive("heartbeat.interval.ms", config.heartbeat_interval);
  positive("offset.flush.interval.ms", config.offset_flush_interval);
  if (config.task_shutdown_timeout < milliseconds::zero()) {
    faults.add("task.shutdown.graceful.timeout.ms", std::to_string(config.task_shutdown_timeout.count()),
               "it must be 0 or larger");
  }
}

void read_rest(const Settings& settings, WorkerConfig& config, Faults& faults) {
  config.listeners = listeners(settings.get_list("listeners"), "listeners", faults);
  if (const auto* urls = std::get_if<std::vector<std::string>>(settings.find("admin.listeners"))) {
    config.admin_listeners = listeners(*urls, "admin.listeners", faults);
  }
  config.advertised_host = settings.find_string("rest.advertised.host.name");
  if (const auto* port = std::get_if<std::int32_t>(settings.find("rest.advertised.port"))) {
    if (*port < 1 || *port > 65535) {
      faults.add("rest.advertised.port", std::to_string(*port), "use 1 to 65535");
    } else {
      config.advertised_port = static_cast<std::uint16_t>(*port);
    }
  }
  if (const auto scheme = settings.find_string("rest.advertised.listener"); scheme && !scheme->empty()) {
    const auto at = std::find_if(config.listeners.begin(), config.listeners.end(),
                                 [&](const Listener& listener) { return listener.scheme() == lower(*scheme); });
    if (at == config.listeners.end()) {
      faults.add("rest.advertised.listener", *scheme,
                 "there is no such listener in listeners; use http or https, whichever stands there");
    } else {
      config.advertised_listener = static_cast<std::size_t>(at - config.listeners.begin());
    }
  }
  config.access_control_allow_origin = settings.get_string("access.control.allow.origin");
  config.access_control_allow_methods = settings.get_string("access.control.allow.methods");
  if (auto headers = parse_response_headers(settings.get_string("response.http.headers.config"))) {
    config.response_headers = *std::move(headers);
  }
  config.rest_request_bytes_max = static_cast<std::size_t>(settings.get_int("rest.request.max.bytes"));
}

void read_security(const Settings& settings, WorkerConfig& config, Faults& faults) {
  config.key_generation_algorithm = settings.get_string("inter.worker.key.generation.algorithm");
  if (const auto* bits = std::get_if<std::int32_t>(settings.find("inter.worker.key.size"))) config.key_size_bits = *bits;
  config.signature_algorithm = settings.get_string("inter.worker.signature.algorithm");
  config.verification_algorithms = settings.get_list("inter.worker.verification.algorithms");
  const auto& accepted = config.verification_algorithms;
  if (std::find(accepted.begin(), accepted.end(), config.signature_algorithm) == accepted.end()) {
    faults.add("inter.worker.signature.algorithm", config.signature_algorithm,
               "it must also stand in inter.worker.verification.algorithms, or workers refuse each other's requests");
  }
  if (config.key_size_bits && (*config.key_size_bits < 8 || *config.key_size_bits > 65536)) {
    faults.add("inter.worker.key.size", std::to_string(*config.key_size_bits), "use 8 to 65536 bits, or leave it out");
  }
  const std::string policy = settings.get_string("connector.client.config.override.policy");
  if (const auto known = parse_policy(policy)) {
    config.override_policy = *known;
  } else {
    faults.add("connector.client.config.override.policy", policy, "use All, None or Principal");
  }
}

void read_converters(const Settings& settings, const Properties& properties, WorkerConfig& config) {
  const auto choice = [&](const std::string& name) {
    return ConverterChoice{settings.get_string(name), properties.with_prefix(name + ".")};
  };
  config.key_converter = choice("key.converter");
  config.value_converter = choice("value.converter");
  config.header_converter = choice("header.converter");
}

void read_identity(const Settings& settings, const Properties& properties, WorkerConfig& config, Faults& faults) {
  config.group_id = settings.get_string("group.id");
  config.bootstrap_servers = settings.get_list("bootstrap.servers");
  for (const std::string& server : config.bootstrap_servers) {
    if (auto endpoint = parse_endpoints(server); !endpoint) faults.add("bootstrap.servers", server, endpoint.error().message());
  }
  config.client_id = settings.get_string("client.id");
  if (config.client_id.empty()) config.client_id = "connect-" + config.group_id;
  const std::string support = lower(settings.get_string("exactly.once.source.support"));
  config.exactly_once = support == "enabled"     ? ExactlyOnceSource::Enabled
                        : support == "preparing" ? ExactlyOnceSource::Preparing
                                                 : ExactlyOnceSource::Disabled;
  const std::string& protocol = settings.get_string("connect.protocol");
  config.protocol = protocol == "eager"        ? ConnectProtocol::Eager
                    : protocol == "compatible" ? ConnectProtocol::Compatible
                                               : ConnectProtocol::Sessioned;
  config.config_topic = internal_topic(settings, properties, "config", 1);
  config.offset_topic = internal_topic(settings, properties, "offset", settings.get_int("offset.storage.partitions"));
  config.status_topic = internal_topic(settings, properties, "status", settings.get_int("status.storage.partitions"));
  config.topic_creation_enabled = settings.get_bool("topic.creation.enable");
  config.topic_tracking_enabled = settings.get_bool("topic.tracking.enable");
  config.topic_tracking_reset_allowed = settings.get_bool("topic.tracking.allow.reset");
  if (const auto* folders = std::get_if<std::vector<std::string>>(settings.find("plugin.path"))) config.plugin_path = *folders;
  config.config_providers = settings.get_list("config.providers");
  config.log_level = lower(settings.get_string("log.level"));
  config.log_format = lower(settings.get_string("log.format")) == "json" ? WorkerLogFormat::Json : WorkerLogFormat::Text;
}

void check_names(const WorkerConfig& config, Faults& faults) {
  const auto named = [&](std::string_view setting, std::string_view value) {
    if (value.empty()) faults.add(setting, value, "String must be non-empty");
  };
  named("group.id", config.group_id);
  named("config.storage.topic", config.config_topic.name);
  named("offset.storage.topic", config.offset_topic.name);
  named("status.storage.topic", config.status_topic.name);
  named("key.converter", config.key_converter.class_name);
  named("value.converter", config.value_converter.class_name);
}

}  // namespace

Result<WorkerConfig> make_worker_config(const Properties& properties) {
  const ConfigDef def = worker_config_def();
  const ConfigMap given = to_map(properties);
  Faults faults;
  for (const ConfigValue& value : def.validate(given)) {
    // The first error says it; a second one about the null that is left adds nothing for a person.
    if (!value.errors.empty()) faults.add(value.errors.front());
  }
  if (!faults.text().empty()) return failure(ErrorKind::InvalidConfig, faults.text());

  const Settings settings = def.parse(given);
  WorkerConfig config;
  config.originals = properties;
  read_identity(settings, properties, config, faults);
  read_times(settings, config);
  read_rest(settings, config, faults);
  read_security(settings, config, faults);
  read_converters(settings, properties, config);
  check_times(config, faults);
  check_names(config, faults);
  if (!faults.text().empty()) return failure(ErrorKind::InvalidConfig, faults.text());
  return config;
}

}  // namespace fencepost::config
