#include "config/worker_settings.h"

#include <algorithm>
#include <array>
#include <set>

#include "config/listener.h"

namespace fencepost::config {

namespace {

ConfigValidator replication_factor() {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        const auto* factor = std::get_if<std::int16_t>(&value);
        if (factor != nullptr && *factor != -1 && *factor < 1) {
          throw ConfigError(name, std::to_string(*factor),
                            "Replication factor must be 1 or larger, or -1 to use the broker's default");
        }
      },
      "Positive number not larger than the number of brokers in the Kafka cluster, or -1 to use the broker's default");
}

ConfigValidator partitions() {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        const auto* count = std::get_if<std::int32_t>(&value);
        if (count != nullptr && *count != -1 && *count < 1) {
          throw ConfigError(name, std::to_string(*count),
                            "Number of partitions must be 1 or larger, or -1 to use the broker's default");
        }
      },
      "Positive number, or -1 to use the broker's default");
}

constexpr std::array<std::string_view, 5> kMacs = {"HmacSHA1", "HmacSHA224", "HmacSHA256", "HmacSHA384", "HmacSHA512"};

void check_mac(std::string_view name, const std::string& algorithm) {
  if (std::find(kMacs.begin(), kMacs.end(), algorithm) != kMacs.end()) return;
  std::string known;
  for (const std::string_view mac : kMacs) known.append(known.empty() ? "" : ", ").append(mac);
  throw ConfigError(name, algorithm, "the algorithm is not known; use one of " + known);
}

ConfigValidator known_mac(std::string text) {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        if (const auto* algorithm = std::get_if<std::string>(&value)) check_mac(name, *algorithm);
      },
      std::move(text));
}

ConfigValidator known_macs(std::string text) {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        const auto* algorithms = std::get_if<std::vector<std::string>>(&value);
        if (algorithms == nullptr) return;
        if (algorithms->empty()) throw ConfigError(name, "", "at least one algorithm is needed, such as HmacSHA256");
        for (const std::string& algorithm : *algorithms) check_mac(name, algorithm);
      },
      std::move(text));
}

ConfigValidator listener_urls() {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        const auto* urls = std::get_if<std::vector<std::string>>(&value);
        if (urls == nullptr) return;
        if (urls->empty())
          throw ConfigError(name, "", "at least one URL is expected, ex: http://localhost:8080,https://localhost:8443.");
        for (const std::string& url : *urls) {
          if (const auto listener = parse_listener(url); !listener) throw ConfigError(name, url, listener.error().message());
        }
      },
      "List of comma-separated URLs, ex: http://localhost:8080,https://localhost:8443.");
}

ConfigValidator response_headers() {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        if (const auto* text = std::get_if<std::string>(&value)) {
          if (const auto rules = parse_response_headers(*text); !rules) throw ConfigError(name, *text, rules.error().message());
        }
      },
      "Comma-separated header rules, where each header rule is of the form '[action] [header name]:[header value]' and "
      "optionally "
      "surrounded by double quotes if any part of a header rule contains a comma");
}

