#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

struct MetadataResponse {
  struct Broker {
    std::int32_t node_id = 0;
    std::string host;
    std::int32_t port = 0;
    std::optional<std::string> rack;

    static void describe(auto& m, auto& v) {
      v.field("NodeId", m.node_id);
      v.field("Host", m.host);
      v.field("Port", m.port);
      v.field("Rack", m.rack, since(1));
    }
    friend bool operator==(const Broker&, const Broker&) = default;
  };

  struct Topic {
    struct Partition {
      std::int16_t error_code = 0;
      std::int32_t partition_index = 0;
      std::int32_t leader_id = 0;
      std::int32_t leader_epoch = -1;
      std::vector<std::int32_t> replica_nodes;
      std::vector<std::int32_t> isr_nodes;
      std::vector<std::int32_t> offline_replicas;

      static void describe(auto& m, auto& v) {
        v.field("ErrorCode", m.error_code);
        v.field("PartitionIndex", m.partition_index);
        v.field("LeaderId", m.leader_id);
        v.field("LeaderEpoch", m.leader_epoch, since(7));
        v.field("ReplicaNodes", m.replica_nodes);
        v.field("IsrNodes", m.isr_nodes);
        v.field("OfflineReplicas", m.offline_replicas, since(5));
      }
      friend bool operator==(const Partition&, const Partition&) = default;
    };

    std::int16_t error_code = 0;
    std::optional<std::string> name;
    Uuid topic_id{};
    bool is_internal = false;
    std::vector<Partition> partitions;
    std::int32_t topic_authorized_operations = std::numeric_limits<std::int32_t>::min();

    static void describe(auto& m, auto& v) {
      v.field("ErrorCode", m.error_code);
      v.field("Name", m.name, since(0).nullable_since(12));
      v.field("TopicId", m.topic_id, since(10));
      v.field("IsInternal", m.is_internal, since(1));
      v.field("Partitions", m.partitions);
      v.field("TopicAuthorizedOperations", m.topic_authorized_operations, since(8));
    }
    friend bool operator==(const Topic&, const Topic&) = default;
  };

  static constexpr Api kApi{.key = 3, .name = "MetadataResponse", .versions = {0, 13}, .flexible_since = 9};

  std::int32_t throttle_time_ms = 0;
  std::vector<Broker> brokers;
  std::optional<std::string> cluster_id;
  std::int32_t controller_id = -1;
  std::vector<Topic> topics;
  std::int32_t cluster_authorized_operations = std::numeric_limits<std::int32_t>::min();
  std::int16_t error_code = 0;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms, since(3));
    v.field("Brokers", m.brokers);
    v.field("ClusterId", m.cluster_id, since(2));
    v.field("ControllerId", m.controller_id, since(1));
    v.field("Topics", m.topics);
    v.field("ClusterAuthorizedOperations", m.cluster_authorized_operations, between(8, 10));
    v.field("ErrorCode", m.error_code, since(13));
  }
  friend bool operator==(const MetadataResponse&, const MetadataResponse&) = default;
};

/// Topics null (empty in version 0) asks for all topics, empty for none: the brokers alone.
struct MetadataRequest {
  struct Topic {
    Uuid topic_id{};
    std::optional<std::string> name;

    static void describe(auto& m, auto& v) {
      v.field("TopicId", m.topic_id, since(10));
      v.field("Name", m.name, since(0).nullable_since(10));
    }
    friend bool operator==(const Topic&, const Topic&) = default;
  };

  static constexpr Api kApi{.key = 3, .name = "MetadataRequest", .versions = {0, 13}, .flexible_since = 9};
  using Response = MetadataResponse;

  std::optional<std::vector<Topic>> topics;
  bool allow_auto_topic_creation = true;
  bool include_cluster_authorized_operations = false;
  bool include_topic_authorized_operations = false;

  static void describe(auto& m, auto& v) {
    v.field("Topics", m.topics, since(0).nullable_since(1));
    v.field("AllowAutoTopicCreation", m.allow_auto_topic_creation, since(4));
    v.field("IncludeClusterAuthorizedOperations", m.include_cluster_authorized_operations, between(8, 10));
    v.field("IncludeTopicAuthorizedOperations", m.include_topic_authorized_operations, since(8));
  }
  friend bool operator==(const MetadataRequest&, const MetadataRequest&) = default;
};

}  // namespace fencepost::wire
