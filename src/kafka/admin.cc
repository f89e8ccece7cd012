#include "kafka/admin.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "kafka/admin_state.h"
#include "kafka/partition_list.h"

namespace fencepost::kafka {

using native::Destroyer;
using native::to_error;

namespace {

Error topic_error(const std::string& what, rd_kafka_resp_err_t code, const char* text) {
  return {native::kind_of(code),
          fmt::format("{}: {} ({})", what, text != nullptr ? text : rd_kafka_err2str(code), rd_kafka_err2name(code))};
}

/// The error of the first topic result that has one; `accepted` counts as none.
Result<bool> first_topic_error(const std::string& what, const rd_kafka_topic_result_t** results, std::size_t count,
                               rd_kafka_resp_err_t accepted = RD_KAFKA_RESP_ERR_NO_ERROR) {
  bool all_done = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = rd_kafka_topic_result_error(results[i]);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    if (code != accepted) return Failure(topic_error(what, code, rd_kafka_topic_result_error_string(results[i])));
    all_done = false;
  }
  return all_done;
}

TopicInfo to_info(const rd_kafka_metadata_topic_t& topic) {
  return {.name = topic.topic,
          .partitions = topic.partition_cnt,
          .replication_factor = topic.partition_cnt > 0 ? topic.partitions[0].replica_cnt : 0};
}

}  // namespace

Admin::Admin(std::unique_ptr<State> state) : state_(std::move(state)) {}
Admin::~Admin() = default;

Result<std::unique_ptr<Admin>> Admin::create(const Translated& settings, Log log) {
  FENCEPOST_TRY(auto conf, native::make_conf(settings));
  auto state = std::make_unique<State>();
  state->log = std::move(log);
  rd_kafka_conf_set_opaque(conf.get(), state.get());
  rd_kafka_conf_set_log_cb(conf.get(), &State::log_line);
  rd_kafka_conf_set_error_cb(conf.get(), &State::failed);
  FENCEPOST_TRY(state->client, native::make_client(RD_KAFKA_PRODUCER, std::move(conf)));
  return std::unique_ptr<Admin>(new Admin(std::move(state)));
}

Result<std::string> Admin::cluster_id(Timeout timeout) {
  char* id = rd_kafka_clusterid(state_->client.get(), static_cast<int>(timeout.count()));
  if (id == nullptr)
    return failure(ErrorKind::Unavailable, fmt::format("the Kafka cluster did not answer within {} ms", timeout.count()));
  std::string out(id);
  rd_kafka_mem_free(state_->client.get(), id);
  return out;
}

Result<std::vector<TopicInfo>> Admin::list_topics(Timeout timeout) {
  const rd_kafka_metadata_t* metadata = nullptr;
  const auto code = rd_kafka_metadata(state_->client.get(), 1, nullptr, &metadata, static_cast<int>(timeout.count()));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failure(to_error(code, "listing topics"));
  const std::unique_ptr<const rd_kafka_metadata_t, Destroyer<rd_kafka_metadata_destroy>> owned(metadata);
  std::vector<TopicInfo> out;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    if (metadata->topics[i].err == RD_KAFKA_RESP_ERR_NO_ERROR) out.push_back(to_info(metadata->topics[i]));
  }
  return out;
}

Result<std::optional<TopicInfo>> Admin::describe_topic(const std::string& topic, Timeout timeout) {
  // Not through Metadata, which would make the topic where brokers create topics by themselves.
  const std::string what = fmt::format("describing topic {}", topic);
  const char* names[] = {topic.c_str()};
  const std::unique_ptr<rd_kafka_TopicCollection_t, Destroyer<rd_kafka_TopicCollection_destroy>> list(
      rd_kafka_TopicCollection_of_topic_names(names, 1));
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, what, timeout, [&](auto* rk, auto* options, auto* queue) {
                  rd_kafka_DescribeTopics(rk, list.get(), options, queue);
                }));
  std::size_t count = 0;
  const auto** found = rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event.get()), &count);
  if (count == 0) return std::optional<TopicInfo>();
  const auto* error = rd_kafka_TopicDescription_error(found[0]);
  const auto code = error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
  if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return std::optional<TopicInfo>();
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failure(topic_error(what, code, rd_kafka_error_string(error)));
  std::size_t partitions = 0;
  const auto** infos = rd_kafka_TopicDescription_partitions(found[0], &partitions);
  std::size_t replicas = 0;
  if (partitions > 0) rd_kafka_TopicPartitionInfo_replicas(infos[0], &replicas);
  return TopicInfo{.name = topic,
                   .partitions = static_cast<std::int32_t>(partitions),
                   .replication_factor = static_cast<std::int32_t>(replicas)};
}

