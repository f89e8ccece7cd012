#include "mirror/mirror_settings.h"

#include <utility>

#include "fencepost/errors.h"

namespace fencepost::mirror {
namespace {

const ConfigDef& definition() {
  static const ConfigDef kDefinition = mirror_source_config_def();
  return kDefinition;
}

ConfigDatum datum_of(const ConfigMap& config, std::string_view name) {
  const ConfigKey* key = definition().find(name);
  const auto found = config.find(name);
  if (found != config.end()) return parse_config(name, found->second, key->type);
  const ConfigDatum& fallback = key->default_value.value();
  const auto* text = std::get_if<std::string>(&fallback);
  return text != nullptr ? parse_config(name, *text, key->type) : fallback;
}

regex::Pattern patterns(const ConfigMap& config, std::string_view name) {
  auto pattern = regex::Pattern::any_of(list_of(config, name));
  if (!pattern) throw ConfigError(name, text_of(config, name), pattern.error().message());
  return *std::move(pattern);
}

std::string_view prefix_of(Side side) { return side == Side::Source ? "source." : "target."; }

std::string_view prefix_of(kafka::ClientKind kind) {
  switch (kind) {
    case kafka::ClientKind::Producer:
      return "producer.";
    case kafka::ClientKind::Consumer:
      return "consumer.";
    default:
      return "admin.";
  }
}

void put_all(Properties& into, const ConfigMap& config, const std::string& prefix, bool (*wanted)(std::string_view)) {
  for (auto at = config.lower_bound(prefix); at != config.end() && at->first.starts_with(prefix); ++at) {
    const std::string_view name = std::string_view(at->first).substr(prefix.size());
    if (wanted(name)) into.set(name, at->second);
  }
}

/// What MirrorMaker's clients share: addresses and security; a cluster's other settings are not for clients.
bool is_shared(std::string_view name) {
  return name == "bootstrap.servers" || name == "security.protocol" || name.starts_with("ssl.") || name.starts_with("sasl.");
}
bool any(std::string_view) { return true; }

/// There is no other class of that kind than these, by their full or simple names.
ConfigValidator one_class_of(std::vector<std::string_view> names) {
  return validators::check(
      [names = std::move(names)](std::string_view setting, const ConfigDatum& value) {
        const auto* given = std::get_if<std::string>(&value);
        const std::string text = given == nullptr ? "null" : *given;
        for (const std::string_view name : names) {
          if (text == name || text == name.substr(name.rfind('.') + 1)) return;
        }
        throw ConfigError(setting, text, "Class " + text + " could not be found.");
      },
      "");
}

ConfigValidator a_list() {
  const auto whole = validators::distinct_list();
  return validators::check(whole.check, "");
}

void define(ConfigDef& def, std::string name, ConfigType type, std::optional<ConfigDatum> fallback, Importance importance,
            std::string documentation, ConfigValidator validator = {}) {
  def.define({.name = std::move(name),
              .type = type,
              .default_value = std::move(fallback),
              .validator = std::move(validator),
              .importance = importance,
              .documentation = std::move(documentation)});
}

void define_clusters(ConfigDef& def) {
  define(def, "source.cluster.alias", ConfigType::String, std::nullopt, Importance::High, "The name of the source cluster.");
  define(def, "target.cluster.alias", ConfigType::String, "target", Importance::High, "The name of the target cluster.");
  define(def, "enabled", ConfigType::Boolean, "true", Importance::Low, "Whether anything is mirrored at all.");
  define(def, "admin.timeout.ms", ConfigType::Long, "60000", Importance::Low, "How long a question to a cluster may take.");
  define(def, "forwarding.admin.class", ConfigType::Class, "org.apache.kafka.clients.admin.ForwardingAdmin", Importance::Low,
         "The class that makes topics; only the default one is there.",
         one_class_of({"org.apache.kafka.clients.admin.ForwardingAdmin"}));
  define(def, "replication.policy.class", ConfigType::Class, "org.apache.kafka.connect.mirror.DefaultReplicationPolicy",
         Importance::Low, "How mirrored topics are called: DefaultReplicationPolicy or IdentityReplicationPolicy.",
         one_class_of({"org.apache.kafka.connect.mirror.DefaultReplicationPolicy",
                       "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"}));
  define(def, "replication.policy.separator", ConfigType::String, ".", Importance::Low,
         "What stands between the source's alias and the topic.");
  define(def, "replication.policy.internal.topic.separator.enabled", ConfigType::Boolean, "true", Importance::Low,
         "Whether the mirror's own topics are named with that separator too.");
}

void define_topics(ConfigDef& def) {
  define(def, "topics", ConfigType::List, ".*", Importance::High, "Topics to mirror: names and regular expressions.", a_list());
  define(def, "topics.exclude", ConfigType::List, "mm2.*\\.internal,.*\\.replica,__.*", Importance::High,
         "Topics that are not mirrored, though topics names them.", a_list());
  define(def, "topic.filter.class", ConfigType::Class, "org.apache.kafka.connect.mirror.DefaultTopicFilter", Importance::Low,
         "The class that chooses topics; only the default one is there.",
         one_class_of({"org.apache.kafka.connect.mirror.DefaultTopicFilter"}));
  define(def, "config.properties.exclude", ConfigType::List,
         "follower.replication.throttled.replicas,leader.replication.throttled.replicas,message.timestamp.difference.max.ms,"
         "log.message.timestamp.before.max.ms,log.message.timestamp.after.max.ms,message.timestamp.type,"
         "unclean.leader.election.enable,min.insync.replicas",
         Importance::High, "Topic settings that are not copied.", a_list());
  define(def, "config.property.filter.class", ConfigType::Class, "org.apache.kafka.connect.mirror.DefaultConfigPropertyFilter",
         Importance::Low, "The class that chooses topic settings; only the default one is there.",
         one_class_of({"org.apache.kafka.connect.mirror.DefaultConfigPropertyFilter"}));
  define(def, "replication.factor", ConfigType::Int, "2", Importance::Low, "Replicas of the topics that are made in the target.");
  define(def, "heartbeats.replication.enabled", ConfigType::Boolean, "true", Importance::Low,
         "Whether heartbeats topics are mirrored whatever topics says.");
  define(def, "refresh.topics.enabled", ConfigType::Boolean, "true", Importance::Low,
         "Whether new topics and partitions are looked for.");
  define(def, "refresh.topics.interval.seconds", ConfigType::Long, "600", Importance::Low, "How often.");
  define(def, "sync.topic.configs.enabled", ConfigType::Boolean, "true", Importance::Low,
         "Whether changed settings of source topics are copied.");
  define(def, "sync.topic.configs.interval.seconds", ConfigType::Long, "600", Importance::Low, "How often.");
  define(def, "sync.topic.acls.enabled", ConfigType::Boolean, "true", Importance::Low,
         "Accepted for compatibility: access rules are not copied.");
  define(def, "sync.topic.acls.interval.seconds", ConfigType::Long, "600", Importance::Low, "Without effect.");
}

void define_tasks(ConfigDef& def) {
  define(def, "consumer.poll.timeout.ms", ConfigType::Long, "1000", Importance::Low,
         "Accepted for compatibility: a poll returns what is there at once.");
  define(def, "emit.offset-syncs.enabled", ConfigType::Boolean, "true", Importance::Low,
         "Whether it is told which offset of the source became which offset of the target.");
  define(def, "offset.lag.max", ConfigType::Long, "100", Importance::Low,
         "After so many records at the latest it is told again.");
  define(def, "offset-syncs.topic.replication.factor", ConfigType::Short, "3", Importance::Low,
         "Replicas of the topic in which it is told.");
  define(def, "offset-syncs.topic.location", ConfigType::String, "source", Importance::Low,
         "The cluster in which that topic lies.", validators::one_of({"source", "target"}));
}

}  // namespace

ConfigDef mirror_source_config_def() {
  ConfigDef def;
  define_clusters(def);
  define_topics(def);
  define_tasks(def);
  return def;
}

namespace {

/// "src->dst|orders-0|replication-consumer", so that brokers tell clients apart.
std::string client_id(const ConfigMap& config, std::string_view role) {
  const auto text = [&config](std::string_view name) {
    const auto found = config.find(name);
    return found == config.end() ? std::string() : found->second;
  };
  std::string id = text("source.cluster.alias") + "->" + text_of(config, "target.cluster.alias") + "|" + text("name");
  if (config.contains("task.index")) id += "-" + text("task.index");
  return id.append("|").append(role);
}

}  // namespace

Properties client_properties(const ConfigMap& config, Side side, kafka::ClientKind kind, std::string_view role) {
  Properties out;
  if (!role.empty()) out.set("client.id", client_id(config, role));
  const std::string side_prefix(prefix_of(side));
  const std::string kind_prefix(prefix_of(kind));
  put_all(out, config, side_prefix + "cluster.", &is_shared);
  put_all(out, config, kind_prefix, &any);
  if (kind == kafka::ClientKind::Consumer) out.erase("poll.timeout.ms");  // consumer.poll.timeout.ms is the connector's own
  put_all(out, config, side_prefix + kind_prefix, &any);
  if (kind == kafka::ClientKind::Consumer) {
    out.set("enable.auto.commit", "false");
    if (!out.contains("auto.offset.reset")) out.set("auto.offset.reset", "earliest");
  }
  return out;
}

std::string text_of(const ConfigMap& config, std::string_view name) { return to_text(datum_of(config, name)).value_or(""); }
bool flag_of(const ConfigMap& config, std::string_view name) { return std::get<bool>(datum_of(config, name)); }
std::int64_t number_of(const ConfigMap& config, std::string_view name) {
  const ConfigDatum datum = datum_of(config, name);
  if (const auto* number = std::get_if<std::int32_t>(&datum)) return *number;
  if (const auto* number = std::get_if<std::int16_t>(&datum)) return *number;
  return std::get<std::int64_t>(datum);
}
std::vector<std::string> list_of(const ConfigMap& config, std::string_view name) {
  return std::get<std::vector<std::string>>(datum_of(config, name));
}

TopicChoice::TopicChoice(const ConfigMap& config)
    : policy_(make_replication_policy(config)),
      target_alias_(text_of(config, "target.cluster.alias")),
      heartbeats_(flag_of(config, "heartbeats.replication.enabled")),
      include_(patterns(config, "topics")),
      exclude_(patterns(config, "topics.exclude")) {
  const auto alias = config.find("source.cluster.alias");
  if (alias == config.end()) throw ConfigError("source.cluster.alias", "null", "name the source cluster");
  source_alias_ = alias->second;
}

TopicChoice::Verdict TopicChoice::judge(std::string_view topic) const {
  const bool asked = include_.matches(topic) && !exclude_.matches(topic);
  if (!asked && !(heartbeats_ && policy_->is_heartbeats_topic(topic))) return Verdict::NotAsked;
  if (policy_->is_internal_topic(topic)) return Verdict::Internal;
  return is_cycle(topic) ? Verdict::Cycle : Verdict::Mirrored;
}

bool TopicChoice::is_cycle(std::string_view topic) const {
  const auto source = policy_->topic_source(topic);
  if (!source) return false;
  if (*source == target_alias_) return true;
  const auto upstream = policy_->upstream_topic(topic);
  return upstream && *upstream != topic && is_cycle(*upstream);
}

OffsetSyncsPlace OffsetSyncsPlace::of(const ConfigMap& config, const TopicChoice& topics) {
  OffsetSyncsPlace place;
  place.enabled = flag_of(config, "emit.offset-syncs.enabled");
  place.side = text_of(config, "offset-syncs.topic.location") == "target" ? Side::Target : Side::Source;
  place.topic = topics.policy().offset_syncs_topic(place.side == Side::Source ? topics.target_alias() : topics.source_alias());
  place.replication_factor = static_cast<std::int16_t>(number_of(config, "offset-syncs.topic.replication.factor"));
  place.lag_max = number_of(config, "offset.lag.max");
  return place;
}

void raise(const Error& error) {
  if (error.retriable()) throw RetriableError(error.message());
  throw ConnectError(error.message());
}

}  // namespace fencepost::mirror
