#include "runtime/topic_creation.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "runtime/settings.h"

namespace fencepost::runtime {
namespace {

/// A count as Connect takes it: positive, or -1 for the broker's default; `fallback` where the setting is absent.
Result<std::int32_t> count(const Properties& settings, const std::string& prefix, const char* name, std::int32_t fallback) {
  FENCEPOST_TRY(const auto number, whole_number(settings, name, fallback));
  if (number != -1 && (number < 1 || number > std::numeric_limits<std::int32_t>::max())) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("{}{} is {}; use a positive number, or -1 for the broker's default", prefix, name, number));
  }
  return static_cast<std::int32_t>(number);
}

Result<TopicToCreate> read_group(const Properties& settings, const std::string& prefix, const TopicToCreate* defaults) {
  TopicToCreate topic;
  for (const char* name : {"partitions", "replication.factor"}) {
    if (defaults == nullptr && !settings.get(name)) {
      return failure(ErrorKind::InvalidConfig, fmt::format("{}{} is missing: topic.creation.default needs both its "
                                                           "replication.factor and its partitions",
                                                           prefix, name));
    }
  }
  FENCEPOST_TRY(topic.partitions, count(settings, prefix, "partitions", defaults == nullptr ? -1 : defaults->partitions));
  FENCEPOST_TRY(topic.replication_factor,
                count(settings, prefix, "replication.factor", defaults == nullptr ? -1 : defaults->replication_factor));
  topic.configs = settings;
  for (const char* own : {"partitions", "replication.factor", "include", "exclude"}) topic.configs.erase(own);
  return topic;
}

Result<regex::Pattern> patterns(const Properties& settings, const std::string& prefix, const char* name) {
  auto pattern = regex::Pattern::any_of(list(settings, name));
  if (!pattern) return Failure(std::move(pattern).error().while_doing(prefix + name));
  return pattern;
}

}  // namespace

Result<TopicRules> TopicRules::from(const Properties& connector) {
  TopicRules rules;
  const std::string prefix = "topic.creation.";
  if (connector.with_prefix(prefix).empty()) return rules;
  FENCEPOST_TRY(const TopicToCreate defaults,
                read_group(connector.with_prefix(prefix + "default."), prefix + "default.", nullptr));
  for (const std::string& name : list(connector, prefix + "groups")) {
    const std::string group_prefix = prefix + name + ".";
    const Properties settings = connector.with_prefix(group_prefix);
    FENCEPOST_TRY(TopicToCreate like, read_group(settings, group_prefix, &defaults));
    FENCEPOST_TRY(auto include, patterns(settings, group_prefix, "include"));
    FENCEPOST_TRY(auto exclude, patterns(settings, group_prefix, "exclude"));
    rules.groups_.push_back({std::move(include), std::move(exclude), std::move(like)});
  }
  FENCEPOST_TRY(auto everything, regex::Pattern::compile("(?s).*"));
  FENCEPOST_TRY(auto nothing, regex::Pattern::any_of({}));
  rules.groups_.push_back({std::move(everything), std::move(nothing), defaults});
  return rules;
}

TopicToCreate TopicRules::topic(const std::string& name) const {
  for (const Group& group : groups_) {
    if (!group.include.matches(name) || group.exclude.matches(name)) continue;
    TopicToCreate topic = group.like;
    topic.name = name;
    return topic;
  }
  return {.name = name, .configs = {}};
}

TopicMaker::TopicMaker(TopicRules rules, bool enabled, Properties admin, ClientsPort& clients, Log log)
    : rules_(std::move(rules)), enabled_(enabled), admin_(std::move(admin)), clients_(clients), log_(std::move(log)) {}

Result<void> TopicMaker::ensure(std::string_view topic) {
  if (known_.contains(topic)) return {};
  std::string name(topic);
  FENCEPOST_TRY(const auto partitions, clients_.topic_partitions(admin_, name));
  if (!partitions) {
    if (enabled_ && rules_.wanted()) {
      const TopicToCreate wanted = rules_.topic(name);
      auto made = clients_.create_topic(admin_, wanted);
      if (!made) return Failure(std::move(made).error().while_doing("creating topic '" + name + "'"));
      log_.info("created topic '" + name + "'");
    } else {
      log_.warn("topic '" + name +
                "' does not exist; it will be there only if the broker makes topics by itself "
                "(auto.create.topics.enable), else create it or set topic.creation.default.partitions and .replication.factor");
    }
  }
  known_.insert(std::move(name));
  return {};
}

}  // namespace fencepost::runtime
