#include "runtime/offsets_writer.h"

#include <utility>

#include "base/ids.h"
#include "herder/requests.h"
#include "kafka/client_settings.h"
#include "runtime/settings.h"

namespace fencepost::runtime {
namespace {

/// How long a call that writes offsets may wait for the broker.
constexpr Duration kOffsetsWrite{30'000};

Result<void> produce_all(ProducerPort& producer, const std::string& topic, const std::vector<OffsetRecord>& records) {
  for (const auto& [key, value] : records) {
    FENCEPOST_CHECK(producer.produce(
        {.topic = topic, .key = key, .value = value ? std::optional<std::string_view>(*value) : std::nullopt, .tag = 1}));
  }
  return {};
}

Result<void> to_result(const TransactionOutcome& outcome) {
  if (outcome) return {};
  return Failure(outcome.error().error);
}

Result<void> commit_all(ProducerPort& producer, const std::string& topic, const std::vector<OffsetRecord>& records) {
  FENCEPOST_CHECK(to_result(producer.begin()));
  auto written = produce_all(producer, topic, records);
  if (written) written = to_result(producer.commit(kOffsetsWrite));
  if (!written) (void)producer.abort(kOffsetsWrite);
  return written;
}

}  // namespace

Result<void> OffsetsWriter::prepare() {
  transactional_ = lower(options_.worker.get_or("exactly.once.source.support", "disabled")) == "enabled";
  if (!transactional_ && !place_.own_topic) return {};
  const auto delivery = transactional_ ? kafka::Delivery::ExactlyOnce : kafka::Delivery::AtLeastOnce;
  Properties settings =
      kafka::task_client_properties(kafka::ClientKind::Producer, options_.worker, kafka::source_producer_defaults(delivery),
                                    config_.with_prefix("producer.override."));
  if (transactional_) settings.set("transactional.id", options_.group_id + "-" + TaskId{connector_, 0}.to_string());
  FENCEPOST_TRY(producer_, ports_.clients->producer(settings, transactional_, log_, [this](const Delivery& d) {
    if (d.error && !not_delivered_) not_delivered_ = d.error;
  }));
  if (!transactional_) return {};
  return to_result(producer_->init_transactions(kOffsetsWrite));
}

// Tombstones go to the global topic first: else a reset of the own topic could be undone by the fallback. Values go to the own
// topic first, which alone counts.
Result<void> OffsetsWriter::write(std::vector<OffsetRecord> records) {
  if (!place_.own_topic) {
    if (!producer_) return write_and_wait(*ports_.offsets, std::move(records));
    return write_apart(ports_.offsets->topic(), records);
  }
  std::vector<OffsetRecord> tombstones;
  std::vector<OffsetRecord> values;
  for (const OffsetRecord& record : records) (record.second ? values : tombstones).push_back(record);
  if (!tombstones.empty()) FENCEPOST_CHECK(write_and_wait(*ports_.offsets, std::move(tombstones)));
  FENCEPOST_CHECK(write_apart(*place_.own_topic, records));
  if (values.empty()) return {};
  if (const auto copied = write_and_wait(*ports_.offsets, std::move(values)); !copied) log_.warn(copied.error().message());
  return {};
}

Result<void> OffsetsWriter::write_apart(const std::string& topic, const std::vector<OffsetRecord>& records) {
  // Closed before anybody reads what was written.
  const auto producer = std::exchange(producer_, nullptr);
  auto written = transactional_ ? commit_all(*producer, topic, records) : produce_all(*producer, topic, records);
  if (written && !transactional_) written = producer->flush(kOffsetsWrite);
  if (not_delivered_ && (!written || !transactional_)) written = Failure(*not_delivered_);
  if (written || written.error().kind() != ErrorKind::Fenced) return written;
  return failure(ErrorKind::Conflict, std::string(herder::kConflictingOperation) + ": tasks of connector " + connector_ +
                                          " or a newer change of its offsets took its transactional id meanwhile (" +
                                          written.error().message() + "). Its offsets are as they left them.");
}

}  // namespace fencepost::runtime
