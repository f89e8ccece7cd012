#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

struct rd_kafka_message_s;

namespace fencepost::kafka {

struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;
  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
  [[nodiscard]] std::string to_string() const { return topic + "-" + std::to_string(partition); }
};

/// Where to begin or what to commit; besides real offsets the three words below.
struct PartitionOffset {
  TopicPartition at;
  std::int64_t offset = 0;
  friend auto operator<=>(const PartitionOffset&, const PartitionOffset&) = default;
};
inline constexpr std::int64_t kOffsetBeginning = -2;
inline constexpr std::int64_t kOffsetEnd = -1;
inline constexpr std::int64_t kOffsetStored = -1000;  ///< the group's committed offset, else auto.offset.reset
inline constexpr std::int64_t kOffsetUnknown = -1001;

struct HeaderView {
  std::string_view key;
  std::optional<std::string_view> value{};
};

/// One record as it lies in its batch: all views end with the batch.
struct Message {
  std::string_view topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = -1;
  bool log_append_time = false;
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
  rd_kafka_message_s* native = nullptr;

  /// Parsed at each call; not from two threads at once.
  [[nodiscard]] std::vector<HeaderView> headers() const;
};

/// A partition has been read to its present end: `offset` is the offset that its next record will have.
struct PartitionEnd {
  std::string_view topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
};

struct PartitionError {
  TopicPartition at;
  Error error;
};

/// What one poll brought. Owns the bytes that its messages show: keep the pointer as long as any view of them. It may outlive its
/// consumer; the client behind that one, with its threads, then ends with the last batch.
class Batch {
 public:
  Batch() = default;
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  std::vector<Message> messages;
  std::vector<PartitionEnd> ends;
  std::vector<PartitionError> errors;
  std::size_t bytes = 0;  ///< keys and values

  [[nodiscard]] bool empty() const { return messages.empty() && ends.empty() && errors.empty(); }

 private:
  friend class Consumer;
  friend class MessageQueue;
  // librdkafka's client waits at its end until every message of it is gone, so it must not end before them.
  std::shared_ptr<const void> client_;
  std::vector<rd_kafka_message_s*> owned_;
};
using BatchPtr = std::shared_ptr<const Batch>;

}  // namespace fencepost::kafka
