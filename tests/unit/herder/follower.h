#pragma once

#include <string>
#include <utility>
#include <vector>

#include "one_worker.h"
#include "protocol/group.h"

namespace fencepost::herder::testing {

/// A worker whose group is led by "member-b" at http://b:8083/: the test is the coordinator and the leader. Its config log holds
/// what the test puts there.
class Follower : public OneWorker {
 public:
  explicit Follower(std::string protocol = "sessioned", Options options = default_options())
      : OneWorker(with_protocol(std::move(options), protocol)), protocol_name_(protocol == "eager" ? "default" : protocol) {
    withhold_ = [](const Action& action) { return std::holds_alternative<JoinGroup>(action); };
  }

  /// Others have written these records; this worker has read them.
  void read(std::vector<std::pair<std::string, std::string>> records) {
    ConfigRecordsRead event;
    for (auto& [key, value] : records) {
      event.records.push_back(
          TopicRecord{.partition = 0, .offset = LogPosition{offset_++}, .timestamp_ms = 0, .key = key, .value = value});
    }
    tell(event);
  }
  /// A source connector with its tasks, as it stands in the log.
  static std::vector<std::pair<std::string, std::string>> connector(const std::string& name, int tasks) {
    std::vector<std::pair<std::string, std::string>> out{
        {"connector-" + name, R"({"properties":{"connector.class":"Source","name":")" + name + R"("}})"}};
    for (int i = 0; i < tasks; ++i) {
      out.emplace_back("task-" + name + "-" + std::to_string(i), R"({"properties":{"part":")" + std::to_string(i) + R"("}})");
    }
    out.emplace_back("commit-" + name, R"({"tasks":)" + std::to_string(tasks) + "}");
    return out;
  }

  /// The round ends: the leader has dealt this.
  void deal(std::vector<std::string> connectors, std::vector<TaskId> tasks, std::vector<TaskId> revoked = {},
            LogPosition config_offset = kNoPosition) {
    protocol::Assignment assignment;
    assignment.leader = "member-b";
    assignment.leader_url = "http://b:8083/";
    assignment.config_offset = config_offset == kNoPosition ? LogPosition{offset_} : config_offset;
    assignment.connectors = std::move(connectors);
    assignment.tasks = std::move(tasks);
    assignment.revoked_tasks = std::move(revoked);
    deal(assignment);
  }
  void deal(const protocol::Assignment& assignment) {
    generation_ = Generation{generation_.value + 1};
    const auto protocol = protocol::protocol_of_join_name(protocol_name_);
    tell(AssignmentReceived{.generation = generation_,
                            .member_id = "member-a",
                            .protocol = protocol_name_,
                            .assignment = *protocol::encode_assignment(*protocol, assignment)});
  }
  void rebalance() { tell(RejoinNeeded{"another worker has come"}); }

  /// The place of the first such action among all that were ordered; -1: none.
  template <class Kind>
  int place_of() const {
    const auto& actions = all_actions();
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (std::holds_alternative<Kind>(actions[i])) return static_cast<int>(i);
    }
    return -1;
  }

 private:
  static Options with_protocol(Options options, const std::string& protocol) {
    options.connect_protocol = protocol;
    return options;
  }
  std::string protocol_name_;
  std::int64_t offset_ = 0;
};

}  // namespace fencepost::herder::testing