Result<std::map<std::string, TopicConfigs>> Admin::describe_topic_configs(const std::vector<std::string>& topics,
                                                                          Timeout timeout) {
  std::map<std::string, TopicConfigs> out;
  if (topics.empty()) return out;
  std::vector<std::unique_ptr<rd_kafka_ConfigResource_t, Destroyer<rd_kafka_ConfigResource_destroy>>> owned;
  std::vector<rd_kafka_ConfigResource_t*> resources;
  for (const auto& topic : topics) {
    owned.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
    resources.push_back(owned.back().get());
  }
  FENCEPOST_TRY(const auto event, state_->ask(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, "reading topic configs", timeout,
                                              [&](auto* rk, auto* options, auto* queue) {
                                                rd_kafka_DescribeConfigs(rk, resources.data(), resources.size(), options, queue);
                                              }));
  std::size_t count = 0;
  const auto** found = rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const char* name = rd_kafka_ConfigResource_name(found[i]);
    const auto code = rd_kafka_ConfigResource_error(found[i]);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return Failure(topic_error(fmt::format("reading the configs of topic {}", name), code,
                                 rd_kafka_ConfigResource_error_string(found[i])));
    }
    std::size_t entries = 0;
    const auto** entry = rd_kafka_ConfigResource_configs(found[i], &entries);
    for (std::size_t j = 0; j < entries; ++j) {
      const char* value = rd_kafka_ConfigEntry_value(entry[j]);
      out[name][rd_kafka_ConfigEntry_name(entry[j])] = TopicConfigEntry{
          .value = value == nullptr ? "" : value,
          .is_default = rd_kafka_ConfigEntry_is_default(entry[j]) == 1,
          .is_sensitive = rd_kafka_ConfigEntry_is_sensitive(entry[j]) == 1,
          .is_read_only = rd_kafka_ConfigEntry_is_read_only(entry[j]) == 1,
          .is_of_broker_file = rd_kafka_ConfigEntry_source(entry[j]) == RD_KAFKA_CONFIG_SOURCE_STATIC_BROKER_CONFIG};
    }
  }
  return out;
}

Result<bool> Admin::create_topic(const TopicSpec& topic, Timeout timeout) {
  const std::string what = fmt::format("creating topic {}", topic.name);
  std::array<char, 256> text{};
  const std::unique_ptr<rd_kafka_NewTopic_t, Destroyer<rd_kafka_NewTopic_destroy>> made(
      rd_kafka_NewTopic_new(topic.name.c_str(), topic.partitions, topic.replication_factor, text.data(), text.size()));
  if (!made) return failure(ErrorKind::InvalidConfig, fmt::format("{}: {}", what, text.data()));
  for (const auto& [name, value] : topic.configs) rd_kafka_NewTopic_set_config(made.get(), name.c_str(), value.c_str());
  rd_kafka_NewTopic_t* list[] = {made.get()};
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_CREATETOPICS, what, timeout,
                            [&](auto* rk, auto* options, auto* queue) { rd_kafka_CreateTopics(rk, list, 1, options, queue); }));
  std::size_t count = 0;
  const auto** results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  return first_topic_error(what, results, count, RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS);
}

Result<void> Admin::delete_topic(const std::string& topic, Timeout timeout) {
  const std::string what = fmt::format("deleting topic {}", topic);
  const std::unique_ptr<rd_kafka_DeleteTopic_t, Destroyer<rd_kafka_DeleteTopic_destroy>> order(
      rd_kafka_DeleteTopic_new(topic.c_str()));
  rd_kafka_DeleteTopic_t* list[] = {order.get()};
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_DELETETOPICS, what, timeout,
                            [&](auto* rk, auto* options, auto* queue) { rd_kafka_DeleteTopics(rk, list, 1, options, queue); }));
  std::size_t count = 0;
  const auto** results = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  FENCEPOST_TRY([[maybe_unused]] const bool done, first_topic_error(what, results, count));
  return {};
}

