#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "kafka/message.h"
#include "kafka/native.h"

namespace fencepost::kafka::native {

[[nodiscard]] Partitions to_list(const std::vector<TopicPartition>& partitions);
[[nodiscard]] Partitions to_list(const std::vector<PartitionOffset>& offsets);
[[nodiscard]] std::vector<TopicPartition> to_partitions(const rd_kafka_topic_partition_list_t& list);
[[nodiscard]] std::vector<PartitionOffset> to_offsets(const rd_kafka_topic_partition_list_t& list);
[[nodiscard]] std::int64_t offset_in(const rd_kafka_topic_partition_list_t& list, const TopicPartition& at);

/// The error of the call, or of the first partition that has one.
[[nodiscard]] Result<void> checked(rd_kafka_resp_err_t code, const std::string& what,
                                   const rd_kafka_topic_partition_list_t& list);

[[nodiscard]] Result<std::int32_t> partition_count(rd_kafka_t* client, const std::string& topic,
                                                   std::chrono::milliseconds timeout);

}  // namespace fencepost::kafka::native
