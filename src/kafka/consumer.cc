#include "kafka/consumer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "kafka/message_queue.h"
#include "kafka/native.h"
#include "kafka/partition_list.h"

namespace fencepost::kafka {

using native::kind_of;
using native::to_error;

struct Consumer::State {
  Log log;
  std::size_t poll_records_max = 500;
  RebalanceListener listener;
  bool ends_told = false;
  // Of a group's consumer: records, rebalances and errors all come through its queue. Serving that one in any other way than for
  // records ends the process at the first record that a poll has left in it.
  bool one_queue = false;
  std::mutex fatal_mutex;
  std::optional<Error> fatal;
  std::map<std::string, native::Topic> topics;  // of an assigned consumer
  std::vector<TopicPartition> started;
  // Last members first to go: the queue before its client.
  native::Client client;
  std::unique_ptr<MessageQueue> queue;

  static State& of(void* opaque) { return *static_cast<State*>(opaque); }
  static void log_line(const rd_kafka_t* rk, int level, const char* facility, const char* text) {
    native::write_log(of(rd_kafka_opaque(rk)).log, level, facility, text);
  }
  static void failed(rd_kafka_t* rk, int code, const char* reason, void* opaque) {
    State& self = of(opaque);
    auto err = static_cast<rd_kafka_resp_err_t>(code);
    if (err != RD_KAFKA_RESP_ERR__FATAL) {
      native::write_log(self.log, 5, rd_kafka_err2name(err), reason);
      return;
    }
    std::array<char, 512> text{};
    err = rd_kafka_fatal_error(rk, text.data(), text.size());
    const std::lock_guard lock(self.fatal_mutex);
    self.fatal =
        Error(kind_of(err), fmt::format("the consumer has failed for good: {} ({})", text.data(), rd_kafka_err2name(err)));
  }
  static void rebalanced(rd_kafka_t* rk, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list, void* opaque);
  static void committed(rd_kafka_t* rk, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list, void* opaque);
};

namespace {

constexpr std::chrono::milliseconds kFirstMetadataTime{2'000};

Result<native::Conf> consumer_conf(const Translated& settings, bool partition_ends) {
  Translated used = settings;
  used.settings["enable.auto.commit"] = "false";
  used.settings["enable.partition.eof"] = partition_ends ? "true" : "false";
  return native::make_conf(used);
}

}  // namespace

Consumer::Consumer(std::shared_ptr<State> state) : state_(std::move(state)) {}

Result<BatchPtr> Consumer::poll(std::chrono::milliseconds timeout, std::size_t messages_max) {
  auto batch = state_->queue->poll(timeout, messages_max == 0 ? state_->poll_records_max : messages_max);
  batch->client_ = state_;
  if (!state_->one_queue) rd_kafka_poll(state_->client.get(), 0);  // errors of the client
  const std::lock_guard lock(state_->fatal_mutex);
  if (state_->fatal) return Failure(*state_->fatal);
  return batch;
}

void Consumer::wakeup() { state_->queue->wakeup(); }

void Consumer::on_records_waiting(std::function<void()> callback) { state_->queue->on_waiting(std::move(callback)); }

std::optional<std::int64_t> Consumer::position(const TopicPartition& at) const {
  const auto list = native::to_list(std::vector{at});
  if (rd_kafka_position(state_->client.get(), list.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
  const auto& element = list->elems[0];
  return element.err != RD_KAFKA_RESP_ERR_NO_ERROR || element.offset < 0 ? std::nullopt : std::optional(element.offset);
}

Result<void> Consumer::pause(const std::vector<TopicPartition>& partitions) {
  const auto list = native::to_list(partitions);
  return native::checked(rd_kafka_pause_partitions(state_->client.get(), list.get()), "pausing partitions", *list);
}

Result<void> Consumer::resume(const std::vector<TopicPartition>& partitions) {
  const auto list = native::to_list(partitions);
  return native::checked(rd_kafka_resume_partitions(state_->client.get(), list.get()), "resuming partitions", *list);
}

Result<void> Consumer::seek(const std::vector<PartitionOffset>& to, std::chrono::milliseconds timeout) {
  const auto list = native::to_list(to);
  const native::NativeError error(rd_kafka_seek_partitions(state_->client.get(), list.get(), static_cast<int>(timeout.count())));
  return native::checked(error ? rd_kafka_error_code(error.get()) : RD_KAFKA_RESP_ERR_NO_ERROR, "seeking", *list);
}

Result<std::vector<PartitionOffset>> Consumer::offsets_at(const std::vector<OffsetQuestion>& questions,
                                                          std::chrono::milliseconds timeout) const {
  std::vector<PartitionOffset> asked;
  asked.reserve(questions.size());
  for (const auto& question : questions) asked.push_back(PartitionOffset{.at = question.at, .offset = question.when});
  if (asked.empty()) return asked;
  // The request knows beginning and end as "times" -2 and -1, and looks at the client's isolation level.
  const auto list = native::to_list(asked);
  const auto code = rd_kafka_offsets_for_times(state_->client.get(), list.get(), static_cast<int>(timeout.count()));
  FENCEPOST_CHECK(native::checked(code, "asking for offsets", *list));
  for (auto& answer : asked) answer.offset = native::offset_in(*list, answer.at);
  return asked;
}

Result<Watermarks> Consumer::watermarks(const TopicPartition& at, std::chrono::milliseconds timeout) const {
  Watermarks marks;
  const auto code = rd_kafka_query_watermark_offsets(state_->client.get(), at.topic.c_str(), at.partition, &marks.beginning,
                                                     &marks.end, static_cast<int>(timeout.count()));
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return Failure(to_error(code, fmt::format("asking for the offsets of {}", at.to_string())));
  return marks;
}

std::optional<Watermarks> Consumer::last_known_watermarks(const TopicPartition& at) const {
  Watermarks marks;
  if (rd_kafka_get_watermark_offsets(state_->client.get(), at.topic.c_str(), at.partition, &marks.beginning, &marks.end) !=
          RD_KAFKA_RESP_ERR_NO_ERROR ||
      marks.end < 0) {
    return std::nullopt;
  }
  return marks;
}

Result<std::int32_t> Consumer::partition_count(const std::string& topic, std::chrono::milliseconds timeout) const {
  return native::partition_count(state_->client.get(), topic, timeout);
}

// ---- AssignedConsumer: librdkafka's consumer without a group, which asks no coordinator and needs no right on a group ----

Result<std::unique_ptr<AssignedConsumer>> AssignedConsumer::create(const Translated& settings, Log log, bool partition_ends) {
  Translated used = settings;
  used.settings.erase("group.id");
  FENCEPOST_TRY(auto conf, consumer_conf(used, partition_ends));
  auto state = std::make_shared<State>();
  state->log = std::move(log);
  state->poll_records_max = settings.max_poll_records;
  rd_kafka_conf_set_opaque(conf.get(), state.get());
  rd_kafka_conf_set_log_cb(conf.get(), &State::log_line);
  rd_kafka_conf_set_error_cb(conf.get(), &State::failed);
  FENCEPOST_TRY(state->client, native::make_client(RD_KAFKA_CONSUMER, std::move(conf)));
  state->queue = std::make_unique<MessageQueue>(native::Queue(rd_kafka_queue_new(state->client.get())));
  return std::unique_ptr<AssignedConsumer>(new AssignedConsumer(std::move(state)));
}

AssignedConsumer::~AssignedConsumer() {
  stop(std::vector(state_->started));
  state_->topics.clear();
  state_->queue.reset();
}

Result<void> AssignedConsumer::start(const std::vector<PartitionOffset>& from) {
  std::vector<TopicPartition> again;
  for (const auto& [at, offset] : from) {
    if (std::find(state_->started.begin(), state_->started.end(), at) != state_->started.end()) again.push_back(at);
  }
  stop(again);
  // Asking for a topic waits for a connection, not for one of librdkafka's timers (500 ms and more) to look for a leader.
  if (state_->topics.empty() && !from.empty()) (void)partition_count(from.front().at.topic, kFirstMetadataTime);
  for (const auto& [at, offset] : from) {
    auto& topic = state_->topics[at.topic];
    if (!topic) topic.reset(rd_kafka_topic_new(state_->client.get(), at.topic.c_str(), nullptr));
    if (!topic || rd_kafka_consume_start_queue(topic.get(), at.partition, offset, state_->queue->native()) != 0) {
      return Failure(to_error(rd_kafka_last_error(), fmt::format("starting to read {}", at.to_string())));
    }
    state_->started.push_back(at);
  }
  return {};
}

void AssignedConsumer::stop(const std::vector<TopicPartition>& partitions) {
  for (const auto& at : partitions) {
    if (std::erase(state_->started, at) > 0) rd_kafka_consume_stop(state_->topics[at.topic].get(), at.partition);
  }
}

// ---- GroupConsumer ----

void Consumer::State::rebalanced(rd_kafka_t* rk, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list, void* opaque) {
  State& self = of(opaque);
  const bool cooperative = std::string_view(rd_kafka_rebalance_protocol(rk)) == "COOPERATIVE";
  const auto note = [&](rd_kafka_error_t* error) {
    const native::NativeError owned(error);
    if (owned) self.log.warn(fmt::format("rebalance: {}", rd_kafka_error_string(owned.get())));
  };
  if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
    auto partitions = native::to_offsets(*list);
    for (auto& p : partitions) p.offset = kOffsetStored;
    if (self.listener.assigned) self.listener.assigned(partitions);
    const auto from = native::to_list(partitions);
    if (cooperative) {
      note(rd_kafka_incremental_assign(rk, from.get()));
    } else {
      rd_kafka_assign(rk, from.get());
    }
    return;
  }
  if (code != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) self.log.warn(fmt::format("rebalance failed: {}", rd_kafka_err2str(code)));
  if (self.listener.revoked && list->cnt > 0)
    self.listener.revoked(native::to_partitions(*list), rd_kafka_assignment_lost(rk) != 0);
  if (cooperative) {
    note(rd_kafka_incremental_unassign(rk, list));
  } else {
    rd_kafka_assign(rk, nullptr);
  }
}

Result<std::unique_ptr<GroupConsumer>> GroupConsumer::create(const Translated& settings, Log log, RebalanceListener listener) {
  if (!settings.get("group.id")) return failure(ErrorKind::Bug, "a consumer of a group needs group.id");
  FENCEPOST_TRY(auto conf, consumer_conf(settings, false));
  auto state = std::make_shared<State>();
  state->log = std::move(log);
  state->poll_records_max = settings.max_poll_records;
  state->listener = std::move(listener);
  rd_kafka_conf_set_opaque(conf.get(), state.get());
  rd_kafka_conf_set_log_cb(conf.get(), &State::log_line);
  rd_kafka_conf_set_error_cb(conf.get(), &State::failed);
  rd_kafka_conf_set_rebalance_cb(conf.get(), &State::rebalanced);
  FENCEPOST_TRY(state->client, native::make_client(RD_KAFKA_CONSUMER, std::move(conf)));
  rd_kafka_poll_set_consumer(state->client.get());
  state->one_queue = true;
  state->queue = std::make_unique<MessageQueue>(native::Queue(rd_kafka_queue_get_consumer(state->client.get())));
  return std::unique_ptr<GroupConsumer>(new GroupConsumer(std::move(state)));
}

GroupConsumer::~GroupConsumer() {
  state_->queue.reset();
  rd_kafka_consumer_close(state_->client.get());
  // The client may live on with its batches, but whom it told may not.
  state_->listener = {};
}

Result<void> GroupConsumer::subscribe(const std::vector<std::string>& topics) {
  std::vector<TopicPartition> names;
  names.reserve(topics.size());
  for (const auto& topic : topics) names.push_back({topic, -1});
  const auto list = native::to_list(names);
  const auto code =
      topics.empty() ? rd_kafka_unsubscribe(state_->client.get()) : rd_kafka_subscribe(state_->client.get(), list.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
    return Failure(to_error(code, fmt::format("subscribing to {}", fmt::join(topics, ", "))));
  return {};
}

Result<void> GroupConsumer::commit(const std::vector<PartitionOffset>& offsets) {
  if (offsets.empty()) return {};
  const auto list = native::to_list(offsets);
  return native::checked(rd_kafka_commit(state_->client.get(), list.get(), 0), "committing offsets", *list);
}

void Consumer::State::committed(rd_kafka_t*, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* list, void* opaque) {
  const std::unique_ptr<GroupConsumer::CommitCallback> callback(static_cast<GroupConsumer::CommitCallback*>(opaque));
  if (!*callback) return;
  if (list == nullptr) {
    (*callback)(code == RD_KAFKA_RESP_ERR_NO_ERROR ? Result<void>() : Failure(to_error(code, "committing offsets")));
    return;
  }
  (*callback)(native::checked(code, "committing offsets", *list));
}

Result<void> GroupConsumer::commit_async(const std::vector<PartitionOffset>& offsets, CommitCallback callback) {
  const auto list = native::to_list(offsets);
  auto owned = std::make_unique<CommitCallback>(std::move(callback));
  const auto code =
      rd_kafka_commit_queue(state_->client.get(), list.get(), state_->queue->native(), &State::committed, owned.get());
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return Failure(to_error(code, "committing offsets"));
  owned.release();  // State::committed() deletes it
  return {};
}

Result<std::vector<PartitionOffset>> GroupConsumer::committed(const std::vector<TopicPartition>& partitions,
                                                              std::chrono::milliseconds timeout) const {
  const auto list = native::to_list(partitions);
  const auto code = rd_kafka_committed(state_->client.get(), list.get(), static_cast<int>(timeout.count()));
  FENCEPOST_CHECK(native::checked(code, "asking for committed offsets", *list));
  return native::to_offsets(*list);
}

std::vector<TopicPartition> GroupConsumer::assignment() const {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  if (rd_kafka_assignment(state_->client.get(), &raw) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const native::Partitions list(raw);
  return native::to_partitions(*list);
}

}  // namespace fencepost::kafka