Result<void> Admin::create_partitions(const std::string& topic, std::int32_t new_total, Timeout timeout) {
  const std::string what = fmt::format("raising topic {} to {} partitions", topic, new_total);
  std::array<char, 256> text{};
  const std::unique_ptr<rd_kafka_NewPartitions_t, Destroyer<rd_kafka_NewPartitions_destroy>> order(
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<std::size_t>(new_total), text.data(), text.size()));
  if (!order) return failure(ErrorKind::InvalidConfig, fmt::format("{}: {}", what, text.data()));
  rd_kafka_NewPartitions_t* list[] = {order.get()};
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_CREATEPARTITIONS, what, timeout, [&](auto* rk, auto* options, auto* queue) {
                  rd_kafka_CreatePartitions(rk, list, 1, options, queue);
                }));
  std::size_t count = 0;
  const auto** results = rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event.get()), &count);
  FENCEPOST_TRY([[maybe_unused]] const bool done, first_topic_error(what, results, count));
  return {};
}

Result<void> Admin::alter_topic_configs(const std::string& topic,
                                        const std::map<std::string, std::optional<std::string>>& changes, Timeout timeout) {
  if (changes.empty()) return {};
  const std::string what = fmt::format("changing the configs of topic {}", topic);
  const std::unique_ptr<rd_kafka_ConfigResource_t, Destroyer<rd_kafka_ConfigResource_destroy>> resource(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  for (const auto& [name, value] : changes) {
    const native::NativeError error(rd_kafka_ConfigResource_add_incremental_config(
        resource.get(), name.c_str(), value ? RD_KAFKA_ALTER_CONFIG_OP_TYPE_SET : RD_KAFKA_ALTER_CONFIG_OP_TYPE_DELETE,
        value ? value->c_str() : nullptr));
    if (error) return failure(ErrorKind::InvalidConfig, fmt::format("{}: {}", what, rd_kafka_error_string(error.get())));
  }
  rd_kafka_ConfigResource_t* list[] = {resource.get()};
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_INCREMENTALALTERCONFIGS, what, timeout, [&](auto* rk, auto* options, auto* queue) {
                  rd_kafka_IncrementalAlterConfigs(rk, list, 1, options, queue);
                }));
  std::size_t count = 0;
  const auto** results =
      rd_kafka_IncrementalAlterConfigs_result_resources(rd_kafka_event_IncrementalAlterConfigs_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto code = rd_kafka_ConfigResource_error(results[i]);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
      return Failure(topic_error(what, code, rd_kafka_ConfigResource_error_string(results[i])));
  }
  return {};
}

Result<std::map<TopicPartition, std::int64_t>> Admin::State::ask_ends(const std::vector<TopicPartition>& partitions,
                                                                      bool read_committed, Timeout timeout) {
  const std::string what = "asking for end offsets";
  const auto list = native::to_list(partitions);
  for (int i = 0; i < list->cnt; ++i) list->elems[i].offset = RD_KAFKA_OFFSET_SPEC_LATEST;
  FENCEPOST_TRY(
      const auto event, ask(RD_KAFKA_ADMIN_OP_LISTOFFSETS, what, timeout, [&](auto* rk, auto* options, auto* queue) {
        const native::NativeError ignored(rd_kafka_AdminOptions_set_isolation_level(
            options, read_committed ? RD_KAFKA_ISOLATION_LEVEL_READ_COMMITTED : RD_KAFKA_ISOLATION_LEVEL_READ_UNCOMMITTED));
        rd_kafka_ListOffsets(rk, list.get(), options, queue);
      }));
  std::map<TopicPartition, std::int64_t> out;
  std::size_t count = 0;
  const auto** infos = rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event.get()), &count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto* at = rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    if (at->err != RD_KAFKA_RESP_ERR_NO_ERROR)
      return Failure(to_error(at->err, fmt::format("{} of {}-{}", what, at->topic, at->partition)));
    out[{at->topic, at->partition}] = at->offset;
  }
  return out;
}

Result<std::map<TopicPartition, std::int64_t>> Admin::end_offsets(const std::vector<TopicPartition>& partitions,
                                                                  bool read_committed, Timeout timeout) {
  if (partitions.empty()) return std::map<TopicPartition, std::int64_t>();
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto answer = state_->ask_ends(partitions, read_committed, timeout);
  if (answer || answer.error().kind() != ErrorKind::Unavailable) return answer;
  // librdkafka asks the leaders that it knows, with the epochs that it knows, and a refusal does not make it look again: once a
  // broker was killed and came back, it would be refused for as long as its cache lives.
  const Timeout left(native::remaining_ms(deadline, timeout));
  FENCEPOST_TRY([[maybe_unused]] const auto topics, list_topics(left));
  return state_->ask_ends(partitions, read_committed, Timeout(native::remaining_ms(deadline, timeout)));
}

}  // namespace fencepost::kafka
