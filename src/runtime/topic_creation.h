#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "regex/pattern.h"
#include "runtime/ports.h"

namespace fencepost::runtime {

/// The topic.creation.* settings of a source connector (KIP-158): how topics are made that its records go to.
class TopicRules {
 public:
  /// InvalidConfig names the setting that is missing or wrong.
  [[nodiscard]] static Result<TopicRules> from(const Properties& connector);
  /// Whether the connector asks for it at all (topic.creation.default.*).
  [[nodiscard]] bool wanted() const { return !groups_.empty(); }
  /// By the first group whose expressions fit; the default group fits everything.
  [[nodiscard]] TopicToCreate topic(const std::string& name) const;

 private:
  struct Group {
    regex::Pattern include;
    regex::Pattern exclude;
    TopicToCreate like;
  };
  std::vector<Group> groups_;
};

/// Sees to it that a topic exists before the first record goes there: librdkafka finds a missing one after half a minute only.
/// Threads: one at a time; calls block.
class TopicMaker {
 public:
  TopicMaker(TopicRules rules, bool enabled, Properties admin, ClientsPort& clients, Log log);
  [[nodiscard]] Result<void> ensure(std::string_view topic);

 private:
  TopicRules rules_;
  bool enabled_;
  Properties admin_;
  ClientsPort& clients_;
  Log log_;
  std::set<std::string, std::less<>> known_;
};

}  // namespace fencepost::runtime
