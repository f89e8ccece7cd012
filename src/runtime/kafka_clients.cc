#include "runtime/kafka_clients.h"

#include <chrono>
#include <set>
#include <utility>

#include "kafka/admin.h"
#include "kafka/client_settings.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

constexpr auto kAdminTimeout = 30s;
/// Reading an offsets topic to its end: a broker that is away longer makes the step fail, which is then repeated.
constexpr auto kReadTimeout = 60s;

/// A record's headers as librdkafka's adapter takes them; the memory is used again for each record.
class KafkaProducer final : public ProducerPort {
 public:
  KafkaProducer(std::unique_ptr<kafka::Producer> producer, Duration transaction_timeout)
      : producer_(std::move(producer)), transaction_timeout_(transaction_timeout) {}

  Result<void> produce(const RecordOut& record) override {
    headers_.clear();
    for (const HeaderOut& header : record.headers) headers_.push_back({header.key, header.value});
    return producer_->produce({.topic = record.topic,
                               .partition = record.partition,
                               .key = record.key,
                               .value = record.value,
                               .timestamp_ms = record.timestamp_ms,
                               .headers = headers_,
                               .opaque = record.tag});
  }
  void poll() override { producer_->poll(0ms); }
  Result<void> flush(Duration timeout) override { return producer_->flush(timeout); }
  std::size_t pending() const override { return producer_->deliveries_pending(); }
  TransactionOutcome init_transactions(Duration timeout) override { return outcome(producer_->init_transactions(timeout)); }
  TransactionOutcome begin() override { return outcome(producer_->begin()); }
  TransactionOutcome commit(Duration timeout) override { return outcome(producer_->commit(timeout)); }
  TransactionOutcome abort(Duration timeout) override { return outcome(producer_->abort(timeout)); }
  std::optional<TransactionFailure> dead() const override {
    const auto error = producer_->dead();
    return error ? std::optional(failure_of(*error)) : std::nullopt;
  }
  bool spent() const override { return producer_->spent(); }
  Duration transaction_timeout() const override { return transaction_timeout_; }
  void cancel() override { producer_->cancel(); }

 private:
  static TransactionFailure failure_of(const kafka::TransactionError& error) {
    return {.fatal = error.fatal,
            .requires_abort = error.requires_abort,
            .retriable = error.retriable,
            .fenced = error.fenced,
            .error = error.to_error()};
  }
  static TransactionOutcome outcome(kafka::TransactionResult result) {
    if (result) return {};
    return tl::unexpected(failure_of(result.error()));
  }

  std::unique_ptr<kafka::Producer> producer_;
  Duration transaction_timeout_;
  std::vector<kafka::HeaderView> headers_;
};

Result<std::unique_ptr<kafka::Admin>> make_admin(const Properties& settings, const Log& log) {
  FENCEPOST_TRY(const auto translated, kafka::translate(kafka::ClientKind::Admin, settings));
  return kafka::Admin::create(translated, log);
}

