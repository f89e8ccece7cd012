#include "kafka/partition_list.h"

#include <fmt/format.h>

namespace fencepost::kafka::native {

Partitions to_list(const std::vector<TopicPartition>& partitions) {
  Partitions list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
  for (const auto& at : partitions) rd_kafka_topic_partition_list_add(list.get(), at.topic.c_str(), at.partition);
  return list;
}

Partitions to_list(const std::vector<PartitionOffset>& offsets) {
  Partitions list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const auto& [at, offset] : offsets) {
    rd_kafka_topic_partition_list_add(list.get(), at.topic.c_str(), at.partition)->offset = offset;
  }
  return list;
}

std::vector<TopicPartition> to_partitions(const rd_kafka_topic_partition_list_t& list) {
  std::vector<TopicPartition> out;
  out.reserve(static_cast<std::size_t>(list.cnt));
  for (int i = 0; i < list.cnt; ++i) out.push_back({list.elems[i].topic, list.elems[i].partition});
  return out;
}

std::vector<PartitionOffset> to_offsets(const rd_kafka_topic_partition_list_t& list) {
  std::vector<PartitionOffset> out;
  out.reserve(static_cast<std::size_t>(list.cnt));
  for (int i = 0; i < list.cnt; ++i) {
    out.push_back(PartitionOffset{.at = {list.elems[i].topic, list.elems[i].partition}, .offset = list.elems[i].offset});
  }
  return out;
}

std::int64_t offset_in(const rd_kafka_topic_partition_list_t& list, const TopicPartition& at) {
  const auto* element = rd_kafka_topic_partition_list_find(&list, at.topic.c_str(), at.partition);
  return element == nullptr ? kOffsetUnknown : element->offset;
}

Result<void> checked(rd_kafka_resp_err_t code, const std::string& what, const rd_kafka_topic_partition_list_t& list) {
  for (int i = 0; i < list.cnt; ++i) {
    const auto& element = list.elems[i];
    if (element.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Failure(to_error(element.err, fmt::format("{} of {}-{}", what, element.topic, element.partition)));
    }
  }
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failure(to_error(code, what));
  return {};
}

Result<std::int32_t> partition_count(rd_kafka_t* client, const std::string& topic, std::chrono::milliseconds timeout) {
  const Topic handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto code = rd_kafka_metadata(client, 0, handle.get(), &metadata, static_cast<int>(timeout.count()));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failure(to_error(code, fmt::format("asking about topic {}", topic)));
  const std::unique_ptr<const rd_kafka_metadata_t, Destroyer<rd_kafka_metadata_destroy>> owned(metadata);
  const auto& found = metadata->topics[0];
  if (metadata->topic_cnt != 1 || found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Failure(
        to_error(metadata->topic_cnt == 1 ? found.err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, fmt::format("topic {}", topic)));
  }
  return found.partition_cnt;
}

}  // namespace fencepost::kafka::native
