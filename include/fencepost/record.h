#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fencepost/data.h"
#include "fencepost/schema.h"

namespace fencepost {

struct Header {
  SharedString key;
  SchemaPtr schema;
  Value value;

  friend bool operator==(const Header& a, const Header& b) {
    return a.key == b.key && same_schema(a.schema, b.schema) && a.value == b.value;
  }
};

/// Headers in their order; a key may stand there more than once. No memory is taken while there are none.
class Headers {
 public:
  Headers() = default;

  Headers& add(SharedString key, SchemaPtr schema, Value value);
  Headers& add(SharedString key, std::string_view text) { return add(std::move(key), Schema::string(), Value(text)); }
  /// Removes all headers of a key; the number removed.
  std::size_t remove(std::string_view key);
  void clear() { headers_.clear(); }
  void reserve(std::size_t count) { headers_.reserve(count); }

  /// The last one of that key, as consumers of a duplicated header expect; null pointer where there is none.
  [[nodiscard]] const Header* last(std::string_view key) const;
  [[nodiscard]] auto begin() const { return headers_.begin(); }
  [[nodiscard]] auto end() const { return headers_.end(); }
  [[nodiscard]] auto begin() { return headers_.begin(); }
  [[nodiscard]] auto end() { return headers_.end(); }
  [[nodiscard]] std::size_t size() const { return headers_.size(); }
  [[nodiscard]] bool empty() const { return headers_.empty(); }

  friend bool operator==(const Headers&, const Headers&) = default;

 private:
  std::vector<Header> headers_;
};

/// Which part of the source a record came from: a file, a table, a topic's partition. A handle that a task makes once a part
/// and copies into each of its records; the runtime tells parts apart quickly by identity().
/// Fields are flat: null, booleans, numbers, strings, bytes; the order given is the order written.
class SourcePartition {
 public:
  /// The partition of a record that has none: such a record moves no offset.
  SourcePartition() = default;
  explicit SourcePartition(FieldMap fields) : fields_(std::make_shared<const FieldMap>(std::move(fields))) {}

  [[nodiscard]] bool has_value() const { return fields_ != nullptr; }
  [[nodiscard]] const FieldMap& fields() const;
  /// Equal for copies of one handle. Two handles with equal fields are == but may have different identities.
  [[nodiscard]] const void* identity() const { return fields_.get(); }

  friend bool operator==(const SourcePartition& a, const SourcePartition& b) {
    return a.fields_ == b.fields_ || (a.has_value() && b.has_value() && *a.fields_ == *b.fields_);
  }

 private:
  std::shared_ptr<const FieldMap> fields_;
};

/// How far its part of the source has been read once a record is in Kafka: what the task finds again after a restart.
/// The usual case, one field with a whole number, takes no memory:
///   const SharedString field("offset");              // once
///   record.offset = SourceOffset(field, position);   // for each record
class SourceOffset {
 public:
  /// No offset: the record moves none.
  SourceOffset() = default;
  SourceOffset(SharedString field, std::int64_t number) : content_(Single{std::move(field), number}) {}
  explicit SourceOffset(FieldMap fields) : content_(std::make_shared<const FieldMap>(std::move(fields))) {}

  [[nodiscard]] bool has_value() const { return !std::holds_alternative<std::monostate>(content_); }
  /// The one field with a number; null pointer where the offset is of another form.
  struct Single {
    SharedString field;
    std::int64_t number = 0;
  };
  [[nodiscard]] const Single* single() const { return std::get_if<Single>(&content_); }
  /// All fields, in whichever form they are kept. A single number comes out as int64.
  [[nodiscard]] FieldMap fields() const;

  friend bool operator==(const SourceOffset& a, const SourceOffset& b);

 private:
  std::variant<std::monostate, Single, std::shared_ptr<const FieldMap>> content_;
};

/// What source and sink records have in common, and what transforms work on.
struct ConnectRecord {
  SharedString topic;
  /// The Kafka partition; for a source record empty means that the producer chooses by the key.
  std::optional<std::int32_t> kafka_partition{};
  SchemaPtr key_schema{};
  Value key{};
  SchemaPtr value_schema{};
  Value value{};
  /// Milliseconds since the epoch; for a source record empty means the time of production.
  std::optional<std::int64_t> timestamp_ms{};
  Headers headers{};
  /// Where a sink record lies in its partition; -1 for a source record, which lies nowhere yet.
  std::int64_t kafka_offset = -1;

  /// About how many bytes the record holds in memory: what batches and queues are bounded by.
  [[nodiscard]] std::size_t size_estimate() const;
};

/// What a source task hands to the runtime.
///
/// Cost: at hundreds of thousands of records a second the handles (partition, topic, offset field, schemas) should be made once
/// and copied, payloads shared as Bytes. Then a record takes no memory of its own.
struct SourceRecord : ConnectRecord {
  SourcePartition partition{};
  SourceOffset offset{};
};

enum class TimestampType : std::uint8_t { None, CreateTime, LogAppendTime };

/// Where a record lies in Kafka.
struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;

  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

/// What a sink task is given. Topic and kafka_partition may have been changed by transforms; the original place is what
/// offsets are committed for (KIP-793).
struct SinkRecord : ConnectRecord {
  TimestampType timestamp_type = TimestampType::None;
  SharedString original_topic{};
  std::int32_t original_partition = -1;
  std::int64_t original_offset = -1;
};

/// Where a source record was written.
struct RecordMetadata {
  SharedString topic{};
  std::int32_t partition = -1;
  std::int64_t offset = -1;
  std::int64_t timestamp_ms = -1;
};

}  // namespace fencepost

template <>
struct std::hash<fencepost::TopicPartition> {
  std::size_t operator()(const fencepost::TopicPartition& place) const noexcept {
    return std::hash<std::string>{}(place.topic) * 31 + static_cast<std::size_t>(place.partition);
  }
};
