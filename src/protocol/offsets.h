#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "json/value.h"
#include "protocol/record.h"

/// The records of the offsets topics: how far each source partition has been read.
namespace fencepost::protocol {

struct Bytes {
  std::string value;

  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// What a source partition or offset may hold in a field. Bytes are written as Base64 and come back as text.
using OffsetValue = std::variant<std::monostate, bool, std::int64_t, float, double, std::string, Bytes>;

/// A source partition or a source offset: flat fields in the connector's order, which is part of a partition's identity (the
/// store compares bytes).
class OffsetMap {
 public:
  using Entry = std::pair<std::string, OffsetValue>;

  OffsetMap() = default;
  OffsetMap(std::initializer_list<Entry> entries);

  /// Replaces the value of a known field in place; appends a new one.
  void set(std::string_view field, OffsetValue value);
  /// Null pointer where the field is absent.
  [[nodiscard]] const OffsetValue* find(std::string_view field) const;

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  friend bool operator==(const OffsetMap&, const OffsetMap&) = default;

 private:
  std::vector<Entry> entries_;
};

/// From an object of a request or of the topic. Whole numbers become int64, others double.
/// InvalidConfig for anything but an object, for a nested value, and for a whole number beyond 64 bits; names the field.
[[nodiscard]] Result<OffsetMap> offset_map_of(const json::Value& value);
[[nodiscard]] json::Value to_json(const OffsetMap& map);

/// ["connector",{partition}], the bytes that identify a source partition.
[[nodiscard]] std::string offset_key(std::string_view connector, const OffsetMap& partition);
/// {offset}.
[[nodiscard]] std::string offset_value(const OffsetMap& offset);
/// No offset: a tombstone, which makes the connector begin anew.
[[nodiscard]] Record offset_record(std::string_view connector, const OffsetMap& partition,
                                   const std::optional<OffsetMap>& offset);

/// A key of an offsets topic. The partition is whatever object somebody wrote, nested ones included.
struct OffsetKey {
  std::string connector;
  json::Value partition;

  friend bool operator==(const OffsetKey&, const OffsetKey&) = default;
};
/// Corrupt for anything but ["connector",{...}].
[[nodiscard]] Result<OffsetKey> parse_offset_key(std::string_view key);

/// The newest offsets by the records of an offsets topic. A value.
class OffsetState {
 public:
  struct Entry {
    json::Value partition;
    std::string offset;  ///< the record's value, a flat JSON object
  };

  /// The next record of its Kafka partition. Malformed ones leave the state as it is; the answer is why (without the place in
  /// the topic), or empty.
  std::string read(std::optional<std::string_view> key, std::optional<std::string_view> value);

  /// The offset of a source partition; nothing where there is none.
  [[nodiscard]] std::optional<OffsetMap> offset(std::string_view connector, const OffsetMap& partition) const;
  /// A connector's source partitions by the bytes of their keys.
  [[nodiscard]] const std::map<std::string, Entry, std::less<>>& partitions(std::string_view connector) const;

 private:
  std::map<std::string, std::map<std::string, Entry, std::less<>>, std::less<>> connectors_;
};

}  // namespace fencepost::protocol
