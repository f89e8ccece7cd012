#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "fencepost/record.h"

namespace fencepost::builtin {

/// Most transformations come twice, as X$Key and X$Value: one class that is told which part of a record it works on.
enum class RecordPart : std::uint8_t { Key, Value };

[[nodiscard]] inline const SchemaPtr& schema_of(const ConnectRecord& record, RecordPart part) {
  return part == RecordPart::Key ? record.key_schema : record.value_schema;
}

[[nodiscard]] inline const Value& value_of(const ConnectRecord& record, RecordPart part) {
  return part == RecordPart::Key ? record.key : record.value;
}

inline void set_part(ConnectRecord& record, RecordPart part, SchemaPtr schema, Value value) {
  (part == RecordPart::Key ? record.key_schema : record.value_schema) = std::move(schema);
  (part == RecordPart::Key ? record.key : record.value) = std::move(value);
}

/// The fields of a struct, or the entries of a map without a schema. DataError says what was found instead, and for which
/// `purpose` ("field insertion") it was wanted.
[[nodiscard]] const Struct& require_struct(const Value& value, std::string_view purpose);
[[nodiscard]] const ValueMap& require_map(const Value& value, std::string_view purpose);
/// The offset of a sink record; DataError for a source record, which has none.
[[nodiscard]] std::int64_t require_kafka_offset(const ConnectRecord& record, std::string_view purpose);

/// Replaces an entry of a map with text keys, or appends it.
void put(ValueMap& map, std::string_view key, Value value);

}  // namespace fencepost::builtin