std::vector<ConfigKey> kafkas_settings() {
  return {
      {.name = "access.control.allow.methods",
       .default_value = "",
       .importance = Importance::Low,
       .documentation = "Methods that browsers of other origins may use, as the Access-Control-Allow-Methods header lists them."},
      {.name = "access.control.allow.origin",
       .default_value = "",
       .importance = Importance::Low,
       .documentation = "The origin whose pages may call the REST API (the Access-Control-Allow-Origin header); empty: none."},
      {.name = "admin.listeners",
       .type = ConfigType::List,
       .default_value = std::monostate{},
       .validator = validators::distinct_list(true, true),
       .importance = Importance::Low,
       .documentation = "Listeners for the /admin endpoints. Not set: the same as listeners. Empty: no admin endpoints."},
      {.name = "bootstrap.servers",
       .type = ConfigType::List,
       .validator = validators::distinct_list(false, false),
       .importance = Importance::High,
       .documentation = "Brokers to begin with, as host:port,host:port. The others are found through them."},
      {.name = "client.dns.lookup",
       .default_value = "use_all_dns_ips",
       .validator = validators::one_of({"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"}),
       .documentation = "Which addresses of a broker name are tried."},
      {.name = "client.id",
       .default_value = "",
       .importance = Importance::Low,
       .documentation = "What the worker calls itself in its requests to brokers; empty: connect-GROUP."},
      {.name = "config.providers",
       .type = ConfigType::List,
       .default_value = "",
       .validator = validators::distinct_list(true, false),
       .importance = Importance::Low,
       .documentation =
           "Names of config providers, each described by config.providers.NAME.class and config.providers.NAME.param.*."},
      {.name = "config.storage.replication.factor",
       .type = ConfigType::Short,
       .default_value = "3",
       .validator = replication_factor(),
       .importance = Importance::Low,
       .documentation = "Replicas of the config topic when the worker creates it; -1 takes the broker's default."},
      {.name = "config.storage.topic",
       .importance = Importance::High,
       .documentation =
           "The topic of connector and task configs. One partition, compacted; the same for all workers of the cluster."},
      {.name = "connect.protocol",
       .default_value = "sessioned",
       .validator = validators::one_of({"eager", "compatible", "sessioned"}),
       .importance = Importance::Low,
       .documentation = "How work is divided: eager stops everything at each rebalance; compatible and sessioned move only what "
                        "must move. sessioned also signs the workers' requests to each other."},
      {.name = "connections.max.idle.ms",
       .type = ConfigType::Long,
       .default_value = "540000",
       .documentation = "Idle connections to brokers are closed after this long, in milliseconds."},
      {.name = "connector.client.config.override.policy",
       .default_value = "All",
       .documentation = "Which client settings connectors may override: All, None, or Principal (security.protocol, "
                        "sasl.jaas.config and sasl.mechanism only)."},
      {.name = "exactly.once.source.support",
       .default_value = "disabled",
       .validator = validators::one_of_ignoring_case({"DISABLED", "ENABLED", "PREPARING"}),
       .importance = Importance::High,
       .documentation = "disabled; preparing, the first step of a rolling upgrade; enabled: source records and their offsets are "
                        "committed in transactions, once. All workers step by step together."},
      {.name = "group.id",
       .importance = Importance::High,
       .documentation = "The name of the cluster: all workers with the same one share the work."},
      {.name = "header.converter",
       .type = ConfigType::Class,
       .default_value = "org.apache.kafka.connect.storage.SimpleHeaderConverter",
       .importance = Importance::Low,
       .documentation = "Class of the converter of record headers, for connectors that name none."},
      {.name = "header.converter.plugin.version",
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "Version of the header converter; empty: the newest."},
      {.name = "heartbeat.interval.ms",
       .type = ConfigType::Int,
       .default_value = "3000",
       .importance = Importance::High,
       .documentation = "How often the worker tells the coordinator that it lives, in milliseconds; lower than "
                        "session.timeout.ms, usually a third."},
      {.name = "inter.worker.key.generation.algorithm",
       .default_value = "HmacSHA256",
       .validator = known_mac("Any KeyGenerator algorithm supported by the worker JVM"),
       .importance = Importance::Low,
       .documentation = "Algorithm by which the session key is made."},
      {.name = "inter.worker.key.size",
       .type = ConfigType::Int,
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "Bits of the session key; not set: the algorithm's own."},
      {.name = "inter.worker.key.ttl.ms",
       .type = ConfigType::Int,
       .default_value = "3600000",
       .validator = validators::between(std::int64_t{0}, std::int64_t{2147483647}),
       .importance = Importance::Low,
       .documentation = "A new session key is made after this long, in milliseconds."},
      {.name = "inter.worker.signature.algorithm",
       .default_value = "HmacSHA256",
       .validator = known_mac("Any MAC algorithm supported by the worker JVM"),
       .importance = Importance::Low,
       .documentation = "Algorithm that signs requests between workers."},
      {.name = "inter.worker.verification.algorithms",
       .type = ConfigType::List,
       .default_value = "HmacSHA256",
       .validator = known_macs("A list of one or more MAC algorithms, each supported by the worker JVM"),
       .importance = Importance::Low,
       .documentation = "Algorithms that are accepted in signed requests; must contain inter.worker.signature.algorithm."},
      {.name = "key.converter",
       .type = ConfigType::Class,
       .importance = Importance::High,
       .documentation = "Class of the converter of record keys, for connectors that name none."},
      {.name = "key.converter.plugin.version",
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "Version of the key converter; empty: the newest."},
      {.name = "listeners",
       .type = ConfigType::List,
       .default_value = "http://:8083",
       .validator = listener_urls(),
       .importance = Importance::Low,
       .documentation = "Where the REST API listens: http://host:port or https://host:port, several with commas. No host: the "
                        "default interface; 0.0.0.0: all."},
      {.name = "metadata.max.age.ms",
       .type = ConfigType::Long,
       .default_value = "300000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "Metadata of brokers and topics is asked for again after this long, in milliseconds."},
      {.name = "metadata.recovery.rebootstrap.trigger.ms",
       .type = ConfigType::Long,
       .default_value = "300000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation =
           "Without any answer for metadata this long, in milliseconds, the client begins at bootstrap.servers again."},
      {.name = "metadata.recovery.strategy",
       .default_value = "rebootstrap",
       .validator = validators::one_of_ignoring_case({"REBOOTSTRAP", "NONE"}),
       .importance = Importance::Low,
       .documentation = "What to do when no known broker answers: rebootstrap begins at bootstrap.servers again."},
      {.name = "metric.reporters",
       .type = ConfigType::List,
       .default_value = "org.apache.kafka.common.metrics.JmxReporter",
       .validator = validators::distinct_list(true, false),
       .importance = Importance::Low,
       .documentation = "Accepted for compatibility; metrics are served at GET /metrics."},
      {.name = "metrics.num.samples",
       .type = ConfigType::Int,
       .default_value = "2",
       .validator = validators::at_least(std::int64_t{1}),
       .importance = Importance::Low,
       .documentation = "Accepted for compatibility; metrics are served at GET /metrics."},
      {.name = "metrics.recording.level",
       .default_value = "INFO",
       .validator = validators::one_of({"INFO", "DEBUG"}),
       .importance = Importance::Low,
       .documentation = "Accepted for compatibility; metrics are served at GET /metrics."},
      {.name = "metrics.sample.window.ms",
       .type = ConfigType::Long,
       .default_value = "30000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "Accepted for compatibility; metrics are served at GET /metrics."},
      {.name = "offset.flush.interval.ms",
       .type = ConfigType::Long,
       .default_value = "60000",
       .importance = Importance::Low,
       .documentation = "How often tasks commit offsets, in milliseconds (not for exactly-once sources, whose offsets go with "
                        "their records)."},
      {.name = "offset.flush.timeout.ms",
       .type = ConfigType::Long,
       .default_value = "5000",
       .importance = Importance::Low,
       .documentation = "How long a commit of offsets may take before it is given up and tried later, in milliseconds."},
      {.name = "offset.storage.partitions",
       .type = ConfigType::Int,
       .default_value = "25",
       .validator = partitions(),
       .importance = Importance::Low,
       .documentation = "Partitions of the offsets topic when the worker creates it; -1 takes the broker's default."},
      {.name = "offset.storage.replication.factor",
       .type = ConfigType::Short,
       .default_value = "3",
       .validator = replication_factor(),
       .importance = Importance::Low,
       .documentation = "Replicas of the offsets topic when the worker creates it; -1 takes the broker's default."},
      {.name = "offset.storage.topic",
       .importance = Importance::High,
       .documentation = "The topic of source offsets; compacted; the same for all workers of the cluster."},
      {.name = "plugin.discovery",
       .default_value = "hybrid_warn",
       .validator = validators::one_of_ignoring_case({"ONLY_SCAN", "SERVICE_LOAD", "HYBRID_WARN", "HYBRID_FAIL"}),
       .importance = Importance::Low,
       .documentation = "Accepted for compatibility; plugins are listed by the shared objects themselves."},
      {.name = "plugin.path",
       .type = ConfigType::List,
       .default_value = std::monostate{},
       .validator = validators::distinct_list(true, true),
       .importance = Importance::Low,
       .documentation = "Folders in which shared objects with plugins are looked for."},
      {.name = "rebalance.timeout.ms",
       .type = ConfigType::Int,
       .default_value = "60000",
       .importance = Importance::High,
       .documentation = "How long a rebalance waits for each worker to stop what it gives up, in milliseconds."},
      {.name = "receive.buffer.bytes",
       .type = ConfigType::Int,
       .default_value = "32768",
       .validator = validators::at_least(std::int64_t{-1}),
       .documentation = "Receive buffer of sockets, in bytes; -1: the system's default."},
      {.name = "reconnect.backoff.max.ms",
       .type = ConfigType::Long,
       .default_value = "1000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "The longest wait before a broker is connected to again, in milliseconds."},
      {.name = "reconnect.backoff.ms",
       .type = ConfigType::Long,
       .default_value = "50",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "The first wait before a broker is connected to again, in milliseconds; doubles with each failure."},
      {.name = "request.timeout.ms",
       .type = ConfigType::Int,
       .default_value = "40000",
       .validator = validators::at_least(std::int64_t{0}),
       .documentation = "How long a broker may take to answer, in milliseconds."},
      {.name = "response.http.headers.config",
       .default_value = "",
       .validator = response_headers(),
       .importance = Importance::Low,
       .documentation = "Headers to add to REST answers: rules of the form \"set Name: value\", with commas."},
      {.name = "rest.advertised.host.name",
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "The host under which other workers reach this one; not set: the listener's, or the machine's name."},
      {.name = "rest.advertised.listener",
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "Which listener, http or https, other workers use; not set: the first."},
      {.name = "rest.advertised.port",
       .type = ConfigType::Int,
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "The port under which other workers reach this one; not set: the listener's."},
      {.name = "rest.extension.classes",
       .type = ConfigType::List,
       .default_value = "",
       .validator = validators::distinct_list(true, false),
       .importance = Importance::Low,
       .documentation = "Extensions of the REST API by class name."},
      {.name = "retry.backoff.max.ms",
       .type = ConfigType::Long,
       .default_value = "1000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "The longest wait before a failed request is repeated, in milliseconds."},
      {.name = "retry.backoff.ms",
       .type = ConfigType::Long,
       .default_value = "100",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "The first wait before a failed request is repeated, in milliseconds."},
      {.name = "scheduled.rebalance.max.delay.ms",
       .type = ConfigType::Int,
       .default_value = "300000",
       .validator = validators::between(std::int64_t{0}, std::int64_t{2147483647}),
       .importance = Importance::Low,
       .documentation = "How long the work of a lost worker waits for its return before it is given to others, in milliseconds."},
      {.name = "security.protocol",
       .default_value = "PLAINTEXT",
       .validator = validators::one_of_ignoring_case({"SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"}),
       .documentation = "How brokers are spoken to: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL."},
      {.name = "send.buffer.bytes",
       .type = ConfigType::Int,
       .default_value = "131072",
       .validator = validators::at_least(std::int64_t{-1}),
       .documentation = "Send buffer of sockets, in bytes; -1: the system's default."},
      {.name = "session.timeout.ms",
       .type = ConfigType::Int,
       .default_value = "10000",
       .importance = Importance::High,
       .documentation = "Without a heartbeat for this long, in milliseconds, the coordinator counts the worker as lost."},
      {.name = "socket.connection.setup.timeout.max.ms",
       .type = ConfigType::Long,
       .default_value = "30000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "The longest wait for a connection to a broker, in milliseconds."},
      {.name = "socket.connection.setup.timeout.ms",
       .type = ConfigType::Long,
       .default_value = "10000",
       .validator = validators::at_least(std::int64_t{0}),
       .importance = Importance::Low,
       .documentation = "The first wait for a connection to a broker, in milliseconds; grows with each failure."},
      {.name = "status.storage.partitions",
       .type = ConfigType::Int,
       .default_value = "5",
       .validator = partitions(),
       .importance = Importance::Low,
       .documentation = "Partitions of the status topic when the worker creates it; -1 takes the broker's default."},
      {.name = "status.storage.replication.factor",
       .type = ConfigType::Short,
       .default_value = "3",
       .validator = replication_factor(),
       .importance = Importance::Low,
       .documentation = "Replicas of the status topic when the worker creates it; -1 takes the broker's default."},
      {.name = "status.storage.topic",
       .importance = Importance::High,
       .documentation = "The topic of the states of connectors and tasks; compacted; the same for all workers of the cluster."},
      {.name = "task.shutdown.graceful.timeout.ms",
       .type = ConfigType::Long,
       .default_value = "5000",
       .importance = Importance::Low,
       .documentation = "How long all tasks together may take to stop, in milliseconds."},
      {.name = "topic.creation.enable",
       .type = ConfigType::Boolean,
       .default_value = "true",
       .importance = Importance::Low,
       .documentation = "Whether source connectors with topic.creation.* settings may have their topics created."},
      {.name = "topic.tracking.allow.reset",
       .type = ConfigType::Boolean,
       .default_value = "true",
       .importance = Importance::Low,
       .documentation = "Whether the list of topics that a connector uses may be reset through REST."},
      {.name = "topic.tracking.enable",
       .type = ConfigType::Boolean,
       .default_value = "true",
       .importance = Importance::Low,
       .documentation = "Whether the topics that each connector uses are recorded."},
      {.name = "value.converter",
       .type = ConfigType::Class,
       .importance = Importance::High,
       .documentation = "Class of the converter of record values, for connectors that name none."},
      {.name = "value.converter.plugin.version",
       .default_value = std::monostate{},
       .importance = Importance::Low,
       .documentation = "Version of the value converter; empty: the newest."},
      {.name = "worker.sync.timeout.ms",
       .type = ConfigType::Int,
       .default_value = "3000",
       .documentation =
           "A worker whose config log is behind waits this long to catch up, in milliseconds, before it leaves the group."},
      {.name = "worker.unsync.backoff.ms",
       .type = ConfigType::Int,
       .default_value = "300000",
       .documentation = "A worker that could not catch up stays out of the group for this long, in milliseconds."},
  };
}

std::vector<ConfigKey> our_settings() {
  return {
      // Above the longest text that Jackson reads, 20 MB, so that one which is longer gets the answer that Java gives.
      {.name = "rest.request.max.bytes",
       .type = ConfigType::Int,
       .default_value = 32 * 1024 * 1024,
       .validator = validators::at_least(std::int64_t{1024}),
       .importance = Importance::Low,
       .documentation = "The largest body of a REST request, in bytes; larger ones are answered with 413."},
      {.name = "log.level",
       .default_value = "info",
       .validator = validators::one_of_ignoring_case({"trace", "debug", "info", "warn", "error"}),
       .importance = Importance::Low,
       .documentation = "Lines of this level and above are logged."},
      {.name = "log.format",
       .default_value = "text",
       .validator = validators::one_of_ignoring_case({"text", "json"}),
       .importance = Importance::Low,
       .documentation = "How log lines look: text, or one JSON object a line."},
  };
}

constexpr std::array<std::string_view, 16> kClientSettings = {"bootstrap.servers",
                                                              "client.dns.lookup",
                                                              "connections.max.idle.ms",
                                                              "metadata.max.age.ms",
                                                              "metadata.recovery.rebootstrap.trigger.ms",
                                                              "metadata.recovery.strategy",
                                                              "receive.buffer.bytes",
                                                              "reconnect.backoff.max.ms",
                                                              "reconnect.backoff.ms",
                                                              "request.timeout.ms",
                                                              "retry.backoff.max.ms",
                                                              "retry.backoff.ms",
                                                              "security.protocol",
                                                              "send.buffer.bytes",
                                                              "socket.connection.setup.timeout.max.ms",
                                                              "socket.connection.setup.timeout.ms"};

constexpr std::array<std::string_view, 14> kForeignPrefixes = {"producer.",
                                                               "consumer.",
                                                               "admin.",
                                                               "config.storage.",
                                                               "offset.storage.",
                                                               "status.storage.",
                                                               "key.converter.",
                                                               "value.converter.",
                                                               "header.converter.",
                                                               "config.providers.",
                                                               "listeners.https.",
                                                               "admin.listeners.https.",
                                                               "metrics.context.",
                                                               "rest.extension.classes."};

}  // namespace

ConfigDef worker_config_def() {
  ConfigDef def;
  for (const ConfigKey& key : kafkas_settings()) def.define(key);
  def.embed("", security_config_def());
  for (const ConfigKey& key : our_settings()) def.define(key);
  return def;
}

bool is_client_setting(std::string_view name) {
  return name.starts_with("ssl.") || name.starts_with("sasl.") ||
         std::find(kClientSettings.begin(), kClientSettings.end(), name) != kClientSettings.end();
}

std::vector<std::string> unknown_worker_settings(const Properties& properties) {
  const ConfigDef def = worker_config_def();
  std::vector<std::string> out;
  for (const auto& [name, value] : properties) {
    const bool foreign = std::any_of(kForeignPrefixes.begin(), kForeignPrefixes.end(),
                                     [&key = name](std::string_view prefix) { return key.starts_with(prefix); });
    if (!foreign && !is_client_setting(name) && def.find(name) == nullptr) out.push_back(name);
  }
  return out;
}

}  // namespace fencepost::config
