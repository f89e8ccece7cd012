// Consumers of sinks and their groups' offsets over librdkafka.

#include <chrono>
#include <utility>

#include "kafka/admin.h"
#include "kafka/client_settings.h"
#include "kafka/consumer.h"
#include "runtime/kafka_clients.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

constexpr auto kAdminTimeout = 30s;
constexpr auto kSeekTimeout = 10s;

kafka::TopicPartition to_kafka(const Place& place) { return {place.topic, place.partition}; }
Place to_place(const kafka::TopicPartition& at) { return {at.topic, at.partition}; }

std::vector<kafka::TopicPartition> to_kafka(const std::vector<Place>& places) {
  std::vector<kafka::TopicPartition> out;
  for (const Place& place : places) out.push_back(to_kafka(place));
  return out;
}
std::vector<kafka::PartitionOffset> to_kafka(const PlaceOffsets& offsets) {
  std::vector<kafka::PartitionOffset> out;
  for (const auto& [place, offset] : offsets) out.push_back({to_kafka(place), offset});
  return out;
}
std::vector<Place> to_places(const std::vector<kafka::TopicPartition>& partitions) {
  std::vector<Place> out;
  for (const auto& at : partitions) out.push_back(to_place(at));
  return out;
}

kafka::RebalanceListener listener_of(ConsumerListener listener) {
  kafka::RebalanceListener out;
  out.assigned = [told = std::move(listener.assigned)](std::vector<kafka::PartitionOffset>& partitions) {
    std::vector<Place> places;
    for (const auto& partition : partitions) places.push_back(to_place(partition.at));
    const PlaceOffsets from = told(places);
    for (auto& partition : partitions) {
      if (const auto at = from.find(to_place(partition.at)); at != from.end()) partition.offset = at->second;
    }
  };
  out.revoked = [told = std::move(listener.revoked)](const std::vector<kafka::TopicPartition>& partitions, bool lost) {
    told(to_places(partitions), lost);
  };
  return out;
}

class KafkaGroupConsumer final : public ConsumerPort {
 public:
  KafkaGroupConsumer(std::unique_ptr<kafka::GroupConsumer> consumer, Log log)
      : consumer_(std::move(consumer)), log_(std::move(log)) {}

  Result<void> subscribe(const std::vector<std::string>& topics) override { return consumer_->subscribe(topics); }
  Result<RecordsIn> poll() override {
    FENCEPOST_TRY(kafka::BatchPtr batch, consumer_->poll(0ms));
    for (const auto& error : batch->errors) log_.warn("reading " + error.at.to_string() + ": " + error.error.message());
    RecordsIn out{batch, {}};
    out.records.reserve(batch->messages.size());
    for (const kafka::Message& message : batch->messages) {
      RecordIn record{.topic = message.topic,
                      .partition = message.partition,
                      .offset = message.offset,
                      .timestamp_ms = message.timestamp_ms,
                      .log_append_time = message.log_append_time,
                      .key = message.key,
                      .value = message.value};
      for (const kafka::HeaderView& header : message.headers()) record.headers.push_back({header.key, header.value});
      out.records.push_back(std::move(record));
    }
    return out;
  }
  Result<void> commit(const PlaceOffsets& offsets) override { return consumer_->commit(to_kafka(offsets)); }
  Result<void> pause(const std::vector<Place>& partitions) override { return consumer_->pause(to_kafka(partitions)); }
  Result<void> resume(const std::vector<Place>& partitions) override { return consumer_->resume(to_kafka(partitions)); }
  Result<void> seek(const PlaceOffsets& to) override { return consumer_->seek(to_kafka(to), kSeekTimeout); }

 private:
  std::unique_ptr<kafka::GroupConsumer> consumer_;
  Log log_;
};

Result<std::unique_ptr<kafka::Admin>> make_admin(const Properties& settings, const Log& log) {
  FENCEPOST_TRY(const auto translated, kafka::translate(kafka::ClientKind::Admin, settings));
  return kafka::Admin::create(translated, log);
}

}  // namespace

Result<std::unique_ptr<ConsumerPort>> KafkaClients::group_consumer(const Properties& settings, const Log& log,
                                                                   ConsumerListener listener,
                                                                   std::function<void()> records_waiting) {
  FENCEPOST_TRY(const auto translated, kafka::translate(kafka::ClientKind::Consumer, settings));
  for (const std::string& warning : translated.warnings) log.warn(warning);
  FENCEPOST_TRY(auto consumer, kafka::GroupConsumer::create(translated, log, listener_of(std::move(listener))));
  consumer->on_records_waiting(std::move(records_waiting));
  return std::unique_ptr<ConsumerPort>(std::make_unique<KafkaGroupConsumer>(std::move(consumer), log));
}

Result<std::vector<std::string>> KafkaClients::topic_names(const Properties& client) {
  FENCEPOST_TRY(const auto admin, make_admin(client, log_));
  FENCEPOST_TRY(const auto topics, admin->list_topics(kAdminTimeout));
  std::vector<std::string> out;
  out.reserve(topics.size());
  for (const kafka::TopicInfo& topic : topics) out.push_back(topic.name);
  return out;
}

Result<PlaceOffsets> KafkaClients::group_offsets(const Properties& admin, const std::string& group) {
  FENCEPOST_TRY(const auto client, make_admin(admin, log_));
  FENCEPOST_TRY(const auto offsets, client->list_group_offsets(group, kAdminTimeout));
  PlaceOffsets out;
  for (const auto& [at, offset] : offsets) {
    if (offset >= 0) out.emplace(to_place(at), offset);
  }
  return out;
}

Result<void> KafkaClients::change_group_offsets(const Properties& admin, const std::string& group,
                                                const std::map<Place, std::optional<std::int64_t>>& changes) {
  FENCEPOST_TRY(const auto client, make_admin(admin, log_));
  std::vector<kafka::PartitionOffset> altered;
  std::vector<kafka::TopicPartition> forgotten;
  for (const auto& [place, offset] : changes) {
    if (offset) {
      altered.push_back({to_kafka(place), *offset});
    } else {
      forgotten.push_back(to_kafka(place));
    }
  }
  if (!altered.empty()) FENCEPOST_CHECK(client->alter_group_offsets(group, altered, kAdminTimeout));
  if (!forgotten.empty()) FENCEPOST_CHECK(client->delete_group_offsets(group, forgotten, kAdminTimeout));
  return {};
}

Result<void> KafkaClients::delete_group(const Properties& admin, const std::string& group) {
  FENCEPOST_TRY(const auto client, make_admin(admin, log_));
  return client->delete_group(group, kAdminTimeout);
}

}  // namespace fencepost::runtime
