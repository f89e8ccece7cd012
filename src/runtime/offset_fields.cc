#include "runtime/offset_fields.h"

#include <utility>

#include "json/parse.h"

namespace fencepost::runtime {
namespace {

Result<protocol::OffsetValue> to_offset_value(const std::string& name, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Null:
      return protocol::OffsetValue();
    case Value::Kind::Boolean:
      return protocol::OffsetValue(value.as_bool());
    case Value::Kind::Int8:
    case Value::Kind::Int16:
    case Value::Kind::Int32:
    case Value::Kind::Int64:
      return protocol::OffsetValue(value.as_integer());
    case Value::Kind::Float32:
      return protocol::OffsetValue(value.as_float32());
    case Value::Kind::Float64:
      return protocol::OffsetValue(value.as_float64());
    case Value::Kind::String:
      return protocol::OffsetValue(std::string(value.as_string()));
    case Value::Kind::Bytes:
      return protocol::OffsetValue(protocol::Bytes{std::string(value.as_bytes().view())});
    default:
      return failure(ErrorKind::InvalidConfig, "field '" + name + "' of a source partition or offset is of type " +
                                                   std::string(to_string(value.kind())) +
                                                   "; only null, booleans, numbers, strings and bytes can be stored");
  }
}

struct ToValue {
  Value operator()(std::monostate) const { return {}; }
  Value operator()(bool value) const { return {value}; }
  Value operator()(std::int64_t value) const { return {value}; }
  Value operator()(float value) const { return {value}; }
  Value operator()(double value) const { return {value}; }
  Value operator()(const std::string& value) const { return {value}; }
  Value operator()(const protocol::Bytes& value) const { return Value::bytes(std::string_view(value.value)); }
};

}  // namespace

Result<protocol::OffsetMap> to_offset_map(const FieldMap& fields) {
  protocol::OffsetMap map;
  for (const auto& [name, value] : fields) {
    FENCEPOST_TRY(auto converted, to_offset_value(name, value));
    map.set(name, std::move(converted));
  }
  return map;
}

FieldMap to_fields(const protocol::OffsetMap& map) {
  FieldMap fields;
  for (const auto& [name, value] : map) fields.set(name, std::visit(ToValue{}, value));
  return fields;
}

Result<std::string> offset_key_of(std::string_view connector, const FieldMap& partition) {
  FENCEPOST_TRY(const auto map, to_offset_map(partition));
  return protocol::offset_key(connector, map);
}

Result<std::string> offset_value_of(const SourceOffset& offset) {
  FENCEPOST_TRY(const auto map, to_offset_map(offset.fields()));
  return protocol::offset_value(map);
}

std::optional<FieldMap> parse_offset_value(std::string_view value) {
  const auto parsed = json::parse(value, json::kConverterOptions);
  if (!parsed) return std::nullopt;
  const auto map = protocol::offset_map_of(*parsed);
  if (!map) return std::nullopt;
  return to_fields(*map);
}

}  // namespace fencepost::runtime
