#include "mirror/mirror_source_connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mirror/mirror_source_task.h"

namespace fencepost::mirror {

using namespace std::chrono_literals;

namespace {

constexpr const char* kVersion = "4.3.1";  // of the Java connector whose behaviour this is
/// After a look that failed.
constexpr auto kLookAgain = 5s;

void refuse(std::vector<ConfigValue>& values, std::string_view name, const std::string& value, std::string error) {
  auto found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.name == name; });
  if (found == values.end()) found = values.insert(values.end(), ConfigValue{.name = std::string(name), .value = value});
  found->errors.push_back(std::move(error));
}

void check_string(const FieldMap& partition, const char* field) {
  const Value* value = partition.find(field);
  if (value == nullptr || !value->is(Value::Kind::String)) {
    throw ConnectError(fmt::format("The source partition needs a string in its field '{}'", field));
  }
}

void check_number(const FieldMap& map, const char* what, const char* field) {
  const Value* value = map.find(field);
  if (value == nullptr || !value->is_integer())
    throw ConnectError(fmt::format("{} needs a whole number in its field '{}'", what, field));
  if (value->as_integer() < 0) throw ConnectError(fmt::format("{} has a negative number in its field '{}'", what, field));
}

}  // namespace

MirrorSourceConnector::~MirrorSourceConnector() { stop(); }

std::string MirrorSourceConnector::version() const { return kVersion; }

std::vector<ConfigValue> MirrorSourceConnector::validate(const ConfigMap& config) const {
  auto values = config_def().validate(config);
  for (const char* name : {"topics", "topics.exclude", "config.properties.exclude"}) {
    const auto found = config.find(name);
    if (found == config.end()) continue;
    if (const auto pattern = regex::Pattern::any_of(list_of(config, name)); !pattern) {
      refuse(values, name, found->second, pattern.error().message());
    }
  }
  const auto emits = config.find("emit.offset-syncs.enabled");
  const bool set_up =
      std::any_of(config.begin(), config.end(), [](const auto& entry) { return entry.first.starts_with("offset-syncs."); });
  if (emits != config.end() && emits->second == "false" && set_up) {
    refuse(values, "emit.offset-syncs.enabled", emits->second,
           "MirrorSourceConnector can't setup offset-syncs feature while emit.offset-syncs.enabled set to false.");
  }
  return values;
}

void MirrorSourceConnector::start(const ConfigMap& config, ConnectorContext& context) {
  config_ = config;
  context_ = &context;
  if (!flag_of(config_, "enabled")) return;
  plan_ = std::make_unique<TopicPlan>(config_, context.log());
  if (flag_of(config_, "sync.topic.acls.enabled")) {
    context.log().warn("access rules of topics are not copied; set sync.topic.acls.enabled=false to silence this line");
  }
  if (const auto looked = look(); !looked) {
    context.log().warn("the clusters could not be looked at and will be again: " + looked.error().message());
    refresh_id_ = refresher_->add(kLookAgain, [this] { return refresh(); });
    return;
  }
  if (!flag_of(config_, "refresh.topics.enabled") && !flag_of(config_, "sync.topic.configs.enabled")) return;
  refresh_id_ = refresher_->add(std::chrono::seconds(std::min(number_of(config_, "refresh.topics.interval.seconds"),
                                                              number_of(config_, "sync.topic.configs.interval.seconds"))),
                                [this] { return refresh(); });
}

/// New topics are made in the target before a task is told of them, so that no record arrives before its topic.
Result<void> MirrorSourceConnector::look() {
  FENCEPOST_CHECK(plan_->make_offset_syncs_topic());
  FENCEPOST_TRY(auto source, plan_->source_partitions());
  FENCEPOST_CHECK(plan_->prepare_target(source));
  if (flag_of(config_, "sync.topic.configs.enabled") && Refresher::Clock::now() >= settings_due_) {
    FENCEPOST_CHECK(plan_->copy_settings(source));
    settings_due_ = Refresher::Clock::now() + std::chrono::seconds(number_of(config_, "sync.topic.configs.interval.seconds"));
  }
  const std::lock_guard lock(mutex_);
  known_ = std::move(source);
  return {};
}

Refresher::Clock::duration MirrorSourceConnector::refresh() {
  TopicPlan::Partitions before;
  {
    const std::lock_guard lock(mutex_);
    before = known_;
  }
  if (const auto looked = look(); !looked) {
    context_->log().warn("the clusters could not be looked at and will be again: " + looked.error().message());
    return kLookAgain;
  }
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = before != known_;
  }
  if (changed) context_->request_task_reconfiguration();
  auto pause = std::chrono::seconds(number_of(config_, "refresh.topics.interval.seconds"));
  if (flag_of(config_, "sync.topic.configs.enabled")) {
    pause = std::min(pause, std::chrono::seconds(number_of(config_, "sync.topic.configs.interval.seconds")));
  }
  return std::max<Refresher::Clock::duration>(pause, 100ms);
}

std::vector<std::string> deal_partitions(const TopicPlan::Partitions& partitions, std::int32_t tasks_max) {
  std::vector<std::string> all;
  for (const auto& [topic, count] : partitions) {
    for (std::int32_t p = 0; p < count; ++p) all.push_back(topic + "-" + std::to_string(p));
  }
  std::vector<std::string> tasks(std::min<std::size_t>(all.size(), static_cast<std::size_t>(std::max(tasks_max, 0))));
  for (std::size_t i = 0; i < all.size() && !tasks.empty(); ++i) {
    std::string& task = tasks[i % tasks.size()];
    if (!task.empty()) task += ',';
    task += all[i];
  }
  return tasks;
}

std::vector<ConfigMap> MirrorSourceConnector::task_configs(std::int32_t tasks_max) {
  std::vector<std::string> dealt;
  {
    const std::lock_guard lock(mutex_);
    dealt = deal_partitions(known_, tasks_max);
  }
  std::vector<ConfigMap> out;
  for (std::string& partitions : dealt) {
    ConfigMap task = config_;
    task["task.assigned.partitions"] = std::move(partitions);
    task["task.index"] = std::to_string(out.size());
    out.push_back(std::move(task));
  }
  return out;
}

void MirrorSourceConnector::stop() noexcept {
  if (refresh_id_) refresher_->remove(*refresh_id_);
  refresh_id_.reset();
}

std::optional<ExactlyOnceSupport> MirrorSourceConnector::exactly_once_support(const ConfigMap& config) const {
  const Properties consumer = client_properties(config, Side::Source, kafka::ClientKind::Consumer);
  return consumer.get_or("isolation.level", "read_uncommitted") == "read_committed" ? ExactlyOnceSupport::Supported
                                                                                    : ExactlyOnceSupport::Unsupported;
}

bool MirrorSourceConnector::alter_offsets(const ConfigMap&, const SourceOffsetChanges& changes) {
  for (const auto& [partition, offset] : changes) {
    check_string(partition, "cluster");
    check_string(partition, "topic");
    check_number(partition, "The source partition", "partition");
    if (offset) check_number(*offset, "The source offset", "offset");
  }
  return true;
}

PluginDescriptor mirror_source_plugin() {
  auto refresher = std::make_shared<Refresher>();
  return {.class_name = "org.apache.kafka.connect.mirror.MirrorSourceConnector",
          .version = kVersion,
          .factory = SourcePlugin{.connector = [refresher] { return std::make_unique<MirrorSourceConnector>(refresher); },
                                  .task = [] { return std::make_unique<MirrorSourceTask>(); },
                                  .task_class = "org.apache.kafka.connect.mirror.MirrorSourceTask"}};
}

}  // namespace fencepost::mirror
