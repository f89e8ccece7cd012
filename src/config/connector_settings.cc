#include "config/connector_settings.h"

#include <algorithm>
#include <set>

namespace fencepost::config {

namespace {

constexpr const char* kCommon = "Common";
constexpr const char* kTransforms = "Transforms";
constexpr const char* kPredicates = "Predicates";
constexpr const char* kErrors = "Error Handling";
constexpr const char* kTopicCreation = "Topic Creation";
constexpr const char* kExactlyOnce = "Exactly Once Support";
constexpr const char* kOffsetsTopic = "offsets.topic";

ConfigValidator unique_aliases(std::string text) {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        const auto* aliases = std::get_if<std::vector<std::string>>(&value);
        if (aliases == nullptr) throw ConfigError(name, "null", "Value must be non-null");
        if (std::set<std::string>(aliases->begin(), aliases->end()).size() == aliases->size()) return;
        std::string list = "[";
        for (const std::string& alias : *aliases) list.append(&alias == aliases->data() ? "" : ", ").append(alias);
        throw ConfigError(name, list + "]", "Duplicate alias provided.");
      },
      std::move(text));
}

/// Which plugins there are is known to the registry; the validation of whole connectors asks it.
ConfigValidator checked_by_registry(std::string text) {
  return validators::check([](std::string_view, const ConfigDatum&) {}, std::move(text));
}

ConfigKey converter(std::string name, std::int32_t order, std::string display_name, const std::string& interface,
                    std::string what) {
  return {
      .name = std::move(name),
      .type = ConfigType::Class,
      .default_value = std::monostate{},
      .validator = checked_by_registry("A concrete subclass of org.apache.kafka.connect.storage." + interface +
                                       ", A class with a public, no-argument constructor"),
      .importance = Importance::Low,
      .documentation = "Class that converts " + what + " between Connect's form and the bytes in Kafka. Not set: the worker's.",
      .group = kCommon,
      .order_in_group = order,
      .width = Width::Short,
      .display_name = std::move(display_name)};
}

ConfigKey plugin_version(std::string name, Importance importance, std::int32_t order, Width width, std::string display_name) {
  return {.name = std::move(name),
          .default_value = std::monostate{},
          .validator = checked_by_registry("(code) org.apache.kafka.connect.runtime.ConnectorConfig$PluginVersionValidator"),
          .importance = importance,
          .documentation = "Version of the plugin. A worker has one version of each, so this is shown rather than chosen.",
          .group = kCommon,
          .order_in_group = order,
          .width = width,
          .display_name = std::move(display_name)};
}

void define_identity(ConfigDef& def) {
  def.define({.name = "name",
              .validator = validators::non_empty_string_without_control_characters(),
              .importance = Importance::High,
              .documentation = "Name of the connector, unique in its cluster.",
              .group = kCommon,
              .order_in_group = 1,
              .width = Width::Medium,
              .display_name = "Connector name"})
      .define({.name = "connector.class",
               .importance = Importance::High,
               .documentation = "The connector's class: its full name, its simple name, or that without 'Connector'.",
               .group = kCommon,
               .order_in_group = 2,
               .width = Width::Long,
               .display_name = "Connector class"})
      .define(plugin_version("connector.plugin.version", Importance::Medium, 3, Width::Medium, "Connector version"))
      .define({.name = "tasks.max",
               .type = ConfigType::Int,
               .default_value = 1,
               .validator = validators::at_least(std::int64_t{1}),
               .importance = Importance::High,
               .documentation = "The most tasks that the connector's work is divided into.",
               .group = kCommon,
               .order_in_group = 4,
               .width = Width::Short,
               .display_name = "Tasks max"})
      .define({.name = "tasks.max.enforce",
               .type = ConfigType::Boolean,
               .default_value = true,
               .importance = Importance::Low,
               .documentation = "Whether a connector that makes more tasks than tasks.max fails. False is deprecated.",
               .group = kCommon,
               .order_in_group = 5,
               .width = Width::Short,
               .display_name = "Enforce tasks max"});
}