/// Where each partition begins and where it ends, be that in the middle of a transaction; partitions with nothing in them are
/// left out. What a predecessor committed may stand behind the open transaction of another task, so the last stable offset is no
/// end.
Result<std::map<kafka::TopicPartition, kafka::Watermarks>> places(const kafka::AssignedConsumer& consumer, kafka::Admin& admin,
                                                                  const std::string& topic) {
  FENCEPOST_TRY(const auto count, consumer.partition_count(topic, kAdminTimeout));
  std::vector<kafka::TopicPartition> partitions;
  std::vector<kafka::OffsetQuestion> questions;
  for (std::int32_t partition = 0; partition < count; ++partition) {
    partitions.push_back({topic, partition});
    questions.push_back({.at = partitions.back(), .when = kafka::kOffsetBeginning});
  }
  FENCEPOST_TRY(const auto ends, admin.end_offsets(partitions, false, kAdminTimeout));
  FENCEPOST_TRY(const auto beginnings, consumer.offsets_at(questions, kAdminTimeout));
  std::map<kafka::TopicPartition, kafka::Watermarks> out;
  for (const auto& [at, beginning] : beginnings) {
    const auto end = ends.find(at);
    if (end == ends.end()) return failure(ErrorKind::Unavailable, "no broker tells the end of " + at.to_string());
    if (end->second > beginning) out.emplace(at, kafka::Watermarks{.beginning = beginning, .end = end->second});
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<ProducerPort>> KafkaClients::producer(const Properties& settings, bool transactional, const Log& log,
                                                             std::function<void(const Delivery&)> delivered) {
  const auto delivery = transactional ? kafka::Delivery::ExactlyOnce : kafka::Delivery::AtLeastOnce;
  FENCEPOST_TRY(const auto translated, kafka::translate(kafka::ClientKind::Producer, settings, delivery));
  for (const std::string& warning : translated.warnings) log.warn(warning);
  FENCEPOST_TRY(
      auto made, kafka::Producer::create(translated, log, [delivered = std::move(delivered)](const kafka::Delivered& d) {
        // Nothing to tell where nobody asked for this record's delivery, or where the writer itself took it back.
        if ((d.code == 0 && d.opaque == 0) || d.purged()) return;
        delivered({.tag = d.opaque, .topic = d.topic, .partition = d.partition, .offset = d.offset, .error = d.error()});
      }));
  return std::unique_ptr<ProducerPort>(std::make_unique<KafkaProducer>(std::move(made), translated.transaction_timeout));
}

Result<std::optional<std::int32_t>> KafkaClients::topic_partitions(const Properties& admin, const std::string& topic) {
  FENCEPOST_TRY(const auto client, make_admin(admin, log_));
  FENCEPOST_TRY(const auto info, client->describe_topic(topic, kAdminTimeout));
  return info ? std::optional(info->partitions) : std::nullopt;
}

Result<void> KafkaClients::create_topic(const Properties& admin, const TopicToCreate& topic) {
  FENCEPOST_TRY(const auto client, make_admin(admin, log_));
  kafka::TopicSpec spec{.name = topic.name,
                        .partitions = topic.partitions,
                        .replication_factor = static_cast<std::int16_t>(topic.replication_factor),
                        .configs = {}};
  for (const auto& [name, value] : topic.configs) {
    if (value) spec.configs.emplace(name, *value);
  }
  FENCEPOST_TRY([[maybe_unused]] const bool made, client->create_topic(spec, kAdminTimeout));
  return {};
}

Result<OffsetTable> KafkaClients::read_offsets_topic(const Properties& consumer, const std::string& topic) {
  Properties settings = consumer;
  settings.set("isolation.level", "read_committed");
  settings.set("auto.offset.reset", "earliest");
  settings.set("enable.auto.commit", "false");
  FENCEPOST_TRY(const auto translated, kafka::translate(kafka::ClientKind::Consumer, settings));
  FENCEPOST_TRY(const auto reader, kafka::AssignedConsumer::create(translated, log_, true));
  FENCEPOST_TRY(const auto admin, make_admin(consumer, log_));
  FENCEPOST_TRY(const auto ends, places(*reader, *admin, topic));
  OffsetTable table;
  if (ends.empty()) return table;
  std::set<kafka::TopicPartition> open;
  std::vector<kafka::PartitionOffset> from;
  for (const auto& [at, marks] : ends) {
    open.insert(at);
    from.push_back({at, marks.beginning});
  }
  FENCEPOST_CHECK(reader->start(from));
  const auto deadline = std::chrono::steady_clock::now() + kReadTimeout;
  while (!open.empty()) {
    if (std::chrono::steady_clock::now() > deadline) {
      return failure(ErrorKind::Timeout, "topic '" + topic +
                                             "' could not be read to its end within 60 s; a transaction may be open in it for so "
                                             "long, which kafka-transactions.sh find-hanging would tell");
    }
    FENCEPOST_TRY(const auto batch, reader->poll(500ms, 10'000));
    for (const auto& message : batch->messages) {
      if (!message.key) continue;
      if (message.value) {
        table.insert_or_assign(std::string(*message.key), std::string(*message.value));
      } else if (const auto known = table.find(*message.key); known != table.end()) {
        table.erase(known);
      }
    }
    for (const auto& end : batch->ends) {
      const kafka::TopicPartition at{std::string(end.topic), end.partition};
      if (end.offset >= ends.at(at).end) open.erase(at);
    }
    std::erase_if(open, [&](const auto& at) { return reader->position(at).value_or(-1) >= ends.at(at).end; });
  }
  return table;
}

}  // namespace fencepost::runtime
