#include "mirror/topic_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "mirror/plugin_log_bridge.h"

namespace fencepost::mirror {

using namespace std::chrono_literals;

namespace {

// A question that gets no answer is asked again, with more patience, so that an order to stop is seen in between.
constexpr auto kFirstQuestion = 2'000ms;
constexpr auto kLongQuestion = 15'000ms;

regex::Pattern pattern_of(const ConfigMap& config, std::string_view name) {
  return or_raise(regex::Pattern::any_of(list_of(config, name)));
}

}  // namespace

TopicPlan::TopicPlan(ConfigMap config, const PluginLog& log, std::function<bool()> stopping)
    : config_(std::move(config)),
      log_(log),
      stopping_(std::move(stopping)),
      topics_(config_),
      timeout_(std::max<std::int64_t>(number_of(config_, "admin.timeout.ms"), 1)),
      excluded_settings_(pattern_of(config_, "config.properties.exclude")),
      copies_defaults_(config_.contains("use.defaults.from") && config_.find("use.defaults.from")->second == "source") {}

void TopicPlan::disconnect() {
  source_.reset();
  target_.reset();
}

void TopicPlan::warn_once(const std::string& line) {
  if (told_.insert(line).second) log_.warn(line);
}

Result<kafka::Admin*> TopicPlan::admin(Side side) {
  auto& client = side == Side::Source ? source_ : target_;
  if (!client) {
    const char* role = side == Side::Source ? "replication-source-admin" : "replication-target-admin";
    FENCEPOST_TRY(const auto settings,
                  kafka::translate(kafka::ClientKind::Admin, client_properties(config_, side, kafka::ClientKind::Admin, role)));
    FENCEPOST_TRY(client, kafka::Admin::create(settings, bridge(log_)));
  }
  return client.get();
}

Result<std::vector<kafka::TopicInfo>> TopicPlan::list(Side side) {
  FENCEPOST_TRY(auto* const client, admin(side));
  const auto deadline = std::chrono::steady_clock::now() + timeout_;
  std::chrono::milliseconds patience = kFirstQuestion;
  while (true) {
    auto topics = client->list_topics(std::min(patience, timeout_));
    if (topics) return topics;
    patience = std::min(patience * 2, std::chrono::milliseconds(kLongQuestion));
    if (!topics.error().retriable() || stopping_() || std::chrono::steady_clock::now() + patience > deadline) {
      return Failure(std::move(topics).error().while_doing(side == Side::Source ? "the source cluster" : "the target cluster"));
    }
  }
}

Result<TopicPlan::Partitions> TopicPlan::source_partitions() {
  FENCEPOST_TRY(const auto topics, list(Side::Source));
  Partitions out;
  for (const kafka::TopicInfo& topic : topics) {
    const auto verdict = topics_.judge(topic.name);
    if (verdict == TopicChoice::Verdict::Mirrored) {
      out.emplace(topic.name, topic.partitions);
    } else if (verdict == TopicChoice::Verdict::Cycle) {
      warn_once(
          fmt::format("topic '{}' is not mirrored: by its name it came from '{}', the target cluster, and would go round in a "
                      "circle; rename it, or choose another target.cluster.alias or replication.policy.separator",
                      topic.name, topics_.target_alias()));
    }
  }
  return out;
}

Result<void> TopicPlan::make(const std::string& topic, std::int32_t partitions) {
  const auto patience = std::min<std::chrono::milliseconds>(kLongQuestion, timeout_);
  FENCEPOST_TRY(auto* const source, admin(Side::Source));
  FENCEPOST_TRY(auto settings, source->describe_topic_configs({topic}, patience));
  FENCEPOST_TRY(auto* const target, admin(Side::Target));
  const kafka::TopicSpec spec{.name = topics_.remote(topic),
                              .partitions = partitions,
                              .replication_factor = static_cast<std::int16_t>(number_of(config_, "replication.factor")),
                              .configs = copied(settings[topic])};
  FENCEPOST_TRY(const bool made, target->create_topic(spec, patience));
  if (made) {
    log_.info(fmt::format("topic '{}' was made with {} partitions", spec.name, spec.partitions));
    return {};
  }
  // Somebody made it since the topics were listed, perhaps with fewer partitions.
  FENCEPOST_TRY(const auto there, target->describe_topic(spec.name, patience));
  return there && there->partitions < partitions ? enlarge(topic, partitions) : Result<void>();
}

Result<void> TopicPlan::enlarge(const std::string& topic, std::int32_t partitions) {
  const std::string remote = topics_.remote(topic);
  FENCEPOST_TRY(auto* const target, admin(Side::Target));
  FENCEPOST_CHECK(target->create_partitions(remote, partitions, std::min<std::chrono::milliseconds>(kLongQuestion, timeout_)));
  log_.info(fmt::format("topic '{}' has {} partitions now, as '{}' in the source", remote, partitions, topic));
  return {};
}

Result<TopicPlan::Partitions> TopicPlan::prepare_target(const Partitions& source) {
  FENCEPOST_TRY(const auto there, list(Side::Target));
  Partitions present;
  for (const kafka::TopicInfo& topic : there) present.emplace(topic.name, topic.partitions);

  Partitions ready;
  for (const auto& [topic, partitions] : source) {
    if (stopping_()) return failure(ErrorKind::Unavailable, "the connector stops");
    const auto found = present.find(topics_.remote(topic));
    const std::int32_t before = found == present.end() ? 0 : found->second;
    Result<void> done;
    if (found == present.end()) {
      done = make(topic, partitions);
    } else if (before < partitions) {
      done = enlarge(topic, partitions);
    }
    // A record must not go to a partition that is not there.
    const std::int32_t usable = done ? partitions : before;
    if (!done) {
      warn_once(fmt::format("{} partitions of topic '{}' are not mirrored until topic '{}' has them: {}", partitions - usable,
                            topic, topics_.remote(topic), done.error().message()));
    }
    if (usable > 0) ready.emplace(topic, usable);
  }
  return ready;
}

bool TopicPlan::may_be_copied(const std::string& name, const kafka::TopicConfigEntry& entry) const {
  return !entry.is_sensitive && !entry.is_read_only && !entry.is_of_broker_file && !excluded_settings_.matches(name);
}

std::map<std::string, std::string> TopicPlan::copied(const kafka::TopicConfigs& settings) const {
  std::map<std::string, std::string> out;
  for (const auto& [name, entry] : settings) {
    if (may_be_copied(name, entry) && (!entry.is_default || copies_defaults_)) out.emplace(name, entry.value);
  }
  return out;
}

Result<void> TopicPlan::copy_settings(const Partitions& source) {
  if (source.empty()) return {};
  const auto patience = std::min<std::chrono::milliseconds>(kLongQuestion, timeout_);
  std::vector<std::string> names;
  std::vector<std::string> remotes;
  for (const auto& [topic, partitions] : source) {
    names.push_back(topic);
    remotes.push_back(topics_.remote(topic));
  }
  FENCEPOST_TRY(auto* const origin, admin(Side::Source));
  FENCEPOST_TRY(auto wanted, origin->describe_topic_configs(names, patience));
  FENCEPOST_TRY(auto* const target, admin(Side::Target));
  FENCEPOST_TRY(auto present, target->describe_topic_configs(remotes, patience));
  for (std::size_t i = 0; i < names.size() && !stopping_(); ++i) {
    const auto values = copied(wanted[names[i]]);
    const kafka::TopicConfigs& there = present[remotes[i]];
    std::map<std::string, std::optional<std::string>> changes;
    for (const auto& [name, value] : values) {
      const auto now = there.find(name);
      if (now == there.end() || now->second.value != value) changes.emplace(name, value);
    }
    // What the source has set back to its default is set back here too.
    for (const auto& [name, entry] : there) {
      if (!entry.is_default && may_be_copied(name, entry) && !values.contains(name)) changes.emplace(name, std::nullopt);
    }
    if (changes.empty()) continue;
    if (auto done = target->alter_topic_configs(remotes[i], changes, patience); !done)
      warn_once(fmt::format("the settings of topic '{}' are not copied: {}", names[i], done.error().message()));
  }
  return {};
}

Result<void> TopicPlan::make_offset_syncs_topic() {
  const OffsetSyncsPlace place = OffsetSyncsPlace::of(config_, topics_);
  if (!place.enabled) return {};
  FENCEPOST_TRY(auto* const client, admin(place.side));
  FENCEPOST_TRY([[maybe_unused]] const bool made,
                client->create_topic({.name = place.topic,
                                      .partitions = 1,
                                      .replication_factor = place.replication_factor,
                                      .configs = {{"cleanup.policy", "compact"}}},
                                     std::min<std::chrono::milliseconds>(kLongQuestion, timeout_)));
  return {};
}

}  // namespace fencepost::mirror