void define_conversion(ConfigDef& def) {
  def.define(converter("key.converter", 6, "Key converter class", "Converter", "record keys"))
      .define(plugin_version("key.converter.plugin.version", Importance::Low, 7, Width::Short, "Key converter version"))
      .define(converter("value.converter", 8, "Value converter class", "Converter", "record values"))
      .define(plugin_version("value.converter.plugin.version", Importance::Low, 9, Width::Short, "Value converter version"))
      .define(converter("header.converter", 10, "Header converter class", "HeaderConverter", "record headers"))
      .define(plugin_version("header.converter.plugin.version", Importance::Low, 11, Width::Short, "Header converter version"))
      .define(
          {.name = "transforms",
           .type = ConfigType::List,
           .default_value = "",
           .validator = unique_aliases("non-null string, unique transformation aliases"),
           .importance = Importance::Low,
           .documentation = "Names of the transformations that records pass, in order; each is described by transforms.NAME.*.",
           .group = kTransforms,
           .order_in_group = 12,
           .width = Width::Long,
           .display_name = "Transforms"})
      .define({.name = "predicates",
               .type = ConfigType::List,
               .default_value = "",
               .validator = unique_aliases("non-null string, unique predicate aliases"),
               .importance = Importance::Low,
               .documentation = "Names of the predicates that transformations use; each is described by predicates.NAME.*.",
               .group = kPredicates,
               .order_in_group = 13,
               .width = Width::Long,
               .display_name = "Predicates"})
      .define({.name = "config.action.reload",
               .default_value = "restart",
               .validator = validators::one_of({"none", "restart"}),
               .importance = Importance::Low,
               .documentation = "What to do when a value from a config provider changes: restart the connector, or nothing.",
               .group = kCommon,
               .order_in_group = 14,
               .width = Width::Medium,
               .display_name = "Reload Action"});
}

void define_errors(ConfigDef& def) {
  def.define({.name = "errors.retry.timeout",
              .type = ConfigType::Long,
              .default_value = 0,
              .documentation = "How long a failed operation is tried again, in milliseconds; 0: not at all; -1: for ever.",
              .group = kErrors,
              .order_in_group = 1,
              .width = Width::Medium,
              .display_name = "Retry Timeout for Errors"})
      .define({.name = "errors.retry.delay.max.ms",
               .type = ConfigType::Long,
               .default_value = 60000,
               .documentation = "The longest wait between two tries of a failed operation, in milliseconds.",
               .group = kErrors,
               .order_in_group = 2,
               .width = Width::Medium,
               .display_name = "Maximum Delay Between Retries for Errors"})
      .define({.name = "errors.tolerance",
               .default_value = "none",
               .validator = validators::one_of({"none", "all"}),
               .documentation = "none: a record that cannot be processed fails the task. all: it is skipped.",
               .group = kErrors,
               .order_in_group = 3,
               .width = Width::Short,
               .display_name = "Error Tolerance"})
      .define({.name = "errors.log.enable",
               .type = ConfigType::Boolean,
               .default_value = false,
               .documentation = "Whether each failed operation is logged.",
               .group = kErrors,
               .order_in_group = 4,
               .width = Width::Short,
               .display_name = "Log Errors"})
      .define({.name = "errors.log.include.messages",
               .type = ConfigType::Boolean,
               .default_value = false,
               .documentation = "Whether the log says which record failed: its topic, partition and offset, or its source.",
               .group = kErrors,
               .order_in_group = 5,
               .width = Width::Short,
               .display_name = "Log Error Details"});
}

ConfigDef common_config_def() {
  ConfigDef def;
  define_identity(def);
  define_conversion(def);
  define_errors(def);
  return def;
}

}  // namespace

