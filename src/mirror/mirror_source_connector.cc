#include "mirror/mirror_source_connector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fencepost::mirror {

using namespace std::chrono_literals;

namespace {

/// How long task_configs() waits for the first look: its caller comes again.
constexpr auto kFirstLook = 10s;
constexpr std::string_view kNotExactlyOnce =
    "MirrorSourceConnector can only provide exactly-once guarantees when its source consumer is configured with isolation.level "
    "set to 'read_committed'; otherwise, it would be possible for aborted and uncommitted transactions to be replicated across "
    "clusters";

bool reads_committed(const ConfigMap& config) {
  return client_properties(config, Side::Source, kafka::ClientKind::Consumer).get("isolation.level") == "read_committed";
}

/// Errors of the settings of both clusters' clients show before the first look.
void require_brokers(const ConfigMap& config) {
  for (const Side side : {Side::Source, Side::Target}) {
    const Properties properties = client_properties(config, side, kafka::ClientKind::Admin);
    const std::string name = side == Side::Source ? "source.cluster.bootstrap.servers" : "target.cluster.bootstrap.servers";
    if (properties.get_or("bootstrap.servers", "").empty())
      throw ConfigError(name + " is missing: name the brokers of the cluster as host:port,...");
    (void)or_raise(kafka::translate(kafka::ClientKind::Admin, properties));
  }
  (void)or_raise(
      kafka::translate(kafka::ClientKind::Consumer, client_properties(config, Side::Source, kafka::ClientKind::Consumer)));
}

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

std::string MirrorSourceConnector::version() const { return kMirrorVersion; }

std::vector<ConfigValue> MirrorSourceConnector::validate(const ConfigMap& config) const {
  auto values = config_def().validate(config);
  for (const char* name : {"topics", "topics.exclude", "config.properties.exclude"}) {
    const auto found = config.find(name);
    if (found == config.end()) continue;
    if (const auto pattern = regex::Pattern::any_of(list_of(config, name)); !pattern) {
      refuse(values, name, found->second, pattern.error().message());
    }
  }
  const auto support = config.find("exactly.once.support");
  if (support != config.end() && support->second == "required" && !reads_committed(config))
    refuse(values, "exactly.once.support", support->second, std::string(kNotExactlyOnce));
  const auto emits = config.find("emit.offset-syncs.enabled");
  const bool set_up = std::any_of(config.begin(), config.end(), [](const auto& entry) {
    return entry.first.starts_with("offset-syncs.topic.") || entry.first.starts_with("offset-syncs-");
  });
  if (emits != config.end() && emits->second == "false" && set_up) {
    refuse(values, "emit.offset-syncs.enabled", emits->second,
           "MirrorSourceConnector can't setup offset-syncs feature while emit.offset-syncs.enabled set to false.");
  }
  return values;
}

void MirrorSourceConnector::start(const ConfigMap& config, ConnectorContext& context) {
  config_ = config;
  if (!flag_of(config_, "enabled")) return;
  require_brokers(config_);
  watch_ = std::make_shared<TopicWatch>(config_, context);
  if (flag_of(config_, "sync.topic.acls.enabled")) {
    context.log().warn("access rules of topics are not copied; set sync.topic.acls.enabled=false to silence this line");
  }
  refresh_id_ = refresher_->add(0s, [watch = watch_] { return watch->look(); });
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
  if (!watch_) return {};
  // Without an answer there must not be an empty list: it would end tasks that run.
  const auto partitions = watch_->partitions(kFirstLook);
  if (!partitions) {
    const std::string trouble = watch_->trouble();
    throw RetriableError("which partitions there are to mirror is not known yet: " +
                         (trouble.empty() ? "the clusters have not answered" : trouble));
  }
  std::vector<ConfigMap> out;
  for (std::string& dealt : deal_partitions(*partitions, tasks_max)) {
    ConfigMap task = config_;
    task["task.assigned.partitions"] = std::move(dealt);
    task["task.index"] = std::to_string(out.size());
    out.push_back(std::move(task));
  }
  return out;
}

void MirrorSourceConnector::stop() noexcept {
  if (refresh_id_) refresher_->remove(*refresh_id_);
  refresh_id_.reset();
  if (watch_) watch_->close();
  watch_.reset();
}

std::optional<ExactlyOnceSupport> MirrorSourceConnector::exactly_once_support(const ConfigMap& config) const {
  return reads_committed(config) ? ExactlyOnceSupport::Supported : ExactlyOnceSupport::Unsupported;
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

}  // namespace fencepost::mirror
