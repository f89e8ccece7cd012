#include "mirror/topic_plan.h"

#include <fmt/format.h>

#include <utility>

namespace fencepost::mirror {

TopicPlan::TopicPlan(ConfigMap config, const PluginLog& log)
    : config_(std::move(config)),
      log_(log),
      topics_(config_),
      timeout_(number_of(config_, "admin.timeout.ms")),
      excluded_settings_(or_raise(regex::Pattern::any_of(list_of(config_, "config.properties.exclude")))) {}

Result<std::unique_ptr<kafka::Admin>> TopicPlan::admin(Side side) const {
  FENCEPOST_TRY(const auto settings,
                kafka::translate(kafka::ClientKind::Admin, client_properties(config_, side, kafka::ClientKind::Admin)));
  return kafka::Admin::create(settings, Log());
}

Result<TopicPlan::Partitions> TopicPlan::source_partitions() {
  FENCEPOST_TRY(const auto source, admin(Side::Source));
  FENCEPOST_TRY(const auto topics, source->list_topics(timeout_));
  Partitions out;
  for (const kafka::TopicInfo& topic : topics) {
    const auto verdict = topics_.judge(topic.name);
    if (verdict == TopicChoice::Verdict::Mirrored) {
      out.emplace(topic.name, topic.partitions);
    } else if (verdict == TopicChoice::Verdict::Cycle && told_.insert(topic.name).second) {
      log_.warn(
          fmt::format("topic '{}' is not mirrored: by its name it came from '{}', the target cluster, and would go round in a "
                      "circle; rename it, or choose another target.cluster.alias or replication.policy.separator",
                      topic.name, topics_.target_alias()));
    }
  }
  return out;
}

Result<void> TopicPlan::prepare_target(const Partitions& source) {
  FENCEPOST_TRY(const auto target, admin(Side::Target));
  FENCEPOST_TRY(const auto there, target->list_topics(timeout_));
  Partitions present;
  for (const kafka::TopicInfo& topic : there) present.emplace(topic.name, topic.partitions);

  std::vector<std::string> missing;
  for (const auto& [topic, partitions] : source) {
    const std::string remote = topics_.remote(topic);
    const auto found = present.find(remote);
    if (found == present.end()) {
      missing.push_back(topic);
    } else if (found->second < partitions) {
      FENCEPOST_CHECK(target->create_partitions(remote, partitions, timeout_));
      log_.info(fmt::format("topic '{}' has {} partitions now, as '{}' in the source", remote, partitions, topic));
    }
  }
  if (missing.empty()) return {};
  FENCEPOST_TRY(const auto settings, source_settings(missing));
  for (const std::string& topic : missing) {
    kafka::TopicSpec spec{.name = topics_.remote(topic),
                          .partitions = source.at(topic),
                          .replication_factor = static_cast<std::int16_t>(number_of(config_, "replication.factor")),
                          .configs = {}};
    if (const auto found = settings.find(topic); found != settings.end()) spec.configs = copied(found->second);
    FENCEPOST_TRY([[maybe_unused]] const bool made, target->create_topic(spec, timeout_));
    log_.info(fmt::format("topic '{}' was made with {} partitions", spec.name, spec.partitions));
  }
  return {};
}

Result<std::map<std::string, kafka::TopicConfigs>> TopicPlan::source_settings(const std::vector<std::string>& topics) const {
  FENCEPOST_TRY(const auto source, admin(Side::Source));
  return source->describe_topic_configs(topics, timeout_);
}

std::map<std::string, std::string> TopicPlan::copied(const kafka::TopicConfigs& settings) const {
  std::map<std::string, std::string> out;
  for (const auto& [name, entry] : settings) {
    if (entry.is_default || entry.is_sensitive || entry.is_read_only || excluded_settings_.matches(name)) continue;
    out.emplace(name, entry.value);
  }
  return out;
}

Result<void> TopicPlan::copy_settings(const Partitions& source) {
  if (source.empty()) return {};
  std::vector<std::string> names;
  std::vector<std::string> remotes;
  for (const auto& [topic, partitions] : source) {
    names.push_back(topic);
    remotes.push_back(topics_.remote(topic));
  }
  FENCEPOST_TRY(const auto wanted, source_settings(names));
  FENCEPOST_TRY(const auto target, admin(Side::Target));
  FENCEPOST_TRY(const auto present, target->describe_topic_configs(remotes, timeout_));
  for (const auto& [topic, settings] : wanted) {
    const std::string remote = topics_.remote(topic);
    const auto there = present.find(remote);
    if (there == present.end()) continue;
    const auto values = copied(settings);
    std::map<std::string, std::optional<std::string>> changes;
    for (const auto& [name, value] : values) {
      const auto now = there->second.find(name);
      if (now == there->second.end() || now->second.value != value) changes.emplace(name, value);
    }
    // What the source has set back to its default is set back here too.
    for (const auto& [name, value] : copied(there->second)) {
      if (!values.contains(name)) changes.emplace(name, std::nullopt);
    }
    if (!changes.empty()) FENCEPOST_CHECK(target->alter_topic_configs(remote, changes, timeout_));
  }
  return {};
}

Result<void> TopicPlan::make_offset_syncs_topic() {
  const OffsetSyncsPlace place = OffsetSyncsPlace::of(config_, topics_);
  if (!place.enabled) return {};
  FENCEPOST_TRY(const auto client, admin(place.side));
  FENCEPOST_TRY([[maybe_unused]] const bool made, client->create_topic({.name = place.topic,
                                                                        .partitions = 1,
                                                                        .replication_factor = place.replication_factor,
                                                                        .configs = {{"cleanup.policy", "compact"}}},
                                                                       timeout_));
  return {};
}

}  // namespace fencepost::mirror