ConfigDef source_connector_config_def() {
  ConfigDef def = common_config_def();
  def.define(
         {.name = "topic.creation.groups",
          .type = ConfigType::List,
          .default_value = "",
          .validator = unique_aliases("non-null string, unique topic creation groups"),
          .importance = Importance::Low,
          .documentation = "Groups of topics that are created with settings of their own, described by topic.creation.GROUP.*.",
          .group = kTopicCreation,
          .order_in_group = 1,
          .width = Width::Long,
          .display_name = "Topic Creation Groups"})
      .define({.name = "exactly.once.support",
               .default_value = "requested",
               .validator = validators::one_of_ignoring_case({"REQUIRED", "REQUESTED"}),
               .documentation = "required: the connector is refused unless it and the worker give each record exactly once.",
               .group = kExactlyOnce,
               .order_in_group = 2,
               .width = Width::Short,
               .display_name = "Exactly once support"})
      .define(
          {.name = "transaction.boundary",
           .default_value = "poll",
           .validator = validators::one_of_ignoring_case({"INTERVAL", "POLL", "CONNECTOR"}),
           .documentation =
               "Where transactions end: after each batch (poll), by time (interval), or where the connector says (connector).",
           .group = kExactlyOnce,
           .order_in_group = 3,
           .width = Width::Short,
           .display_name = "Transaction Boundary"})
      .define({.name = "transaction.boundary.interval.ms",
               .type = ConfigType::Long,
               .default_value = std::monostate{},
               .validator = validators::check(
                   [check = validators::at_least(std::int64_t{0})](std::string_view name, const ConfigDatum& value) {
                     // Not set means the worker's offset.flush.interval.ms.
                     if (!std::holds_alternative<std::monostate>(value)) check.check(name, value);
                   },
                   "[0,...]"),
               .importance = Importance::Low,
               .documentation = "With transaction.boundary=interval: how often a transaction ends, in milliseconds. Not set: "
                                "offset.flush.interval.ms.",
               .group = kExactlyOnce,
               .order_in_group = 4,
               .width = Width::Short,
               .display_name = "Transaction boundary interval"})
      .define({.name = "offsets.storage.topic",
               .default_value = std::monostate{},
               .validator = validators::non_empty_string(),
               .importance = Importance::Low,
               .documentation = "A topic of the connector's own for its offsets. Not set: the worker's.",
               .group = kOffsetsTopic,
               .order_in_group = 1,
               .width = Width::Long,
               .display_name = "Offsets topic"});
  return def;
}

ConfigDef sink_connector_config_def() {
  ConfigDef def = common_config_def();
  def.define({.name = "topics",
              .type = ConfigType::List,
              .default_value = "",
              .validator = validators::distinct_list(),
              .importance = Importance::High,
              .documentation = "The topics to consume, with commas. Either this or topics.regex.",
              .group = kCommon,
              .order_in_group = 4,
              .width = Width::Long,
              .display_name = "Topics"})
      .define({.name = "topics.regex",
               .default_value = "",
               .validator = checked_by_registry("valid regex"),
               .importance = Importance::High,
               .documentation = "A regular expression that names of consumed topics match as a whole. Either this or topics.",
               .group = kCommon,
               .order_in_group = 4,
               .width = Width::Long,
               .display_name = "Topics regex"})
      .define({.name = "errors.deadletterqueue.topic.name",
               .default_value = "",
               .documentation = "The topic for records that cannot be processed. Empty: none.",
               .group = kErrors,
               .order_in_group = 6,
               .width = Width::Medium,
               .display_name = "Dead Letter Queue Topic Name"})
      .define({.name = "errors.deadletterqueue.topic.replication.factor",
               .type = ConfigType::Short,
               .default_value = 3,
               .documentation = "Replicas of that topic if it must be created.",
               .group = kErrors,
               .order_in_group = 7,
               .width = Width::Medium,
               .display_name = "Dead Letter Queue Topic Replication Factor"})
      .define({.name = "errors.deadletterqueue.context.headers.enable",
               .type = ConfigType::Boolean,
               .default_value = false,
               .documentation = "Whether records in that topic say in their headers what went wrong.",
               .group = kErrors,
               .order_in_group = 8,
               .width = Width::Medium,
               .display_name = "Enable Error Context Headers"});
  return def;
}

}  // namespace fencepost::config
