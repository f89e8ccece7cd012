#include <fmt/format.h>

#include <array>
#include <utility>

#include "kafka/admin.h"
#include "kafka/admin_state.h"
#include "kafka/partition_list.h"

namespace fencepost::kafka {

using native::Destroyer;
using native::to_error;

Result<std::vector<GroupInfo>> Admin::list_groups(Timeout timeout) {
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, "listing consumer groups", timeout,
                            [&](auto* rk, auto* options, auto* queue) { rd_kafka_ListConsumerGroups(rk, options, queue); }));
  std::size_t count = 0;
  const auto** groups = rd_kafka_ListConsumerGroups_result_valid(rd_kafka_event_ListConsumerGroups_result(event.get()), &count);
  std::vector<GroupInfo> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(GroupInfo{.id = rd_kafka_ConsumerGroupListing_group_id(groups[i]),
                            .state = rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupListing_state(groups[i])),
                            .is_simple = rd_kafka_ConsumerGroupListing_is_simple_consumer_group(groups[i]) != 0});
  }
  return out;
}

Result<std::map<TopicPartition, std::int64_t>> Admin::list_group_offsets(const std::string& group, Timeout timeout) {
  const std::string what = fmt::format("reading the offsets of group {}", group);
  const std::unique_ptr<rd_kafka_ListConsumerGroupOffsets_t, Destroyer<rd_kafka_ListConsumerGroupOffsets_destroy>> question(
      rd_kafka_ListConsumerGroupOffsets_new(group.c_str(), nullptr));
  rd_kafka_ListConsumerGroupOffsets_t* list[] = {question.get()};
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, what, timeout, [&](auto* rk, auto* options, auto* queue) {
                  rd_kafka_ListConsumerGroupOffsets(rk, list, 1, options, queue);
                }));
  std::size_t count = 0;
  const auto** groups =
      rd_kafka_ListConsumerGroupOffsets_result_groups(rd_kafka_event_ListConsumerGroupOffsets_result(event.get()), &count);
  std::map<TopicPartition, std::int64_t> out;
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto* error = rd_kafka_group_result_error(groups[i])) return Failure(to_error(rd_kafka_error_code(error), what));
    const auto* partitions = rd_kafka_group_result_partitions(groups[i]);
    for (int j = 0; partitions != nullptr && j < partitions->cnt; ++j) {
      const auto& at = partitions->elems[j];
      if (at.err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return Failure(to_error(at.err, fmt::format("{}, {}-{}", what, at.topic, at.partition)));
      if (at.offset >= 0) out[{at.topic, at.partition}] = at.offset;
    }
  }
  return out;
}

Result<void> Admin::alter_group_offsets(const std::string& group, const std::vector<PartitionOffset>& offsets, Timeout timeout) {
  if (offsets.empty()) return {};
  const std::string what = fmt::format("setting the offsets of group {}", group);
  const auto partitions = native::to_list(offsets);
  const std::unique_ptr<rd_kafka_AlterConsumerGroupOffsets_t, Destroyer<rd_kafka_AlterConsumerGroupOffsets_destroy>> order(
      rd_kafka_AlterConsumerGroupOffsets_new(group.c_str(), partitions.get()));
  rd_kafka_AlterConsumerGroupOffsets_t* list[] = {order.get()};
  FENCEPOST_TRY(const auto event, state_->ask(RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS, what, timeout,
                                              [&](auto* rk, auto* options, auto* queue) {
                                                rd_kafka_AlterConsumerGroupOffsets(rk, list, 1, options, queue);
                                              }));
  std::size_t count = 0;
  const auto** groups =
      rd_kafka_AlterConsumerGroupOffsets_result_groups(rd_kafka_event_AlterConsumerGroupOffsets_result(event.get()), &count);
  return native::first_group_error(what, groups, count);
}

Result<void> Admin::delete_group_offsets(const std::string& group, const std::vector<TopicPartition>& partitions,
                                         Timeout timeout) {
  if (partitions.empty()) return {};
  const std::string what = fmt::format("deleting offsets of group {}", group);
  const auto places = native::to_list(partitions);
  const std::unique_ptr<rd_kafka_DeleteConsumerGroupOffsets_t, Destroyer<rd_kafka_DeleteConsumerGroupOffsets_destroy>> order(
      rd_kafka_DeleteConsumerGroupOffsets_new(group.c_str(), places.get()));
  rd_kafka_DeleteConsumerGroupOffsets_t* list[] = {order.get()};
  FENCEPOST_TRY(const auto event, state_->ask(RD_KAFKA_ADMIN_OP_DELETECONSUMERGROUPOFFSETS, what, timeout,
                                              [&](auto* rk, auto* options, auto* queue) {
                                                rd_kafka_DeleteConsumerGroupOffsets(rk, list, 1, options, queue);
                                              }));
  std::size_t count = 0;
  const auto** groups =
      rd_kafka_DeleteConsumerGroupOffsets_result_groups(rd_kafka_event_DeleteConsumerGroupOffsets_result(event.get()), &count);
  return native::first_group_error(what, groups, count);
}

Result<void> Admin::delete_group(const std::string& group, Timeout timeout) {
  const std::string what = fmt::format("deleting group {}", group);
  const std::unique_ptr<rd_kafka_DeleteGroup_t, Destroyer<rd_kafka_DeleteGroup_destroy>> order(
      rd_kafka_DeleteGroup_new(group.c_str()));
  rd_kafka_DeleteGroup_t* list[] = {order.get()};
  FENCEPOST_TRY(const auto event,
                state_->ask(RD_KAFKA_ADMIN_OP_DELETEGROUPS, what, timeout,
                            [&](auto* rk, auto* options, auto* queue) { rd_kafka_DeleteGroups(rk, list, 1, options, queue); }));
  std::size_t count = 0;
  const auto** groups = rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event.get()), &count);
  auto result = native::first_group_error(what, groups, count);
  if (!result && result.error().kind() == ErrorKind::NotFound) return {};
  return result;
}

}  // namespace fencepost::kafka
