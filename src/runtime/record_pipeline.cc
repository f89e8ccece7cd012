#include "runtime/record_pipeline.h"

#include <fmt/format.h>

#include <map>

#include "runtime/settings.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

SourcePipeline::SourcePipeline(std::vector<TransformStage> transforms, Converters converters, ErrorPolicy policy, Log log)
    : transforms_(std::move(transforms)), converters_(std::move(converters)), policy_(policy), log_(std::move(log)) {}

StageOutcome SourcePipeline::run(ConnectRecord& record, ReadyRecord& ready, Steady::time_point now) {
  const bool keep_copies = policy_.retry_timeout != Duration(0);
  for (; stage_ < stages(); ++stage_) {
    if (keep_copies && stage_ < transforms_.size()) before_stage_ = record;
    std::exception_ptr error;
    bool may_pass = false;
    try {
      if (run_stage(record, ready) == Step::DroppedIt) {
        stage_ = 0;
        ready.dropped = true;
        return {.kind = StageOutcome::Kind::Dropped};
      }
    } catch (const RetriableError&) {
      error = std::current_exception();
      may_pass = true;
    } catch (...) {
      error = std::current_exception();
    }
    if (error) {
      StageOutcome outcome = judge(error, may_pass, record, now);
      ready.dropped = outcome.kind == StageOutcome::Kind::Dropped;
      return outcome;
    }
    retries_.reset();
  }
  stage_ = 0;
  return {};
}

SourcePipeline::Step SourcePipeline::run_stage(ConnectRecord& record, ReadyRecord& ready) {
  if (stage_ < transforms_.size()) {
    TransformStage& stage = transforms_[stage_];
    if (stage.predicate && stage.predicate->test(record) == stage.negate) return Step::Passed;
    return stage.transformation->apply(record) ? Step::Passed : Step::DroppedIt;
  }
  const std::string_view topic = record.topic.view();
  switch (stage_ - transforms_.size()) {
    case 0:
      ready.key = converters_.key->from_connect(topic, record.headers, record.key_schema, record.key);
      break;
    case 1:
      ready.value = converters_.value->from_connect(topic, record.headers, record.value_schema, record.value);
      break;
    default:
      ready.headers.clear();
      if (!record.headers.empty()) ready.headers.reserve(record.headers.size());
      for (const Header& header : record.headers) {
        ready.headers.emplace_back(
            header.key, converters_.header->from_connect_header(topic, header.key.view(), header.schema, header.value));
      }
      ready.topic = std::move(record.topic);
      ready.partition = record.kafka_partition.value_or(-1);
      ready.timestamp_ms = record.timestamp_ms.value_or(-1);
      break;
  }
  return Step::Passed;
}

StageOutcome SourcePipeline::judge(const std::exception_ptr& error, bool may_pass, ConnectRecord& record,
                                   Steady::time_point now) {
  if (may_pass) {
    if (const auto at = retries_.next(policy_, now)) {
      if (before_stage_ && stage_ < transforms_.size()) record = *before_stage_;
      return {.kind = StageOutcome::Kind::RetryAt, .retry_at = *at};
    }
  }
  const std::string where = stage_name();
  stage_ = 0;
  retries_.reset();
  if (policy_.log_errors) {
    log_.error(fmt::format("Error encountered in task at stage {} for a record of topic '{}'{}: {}", where, record.topic.view(),
                           policy_.log_records ? " with value " + record.value.to_display() : "", message_of(error)));
  }
  if (policy_.tolerate) return {.kind = StageOutcome::Kind::Dropped};
  return {.kind = StageOutcome::Kind::Failed, .trace = trace_of("Tolerance exceeded in error handler", trace_of(error))};
}

std::string SourcePipeline::stage_name() const {
  if (stage_ < transforms_.size()) return "TRANSFORMATION " + transforms_[stage_].alias;
  switch (stage_ - transforms_.size()) {
    case 0:
      return "KEY_CONVERTER";
    case 1:
      return "VALUE_CONVERTER";
    default:
      return "HEADER_CONVERTER";
  }
}

