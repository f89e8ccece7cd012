#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kafka/client_settings.h"
#include "kafka/message.h"

namespace fencepost::kafka {

/// A topic as it should be made. -1: the broker's default.
struct TopicSpec {
  std::string name;
  std::int32_t partitions = -1;
  std::int16_t replication_factor = -1;
  std::map<std::string, std::string> configs{};
};

struct TopicInfo {
  std::string name;
  std::int32_t partitions = 0;
  /// Replicas of partition 0.
  std::int32_t replication_factor = 0;
};

struct TopicConfigEntry {
  std::string value;
  bool is_default = false;
  bool is_sensitive = false;
  bool is_read_only = false;
  /// From the properties file of the broker, not of the topic.
  bool is_of_broker_file = false;
};
using TopicConfigs = std::map<std::string, TopicConfigEntry>;

struct GroupInfo {
  std::string id;
  std::string state;  ///< "Stable", "Empty", ...
  bool is_simple = false;
};

/// Questions and orders to the cluster. Each call waits for its answer, at most `timeout`; a broker that is away is Timeout
/// or Unavailable, so the call may be repeated. Threads: any, also several at once.
class Admin {
 public:
  using Timeout = std::chrono::milliseconds;

  [[nodiscard]] static Result<std::unique_ptr<Admin>> create(const Translated& settings, Log log);
  ~Admin();
  Admin(const Admin&) = delete;
  Admin& operator=(const Admin&) = delete;

  [[nodiscard]] Result<std::string> cluster_id(Timeout timeout);

  /// All topics that this user may see, internal ones included.
  [[nodiscard]] Result<std::vector<TopicInfo>> list_topics(Timeout timeout);
  /// Nothing where there is no such topic.
  [[nodiscard]] Result<std::optional<TopicInfo>> describe_topic(const std::string& topic, Timeout timeout);
  [[nodiscard]] Result<std::map<std::string, TopicConfigs>> describe_topic_configs(const std::vector<std::string>& topics,
                                                                                   Timeout timeout);
  /// Whether it was made now; false where it existed already.
  [[nodiscard]] Result<bool> create_topic(const TopicSpec& topic, Timeout timeout);
  [[nodiscard]] Result<void> delete_topic(const std::string& topic, Timeout timeout);
  [[nodiscard]] Result<void> create_partitions(const std::string& topic, std::int32_t new_total, Timeout timeout);
  /// Sets these and leaves the others as they are (IncrementalAlterConfigs); nothing: back to the default.
  [[nodiscard]] Result<void> alter_topic_configs(const std::string& topic,
                                                 const std::map<std::string, std::optional<std::string>>& changes,
                                                 Timeout timeout);

  /// Offsets of the partitions; end offsets are last stable offsets under `read_committed`.
  [[nodiscard]] Result<std::map<TopicPartition, std::int64_t>> end_offsets(const std::vector<TopicPartition>& partitions,
                                                                           bool read_committed, Timeout timeout);

  [[nodiscard]] Result<std::vector<GroupInfo>> list_groups(Timeout timeout);
  /// All committed offsets of a group; none of an unknown group.
  [[nodiscard]] Result<std::map<TopicPartition, std::int64_t>> list_group_offsets(const std::string& group, Timeout timeout);
  /// Conflict where the group has members.
  [[nodiscard]] Result<void> alter_group_offsets(const std::string& group, const std::vector<PartitionOffset>& offsets,
                                                 Timeout timeout);
  [[nodiscard]] Result<void> delete_group_offsets(const std::string& group, const std::vector<TopicPartition>& partitions,
                                                  Timeout timeout);
  /// A group that does not exist is deleted already.
  [[nodiscard]] Result<void> delete_group(const std::string& group, Timeout timeout);

 private:
  struct State;
  explicit Admin(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fencepost::kafka
