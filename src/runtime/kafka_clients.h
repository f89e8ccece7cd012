#pragma once

#include "runtime/ports.h"

namespace fencepost::runtime {

/// The clients of tasks over librdkafka.
class KafkaClients final : public ClientsPort {
 public:
  explicit KafkaClients(Log log) : log_(std::move(log)) {}

  [[nodiscard]] Result<std::unique_ptr<ProducerPort>> producer(const Properties& settings, bool transactional, const Log& log,
                                                               std::function<void(const Delivery&)> delivered) override;
  [[nodiscard]] Result<std::optional<std::int32_t>> topic_partitions(const Properties& admin, const std::string& topic) override;
  [[nodiscard]] Result<void> create_topic(const Properties& admin, const TopicToCreate& topic) override;
  [[nodiscard]] Result<OffsetTable> read_offsets_topic(const Properties& consumer, const std::string& topic) override;

 private:
  Log log_;
};

}  // namespace fencepost::runtime
