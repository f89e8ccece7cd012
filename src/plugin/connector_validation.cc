#include "plugin/connector_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "config/client_config.h"
#include "config/connector_settings.h"
#include "fencepost/settings.h"
#include "plugin/config_json.h"
#include "regex/pattern.h"

namespace fencepost::plugin {

namespace {

/// Settings and values as they come together, in the order of their first appearance; who comes later about a name prevails.
class Findings {
 public:
  void define(ConfigKey key) {
    if (!key.group.empty() && std::find(groups_.begin(), groups_.end(), key.group) == groups_.end()) groups_.push_back(key.group);
    entry(key.name).definition = std::move(key);
  }
  void set(ConfigValue value) {
    ConfigInfo& info = entry(value.name);
    info.value = std::move(value);
    has_value_.insert(info.value.name);
  }
  ConfigValue& value(const std::string& name) {
    has_value_.insert(name);
    return entry(name).value;
  }
  void error(const std::string& name, std::string text) { value(name).errors.push_back(std::move(text)); }

  [[nodiscard]] ConfigInfos take(std::string name) && {
    ConfigInfos out{.name = std::move(name), .groups = std::move(groups_), .configs = {}};
    for (ConfigInfo& info : infos_) {
      if (has_value_.contains(info.value.name)) out.configs.push_back(std::move(info));
    }
    return out;
  }

 private:
  ConfigInfo& entry(const std::string& name) {
    const auto [at, is_new] = index_.emplace(name, infos_.size());
    if (is_new) {
      infos_.emplace_back();
      infos_.back().value.name = name;
    }
    return infos_[at->second];
  }