namespace {

template <class Plugin>
Result<std::unique_ptr<Plugin>> instantiate(const PluginsPort& plugins, PluginKind kind, const std::string& setting,
                                            const std::optional<std::string>& name) {
  if (!name) return failure(ErrorKind::InvalidConfig, fmt::format("{} is missing: it names a class", setting));
  const PluginDescriptor* plugin = plugins.find(kind, *name);
  if (plugin == nullptr) {
    return failure(ErrorKind::InvalidConfig, fmt::format("{}: no plugin is called {}", setting, *name));
  }
  return std::get<Factory<Plugin>>(plugin->factory)();
}

/// Runs a plugin's configure(): what it throws becomes an error that names the setting.
template <class Call>
Result<void> configured(const std::string& setting, Call call) {
  try {
    call();
    return {};
  } catch (...) {
    return failure(ErrorKind::InvalidConfig, fmt::format("{}: {}", setting, message_of(std::current_exception())));
  }
}

using Predicates = std::map<std::string, std::shared_ptr<const Predicate>>;

Result<Predicates> make_predicates(const PluginsPort& plugins, const Properties& connector) {
  Predicates out;
  for (const std::string& alias : list(connector, "predicates")) {
    const std::string prefix = "predicates." + alias + ".";
    FENCEPOST_TRY(auto predicate,
                  instantiate<Predicate>(plugins, PluginKind::Predicate, prefix + "type", connector.get(prefix + "type")));
    FENCEPOST_CHECK(configured(prefix + "type", [&] { predicate->configure(to_config_map(connector.with_prefix(prefix))); }));
    out.emplace(alias, std::move(predicate));
  }
  return out;
}

/// The config that names a converter, and the settings under its prefix there.
struct ConverterConfig {
  std::optional<std::string> name;
  ConfigMap settings;
};

ConverterConfig find_converter(const std::string& setting, const Properties& connector, const Properties& worker,
                               const char* fallback) {
  const Properties& from = connector.get(setting) ? connector : worker;
  ConverterConfig found{from.get(setting), to_config_map(from.with_prefix(setting + "."))};
  if (!found.name && fallback != nullptr) found.name = fallback;
  return found;
}

}  // namespace

Result<std::vector<TransformStage>> make_transforms(const PluginsPort& plugins, const Properties& connector) {
  FENCEPOST_TRY(const Predicates predicates, make_predicates(plugins, connector));
  std::vector<TransformStage> out;
  for (const std::string& alias : list(connector, "transforms")) {
    const std::string prefix = "transforms." + alias + ".";
    TransformStage stage{.alias = alias, .class_name = {}, .transformation = nullptr, .predicate = nullptr};
    if (const auto* plugin = plugins.find(PluginKind::Transformation, connector.get_or(prefix + "type", ""))) {
      stage.class_name = plugin->class_name;
    }
    FENCEPOST_TRY(stage.transformation, instantiate<Transformation>(plugins, PluginKind::Transformation, prefix + "type",
                                                                    connector.get(prefix + "type")));
    Properties settings = connector.with_prefix(prefix);
    for (const char* own : {"type", "predicate", "negate"}) settings.erase(own);
    FENCEPOST_CHECK(configured(prefix + "type", [&] { stage.transformation->configure(to_config_map(settings)); }));
    if (const auto name = connector.get(prefix + "predicate")) {
      const auto at = predicates.find(*name);
      if (at == predicates.end()) {
        return failure(ErrorKind::InvalidConfig, fmt::format("{}predicate: predicates names no '{}'", prefix, *name));
      }
      stage.predicate = at->second;
      stage.negate = flag(connector, prefix + "negate", false);
    }
    out.push_back(std::move(stage));
  }
  return out;
}

Result<Converters> make_converters(const PluginsPort& plugins, const Properties& connector, const Properties& worker) {
  Converters out;
  for (const bool is_key : {true, false}) {
    const std::string setting = is_key ? "key.converter" : "value.converter";
    const ConverterConfig found = find_converter(setting, connector, worker, nullptr);
    FENCEPOST_TRY(auto converter, instantiate<Converter>(plugins, PluginKind::Converter, setting, found.name));
    FENCEPOST_CHECK(configured(setting, [&] { converter->configure(found.settings, is_key); }));
    (is_key ? out.key : out.value) = std::move(converter);
    (is_key ? out.key_class : out.value_class) = plugins.find(PluginKind::Converter, *found.name)->class_name;
  }
  const ConverterConfig found =
      find_converter("header.converter", connector, worker, "org.apache.kafka.connect.storage.SimpleHeaderConverter");
  FENCEPOST_TRY(out.header, instantiate<HeaderConverter>(plugins, PluginKind::HeaderConverter, "header.converter", found.name));
  out.header_class = plugins.find(PluginKind::HeaderConverter, *found.name)->class_name;
  FENCEPOST_CHECK(configured("header.converter", [&] { out.header->configure(found.settings); }));
  return out;
}

}  // namespace fencepost::runtime
