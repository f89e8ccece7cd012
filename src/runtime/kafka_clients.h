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
  [[nodiscard]] Result<std::vector<std::string>> topic_names(const Properties& client) override;
  [[nodiscard]] Result<void> create_topic(const Properties& admin, const TopicToCreate& topic) override;
  [[nodiscard]] Result<OffsetTable> read_offsets_topic(const Properties& consumer, const std::string& topic) override;
  [[nodiscard]] Result<std::unique_ptr<ConsumerPort>> group_consumer(const Properties& settings, const Log& log,
                                                                     ConsumerListener listener,
                                                                     std::function<void()> records_waiting) override;
  [[nodiscard]] Result<PlaceOffsets> group_offsets(const Properties& admin, const std::string& group) override;
  [[nodiscard]] Result<void> change_group_offsets(const Properties& admin, const std::string& group,
                                                  const std::map<Place, std::optional<std::int64_t>>& changes) override;
  [[nodiscard]] Result<void> delete_group(const Properties& admin, const std::string& group) override;

 private:
  Log log_;
};

}  // namespace fencepost::runtime
