#include "builtin/transforms/record_part.h"

#include <string>

namespace fencepost::builtin {
namespace {

/// The Java class of such a value, which Connect's users know from its messages.
std::string_view java_class(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::Null:
      return "null";
    case Value::Kind::Boolean:
      return "java.lang.Boolean";
    case Value::Kind::Int8:
      return "java.lang.Byte";
    case Value::Kind::Int16:
      return "java.lang.Short";
    case Value::Kind::Int32:
      return "java.lang.Integer";
    case Value::Kind::Int64:
      return "java.lang.Long";
    case Value::Kind::Float32:
      return "java.lang.Float";
    case Value::Kind::Float64:
      return "java.lang.Double";
    case Value::Kind::String:
      return "java.lang.String";
    case Value::Kind::Bytes:
      return "[B";
    case Value::Kind::Array:
      return "java.util.ArrayList";
    case Value::Kind::Map:
      return "java.util.HashMap";
    case Value::Kind::Struct:
      return "org.apache.kafka.connect.data.Struct";
    case Value::Kind::Decimal:
      return "java.math.BigDecimal";
    case Value::Kind::Date:
      return "java.util.Date";
  }
  return {};
}

[[noreturn]] void refuse(std::string_view wanted, std::string_view purpose, std::string_view found) {
  throw DataError("Only " + std::string(wanted) + " for [" + std::string(purpose) + "], found: " + std::string(found));
}

}  // namespace

const Struct& require_struct(const Value& value, std::string_view purpose) {
  if (!value.is(Value::Kind::Struct)) refuse("Struct objects supported", purpose, java_class(value.kind()));
  return value.as_struct();
}

const ValueMap& require_map(const Value& value, std::string_view purpose) {
  if (!value.is(Value::Kind::Map)) refuse("Map objects supported in absence of schema", purpose, java_class(value.kind()));
  return value.as_map();
}

std::int64_t require_kafka_offset(const ConnectRecord& record, std::string_view purpose) {
  if (record.kafka_offset < 0) refuse("SinkRecord supported", purpose, "org.apache.kafka.connect.source.SourceRecord");
  return record.kafka_offset;
}

void put(ValueMap& map, std::string_view key, Value value) {
  for (auto& [known, old] : map) {
    if (known.is(Value::Kind::String) && known.as_string() == key) {
      old = std::move(value);
      return;
    }
  }
  map.emplace_back(Value(key), std::move(value));
}

}  // namespace fencepost::builtin
