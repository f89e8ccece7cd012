#pragma once

#include "plugin/registry.h"

namespace fencepost::plugin::testing {

class FakeSource : public SourceConnector {
 public:
  std::string version() const override { return "1.0"; }
  ConfigDef config_def() const override {
    ConfigDef def;
    def.define({.name = "file", .default_value = std::monostate{}, .importance = Importance::High, .documentation = "f"})
        .define(
            {.name = "topic", .validator = validators::non_empty_string(), .importance = Importance::High, .documentation = "t"})
        .define({.name = "batch.size",
                 .type = ConfigType::Int,
                 .default_value = 2000,
                 .importance = Importance::Low,
                 .documentation = "b"});
    return def;
  }
  void start(const ConfigMap&, ConnectorContext&) override {}
  std::vector<ConfigMap> task_configs(std::int32_t) override { return {}; }
  void stop() noexcept override {}
  std::optional<ExactlyOnceSupport> exactly_once_support(const ConfigMap& config) const override {
    return config.contains("file") ? ExactlyOnceSupport::Supported : ExactlyOnceSupport::Unsupported;
  }
};

class FakeSink : public SinkConnector {
 public:
  std::string version() const override { return "1.0"; }
  ConfigDef config_def() const override {
    ConfigDef def;
    def.define({.name = "file", .default_value = std::monostate{}, .importance = Importance::High, .documentation = "f"});
    return def;
  }
  void start(const ConfigMap&, ConnectorContext&) override {}
  std::vector<ConfigMap> task_configs(std::int32_t) override { return {}; }
  void stop() noexcept override {}
};

class FakeConverter : public Converter, public HeaderConverter {
 public:
  void configure(const ConfigMap&, bool) override {}
  void configure(const ConfigMap&) override {}
  ConfigDef config_def() const override {
    ConfigDef def;
    def.define({.name = "converter.type", .validator = validators::one_of({"key", "value", "header"}), .documentation = "t"})
        .define({.name = "schemas.enable",
                 .type = ConfigType::Boolean,
                 .default_value = true,
                 .documentation = "s",
                 .group = "Schemas"});
    return def;
  }
  std::optional<Bytes> from_connect(std::string_view, Headers&, const SchemaPtr&, const Value&) override { return std::nullopt; }
  SchemaAndValue to_connect(std::string_view, const Headers&, const std::optional<Bytes>&) override { return {}; }
  std::optional<Bytes> from_connect_header(std::string_view, std::string_view, const SchemaPtr&, const Value&) override {
    return std::nullopt;
  }
  SchemaAndValue to_connect_header(std::string_view, std::string_view, const std::optional<Bytes>&) override { return {}; }
};

class FakeTransformation : public Transformation {
 public:
  void configure(const ConfigMap&) override {}
  ConfigDef config_def() const override {
    ConfigDef def;
    def.define(
           {.name = "regex", .validator = validators::non_empty_string(), .importance = Importance::High, .documentation = "r"})
        .define({.name = "replacement", .importance = Importance::High, .documentation = "r"});
    return def;
  }
  bool apply(ConnectRecord&) override { return true; }
};

class FakePredicate : public Predicate {
 public:
  void configure(const ConfigMap&) override {}
  ConfigDef config_def() const override { return {}; }
  bool test(const ConnectRecord&) const override { return true; }
};

/// Plugins that do nothing but have settings, under Kafka's names.
inline std::vector<PluginDescriptor> fake_descriptors() {
  const SourcePlugin source{[] { return std::make_unique<FakeSource>(); }, nullptr, ""};
  const SinkPlugin sink{[] { return std::make_unique<FakeSink>(); }, nullptr, ""};
  const Factory<Converter> converter = [] { return std::make_unique<FakeConverter>(); };
  const Factory<HeaderConverter> header_converter = [] { return std::make_unique<FakeConverter>(); };
  const Factory<Transformation> transformation = [] { return std::make_unique<FakeTransformation>(); };
  const Factory<Predicate> predicate = [] { return std::make_unique<FakePredicate>(); };
  return {{"org.apache.kafka.connect.file.FileStreamSourceConnector", "1.0", source},
          {"org.apache.kafka.connect.file.FileStreamSinkConnector", "1.0", sink},
          {"org.apache.kafka.connect.json.JsonConverter", "1.0", converter},
          {"org.apache.kafka.connect.json.JsonConverter", "1.0", header_converter},
          {"org.apache.kafka.connect.storage.SimpleHeaderConverter", "1.0", header_converter},
          {"org.apache.kafka.connect.transforms.RegexRouter", "1.0", transformation},
          {"org.apache.kafka.connect.transforms.InsertField$Key", "1.0", transformation},
          {"org.apache.kafka.connect.transforms.InsertField$Value", "1.0", transformation},
          {"org.apache.kafka.connect.transforms.Cast$Value", "1.0", transformation},
          {"org.apache.kafka.connect.transforms.predicates.RecordIsTombstone", "1.0", predicate}};
}

inline Registry fake_plugins() { return Registry::make(fake_descriptors()).value(); }

}  // namespace fencepost::plugin::testing