  std::vector<ConfigInfo> infos_;
  std::map<std::string, std::size_t> index_;
  std::set<std::string> has_value_;
  std::vector<std::string> groups_;
};

ConfigMap to_map(const Properties& properties) {
  ConfigMap out;
  for (const auto& [name, value] : properties) {
    if (value) out.insert_or_assign(name, *value);
  }
  return out;
}

std::vector<std::string> class_names(const Registry& plugins, PluginKind kind) {
  std::vector<std::string> names;
  for (const PluginDescriptor& plugin : plugins.all()) {
    if (plugin.kind() == kind) names.push_back(plugin.class_name);
  }
  return names;
}

std::string_view interface_of(PluginKind kind) {
  switch (kind) {
    case PluginKind::Converter:
      return "Converter";
    case PluginKind::HeaderConverter:
      return "HeaderConverter";
    case PluginKind::Transformation:
      return "Transformation";
    case PluginKind::Predicate:
      return "Predicate";
    default:
      return "Connector";
  }
}

/// A plugin of any kind that a name stands for; null pointer where there is none.
const PluginDescriptor* of_any_kind(const Registry& plugins, std::string_view name) {
  for (const PluginKind kind : {PluginKind::Source, PluginKind::Sink, PluginKind::Converter, PluginKind::HeaderConverter,
                                PluginKind::Transformation, PluginKind::Predicate, PluginKind::ConfigProvider}) {
    if (const auto found = plugins.find(kind, name)) return *found;
  }
  return nullptr;
}

/// Looks a CLASS setting up and shows the full name of what was found, or what is wrong with it.
const PluginDescriptor* resolve_class(const Registry& plugins, PluginKind kind, Findings& findings, const std::string& setting) {
  ConfigValue& value = findings.value(setting);
  value.recommended_values = class_names(plugins, kind);
  const auto* given = std::get_if<std::string>(&value.value);
  if (given == nullptr) return nullptr;
  if (const auto found = plugins.find(kind, *given)) {
    value.value = (*found)->class_name;
    return *found;
  }
  if (const PluginDescriptor* other = of_any_kind(plugins, *given)) {
    value.value = other->class_name;
    value.errors.push_back(
        fmt::format("Class class {} does not implement the {} interface", other->class_name, interface_of(kind)));
    return nullptr;
  }
  value.errors.push_back(ConfigError(setting, *given, "Class " + *given + " could not be found.").what());
  value.value = std::monostate{};
  return nullptr;
}

void show_version(Findings& findings, const std::string& setting, const PluginDescriptor* plugin) {
  ConfigValue& value = findings.value(setting);
  if (plugin == nullptr) return;
  value.recommended_values = {plugin->version};
  if (std::holds_alternative<std::monostate>(value.value)) value.value = plugin->version;
}

/// The order in which Java lists the settings of a plugin inside another definition.
std::vector<ConfigKey> sorted_keys(const ConfigDef& def) {
  std::vector<ConfigKey> keys = def.keys();
  const auto group_index = [&](const ConfigKey& key) {
    return key.group.empty() ? -1 : std::find(def.groups().begin(), def.groups().end(), key.group) - def.groups().begin();
  };
  std::sort(keys.begin(), keys.end(), [&](const ConfigKey& a, const ConfigKey& b) {
    return std::tuple(group_index(a), a.order_in_group, !a.required(), a.importance, a.name) <
           std::tuple(group_index(b), b.order_in_group, !b.required(), b.importance, b.name);
  });
  return keys;
}

/// The settings under a prefix, checked under their own names and shown under the prefix.
void validate_under(const std::string& prefix, const ConfigDef& def, const ConfigMap& own, Findings& findings) {
  for (ConfigValue value : def.validate(own)) {
    value.name.insert(0, prefix);
    findings.set(std::move(value));
  }
}

ConfigMap under(const ConfigMap& config, const std::string& prefix) { return Settings({}, config).originals_with_prefix(prefix); }

ConfigKey plugin_type_key(const std::string& prefix, const std::string& group, const std::string& kind,
                          const std::string& alias) {
  return {.name = prefix + "type",
          .type = ConfigType::Class,
          .importance = Importance::High,
          .documentation = "Class of the " + kind + " '" + alias + "'.",
          .group = group,
          .order_in_group = 0,
          .width = Width::Long,
          .display_name = (kind == "predicate" ? "Predicate" : "Transformation") + std::string(" type for ") + alias};
}

ConfigKey plugin_version_key(const std::string& prefix, const std::string& group, const std::string& kind,
                             const std::string& alias, const PluginDescriptor* plugin) {
  return {.name = prefix + "plugin.version",
          .default_value = plugin == nullptr ? ConfigDatum() : ConfigDatum(plugin->version),
          .importance = Importance::High,
          .documentation = "Version of the " + kind + " '" + alias + "'.",
          .group = group,
          .order_in_group = 1,
          .width = Width::Long,
          .display_name = (kind == "predicate" ? "Predicate" : "Transformation") + std::string(" version for ") + alias};
}

/// What every transformation has besides its own settings (KIP-585).
ConfigDef transformation_def(ConfigDef own) {
  own.define({.name = "predicate",
              .default_value = std::monostate{},
              .documentation = "Name of the predicate that says to which records the transformation is applied."});
  own.define({.name = "negate",
              .type = ConfigType::Boolean,
              .default_value = false,
              .documentation = "Whether it is applied to the records that do not fulfil the predicate."});
  return own;
}

ConfigDef own_definition(const PluginDescriptor& plugin) {
  struct Ask {
    ConfigDef operator()(const SourcePlugin& source) const { return source.connector()->config_def(); }
    ConfigDef operator()(const SinkPlugin& sink) const { return sink.connector()->config_def(); }
    ConfigDef operator()(const Factory<Converter>& make) const { return make()->config_def(); }
    ConfigDef operator()(const Factory<HeaderConverter>& make) const { return make()->config_def(); }
    ConfigDef operator()(const Factory<Transformation>& make) const { return make()->config_def(); }
    ConfigDef operator()(const Factory<Predicate>& make) const { return make()->config_def(); }
    ConfigDef operator()(const Factory<ConfigProvider>& make) const { return make()->config_def(); }
  };
  return std::visit(Ask{}, plugin.factory);
}

/// Transforms or predicates: each alias has a group of its own.
void validate_chain(const Registry& plugins, PluginKind kind, const ConfigMap& config, Findings& findings) {
  const bool transforms = kind == PluginKind::Transformation;
  const std::string list = transforms ? "transforms" : "predicates";
  const std::string what = transforms ? "transformation" : "predicate";
  const auto given = config.find(list);
  if (given == config.end()) return;
  std::set<std::string> seen;
  const ConfigDatum aliases = parse_config(list, given->second, ConfigType::List);
  for (const std::string& alias : std::get<std::vector<std::string>>(aliases)) {
    if (!seen.insert(alias).second) continue;
    const std::string prefix = list + "." + alias + ".";
    const std::string group = (transforms ? "Transforms: " : "Predicates: ") + alias;
    const ConfigMap own = under(config, prefix);

    findings.define(plugin_type_key(prefix, group, what, alias));
    ConfigValue type{.name = prefix + "type"};
    if (const auto class_name = own.find("type"); class_name != own.end()) {
      type.value = parse_config(type.name, class_name->second, ConfigType::Class);
    } else {
      type.errors.push_back("Missing required configuration \"" + type.name + "\" which has no default value.");
    }
    findings.set(std::move(type));
    const PluginDescriptor* plugin = resolve_class(plugins, kind, findings, prefix + "type");

    findings.define(plugin_version_key(prefix, group, what, alias, plugin));
    ConfigValue version{.name = prefix + "plugin.version"};
    if (const auto text = own.find("plugin.version"); text != own.end()) version.value = text->second;
    findings.set(std::move(version));
    show_version(findings, prefix + "plugin.version", plugin);
    if (plugin == nullptr) continue;

    const ConfigDef def = transforms ? transformation_def(own_definition(*plugin)) : own_definition(*plugin);
    std::int32_t order = 2;
    for (ConfigKey key : sorted_keys(def)) {
      key.name.insert(0, prefix);
      key.group = group + (key.group.empty() ? "" : ": " + key.group);
      key.order_in_group = order++;
      findings.define(std::move(key));
    }
    validate_under(prefix, def, own, findings);
    if (transforms && own.contains("negate") && !own.contains("predicate")) {
      findings.error(prefix + "type", "Config '" + prefix + "negate' was provided but there is no config '" + prefix +
                                          "predicate' defining a predicate to be negated.");
    }
  }
}

/// A converter that the connector names itself has its settings checked; the worker's was checked at its start.
void validate_converter(const Registry& plugins, PluginKind kind, const std::string& setting, const std::string& type,
                        const ConfigMap& config, Findings& findings) {
  const PluginDescriptor* plugin = resolve_class(plugins, kind, findings, setting);
  show_version(findings, setting + ".plugin.version", plugin);
  if (plugin == nullptr || !config.contains(setting)) return;
  const std::string prefix = setting + ".";
  const ConfigDef def = own_definition(*plugin);
  ConfigMap own = under(config, prefix);
  own.insert_or_assign("converter.type", type);
  for (ConfigKey key : def.keys()) {
    key.name.insert(0, prefix);
    findings.define(std::move(key));
  }
  validate_under(prefix, def, own, findings);
}

void validate_overrides(config::OverridePolicy policy, const ConfigMap& config, Findings& findings) {
  const std::set<std::string, std::less<>> principal = {"sasl.jaas.config", "sasl.mechanism", "security.protocol"};
  for (const std::string prefix : {"producer.override.", "consumer.override.", "admin.override."}) {
    for (const auto& [name, text] : under(config, prefix)) {
      const bool secret = name.find("password") != std::string::npos || name == "sasl.jaas.config" || name.ends_with(".secret");
      findings.define({.name = prefix + name,
                       .type = secret ? ConfigType::Password : ConfigType::String,
                       .default_value = std::monostate{},
                       .importance = Importance::Low,
                       .documentation = "The Kafka client's " + name + ", for this connector alone.",
                       .display_name = name});
      ConfigValue& value = findings.value(prefix + name);
      value.value = secret ? ConfigDatum(Password(text)) : ConfigDatum(text);
      const bool allowed =
          policy == config::OverridePolicy::All || (policy == config::OverridePolicy::Principal && principal.contains(name));
      if (!allowed) {
        value.errors.push_back(fmt::format("The '{}' policy does not allow '{}' to be overridden in the connector configuration.",
                                           policy == config::OverridePolicy::None ? "None" : "Principal", name));
      }
    }
  }
}

bool is_set(const ConfigMap& config, const std::string& name) {
  const auto at = config.find(name);
  return at != config.end() && at->second.find_first_not_of(" \t") != std::string::npos;
}

void validate_topics(const ConfigMap& config, Findings& findings) {
  const bool topics = is_set(config, "topics");
  const bool regex = is_set(config, "topics.regex");
  if (topics == regex) {
    const std::string text = topics ? "topics and topics.regex are mutually exclusive options, but both are set."
                                    : "Must configure one of topics or topics.regex";
    findings.error("topics", text);
    findings.error("topics.regex", text);
  }
  std::optional<regex::Pattern> pattern;
  const auto* expression = std::get_if<std::string>(&findings.value("topics.regex").value);
  if (regex && expression != nullptr) {
    if (auto compiled = regex::Pattern::compile(*expression)) {
      pattern = *std::move(compiled);
    } else {
      findings.error("topics.regex",
                     ConfigError("topics.regex", *expression, "Invalid regex: " + compiled.error().message()).what());
    }
  }
  if (!is_set(config, "errors.deadletterqueue.topic.name")) return;
  const std::string dead_letters = config.at("errors.deadletterqueue.topic.name");
  const auto* list = std::get_if<std::vector<std::string>>(&findings.value("topics").value);
  if (topics && list != nullptr && std::find(list->begin(), list->end(), dead_letters) != list->end()) {
    std::string all;
    for (const std::string& topic : *list) all.append(all.empty() ? "" : ", ").append(topic);
    findings.error("topics",
                   fmt::format("The DLQ topic '{}' may not be included in the list of topics ('topics=[{}]') consumed by the "
                               "connector",
                               dead_letters, all));
  }
  if (pattern && pattern->matches(dead_letters)) {
    findings.error("topics.regex", fmt::format("The DLQ topic '{}' may not be included in the regex matching the topics "
                                               "('topics.regex={}') consumed by the connector",
                                               dead_letters, *expression));
  }
}

void validate_group(const config::WorkerConfig& worker, const Properties& properties, const ConfigMap& config,
                    Findings& findings) {
  const auto name = config.find("name");
  const std::string group = config::sink_group(properties, name == config.end() ? "" : name->second);
  if (group != worker.group_id) return;
  if (config.contains("consumer.override.group.id")) {
    findings.error("consumer.override.group.id",
                   fmt::format("Consumer group {} conflicts with Connect worker group {}", group, worker.group_id));
  } else {
    findings.error("name", fmt::format("Consumer group for sink connector named {} conflicts with Connect worker group {}",
                                       name->second, worker.group_id));
  }
}

bool equals_ignoring_case(const ConfigValue& value, std::string_view wanted) {
  const auto* text = std::get_if<std::string>(&value.value);
  return text != nullptr && std::equal(text->begin(), text->end(), wanted.begin(), wanted.end(),
                                       [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

void validate_exactly_once(const config::WorkerConfig& worker, const SourceConnector& connector, const ConfigMap& config,
                           Findings& findings) {
  ConfigValue& support = findings.value("exactly.once.support");
  if (!support.errors.empty() || !equals_ignoring_case(support, "required")) return;
  if (worker.exactly_once != config::ExactlyOnceSource::Enabled) {
    support.errors.emplace_back("This worker does not have exactly-once source support enabled.");
  }
  try {
    const auto answer = connector.exactly_once_support(config);
    if (!answer) {
      support.errors.emplace_back(
          "The connector does not implement the API required for preflight validation of exactly-once source support. Please "
          "consult the "
          "documentation for the connector to determine whether it supports exactly-once semantics, and then consider "
          "reconfiguring the "
          "connector to use the value \"requested\" for this property (which will disable this preflight check and allow the "
          "connector to "
          "be created).");
    } else if (*answer == ExactlyOnceSupport::Unsupported) {
      support.errors.emplace_back("The connector does not support exactly-once semantics with the provided configuration.");
    }
  } catch (const std::exception& error) {
    support.errors.push_back(std::string("An unexpected error occurred during validation: ") + error.what());
  }
}

void validate_boundary(const SourceConnector& connector, const ConfigMap& config, Findings& findings) {
  ConfigValue& boundary = findings.value("transaction.boundary");
  if (!boundary.errors.empty() || !equals_ignoring_case(boundary, "connector")) return;
  try {
    if (connector.can_define_transaction_boundaries(config)) return;
    boundary.errors.emplace_back(
        "The connector does not support connector-defined transaction boundaries with the given configuration. Please "
        "reconfigure it to "
        "use a different transaction boundary definition.");
  } catch (const std::exception& error) {
    boundary.errors.push_back(std::string("An unexpected error occurred during validation: ") + error.what());
  }
}

/// The framework's part, with the worker's converters standing in for those that the config does not name.
void validate_framework(const ConfigDef& def, const config::WorkerConfig& worker, const ConfigMap& config, Findings& findings) {
  ConfigMap complete = config;
  complete.emplace("key.converter", worker.key_converter.class_name);
  complete.emplace("value.converter", worker.value_converter.class_name);
  complete.emplace("header.converter", worker.header_converter.class_name);
  for (const ConfigKey& key : def.keys()) findings.define(key);
  for (ConfigValue value : def.validate(complete)) findings.set(std::move(value));
}

std::string names_of(const Properties& config) {
  std::string names;
  for (const auto& [name, value] : config) names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

}  // namespace

Result<ConfigInfos> validate_connector(const Registry& plugins, const config::WorkerConfig& worker,
                                       const Properties& properties) {
  const ConfigMap config = to_map(properties);
  const auto class_name = config.find("connector.class");
  if (class_name == config.end()) {
    // Names only: values may be secrets.
    return failure(ErrorKind::InvalidConfig, "Connector config {" + names_of(properties) + "} contains no connector type");
  }
  FENCEPOST_TRY(const PluginDescriptor* plugin, plugins.connector(class_name->second));
  const auto* source = std::get_if<SourcePlugin>(&plugin->factory);
  try {
    std::unique_ptr<SourceConnector> source_connector;
    std::unique_ptr<SinkConnector> sink_connector;
    if (source != nullptr) {
      source_connector = source->connector();
    } else {
      sink_connector = std::get<SinkPlugin>(plugin->factory).connector();
    }
    Findings findings;
    validate_framework(source ? config::source_connector_config_def() : config::sink_connector_config_def(), worker, config,
                       findings);
    show_version(findings, "connector.plugin.version", plugin);
    validate_chain(plugins, PluginKind::Transformation, config, findings);
    validate_chain(plugins, PluginKind::Predicate, config, findings);
    if (source_connector) {
      validate_exactly_once(worker, *source_connector, config, findings);
      validate_boundary(*source_connector, config, findings);
    } else {
      validate_topics(config, findings);
    }
    const Connector& connector = source_connector ? static_cast<const Connector&>(*source_connector) : *sink_connector;
    const ConfigDef own = connector.config_def();
    for (const ConfigKey& key : own.keys()) findings.define(key);
    for (ConfigValue value : connector.validate(config)) findings.set(std::move(value));
    validate_converter(plugins, PluginKind::Converter, "key.converter", "key", config, findings);
    validate_converter(plugins, PluginKind::Converter, "value.converter", "value", config, findings);
    validate_converter(plugins, PluginKind::HeaderConverter, "header.converter", "header", config, findings);
    validate_overrides(worker.override_policy, config, findings);
    if (sink_connector) validate_group(worker, properties, config, findings);
    for (const auto& [name, value] : properties) {
      if (!value) {
        findings.error(name,
                       "Null value can not be supplied as the configuration value. Remove " + name + " or give it a value.");
      }
    }
    return std::move(findings).take(class_name->second);
  } catch (const std::exception& error) {
    return failure(ErrorKind::InvalidConfig, "Connector " + plugin->class_name + " could not check its config: " + error.what());
  }
}

Result<std::string> plugin_settings_json(const Registry& plugins, std::string_view name) {
  const PluginDescriptor* plugin = of_any_kind(plugins, name);
  if (plugin == nullptr) return failure(ErrorKind::NotFound, "Unknown plugin " + std::string(name) + ".");
  if (plugin->kind() == PluginKind::ConfigProvider) {
    return failure(ErrorKind::InvalidConfig,
                   "Invalid plugin type " + std::string(to_string(plugin->kind())) +
                       ". Valid types are sink, source, converter, header_converter, transformation, predicate.");
  }
  std::string text;
  json::Writer out(text);
  out.begin_array();
  try {
    const ConfigDef own = own_definition(*plugin);
    const ConfigDef framework = plugin->kind() == PluginKind::Source ? config::source_connector_config_def()
                                : plugin->kind() == PluginKind::Sink ? config::sink_connector_config_def()
                                                                     : ConfigDef();
    for (const ConfigKey& key : framework.keys()) {
      if (own.find(key.name) == nullptr) write_definition(out, key);
    }
    for (const ConfigKey& key : own.keys()) write_definition(out, key);
  } catch (const std::exception& error) {
    return failure(ErrorKind::Failed, "Plugin " + plugin->class_name + " could not describe its settings: " + error.what());
  }
  out.end_array();
  return text;
}

}  // namespace fencepost::plugin
