#include <algorithm>
#include <charconv>
#include <limits>

#include "builtin/converters/json_schema.h"
#include "json/base64.h"
#include "json/number.h"

namespace fencepost::builtin {

namespace {

constexpr std::int64_t kDayMs = 86'400'000;

[[noreturn]] void wrong_kind(std::string_view type, const Value& value) {
  throw DataError("Invalid type for " + std::string(type) + ": a value of kind " + std::string(to_string(value.kind())));
}

std::int32_t scale_of(const Schema& schema) {
  const auto text = schema.parameters().find(logical::kDecimalScale);
  if (text == schema.parameters().end()) throw DataError("Invalid Decimal schema: scale parameter not found.");
  std::int32_t scale = 0;
  const char* end = text->second.data() + text->second.size();
  const auto [at, error] = std::from_chars(text->second.data(), end, scale);
  if (error != std::errc() || at != end)
    throw DataError("Invalid scale parameter found in Decimal schema: '" + text->second + "'");
  return scale;
}

// ---- Connect to JSON ----

void write_decimal(json::Writer& out, const Schema& schema, const Value& value, const JsonOptions& options) {
  if (!value.is(Value::Kind::Decimal)) wrong_kind("Decimal", value);
  const Decimal& decimal = value.as_decimal();
  if (options.numeric_decimals) {
    out.raw(decimal.to_string());
    return;
  }
  if (const std::int32_t scale = scale_of(schema); scale != decimal.scale()) {
    throw DataError("Decimal value has mismatching scale for given Decimal schema. Schema has scale " + std::to_string(scale) +
                    ", value has scale " + std::to_string(decimal.scale()) + ".");
  }
  out.bytes(decimal.unscaled().view());
}

std::int64_t logical_number(const Schema& schema, const Value& value) {
  if (!value.is(Value::Kind::Date)) wrong_kind(*schema.name(), value);
  const std::int64_t ms = value.as_date_ms();
  if (schema.is_logical(logical::kTimestamp)) return ms;
  if (schema.is_logical(logical::kDate)) {
    if (ms % kDayMs != 0) throw DataError("Kafka Connect Date type should not have any time fields set to non-zero values.");
    return ms / kDayMs;
  }
  if (ms < 0 || ms > kDayMs) throw DataError("Kafka Connect Time type should not have any date fields set to non-zero values.");
  return ms;
}

bool is_date_like(const Schema& schema) {
  return schema.is_logical(logical::kDate) || schema.is_logical(logical::kTime) || schema.is_logical(logical::kTimestamp);
}

void write_map(json::Writer& out, const Schema* schema, const Value& value, const JsonOptions& options) {
  if (!value.is(Value::Kind::Map)) wrong_kind("MAP", value);
  const ValueMap& map = value.as_map();
  const Schema* keys = schema == nullptr ? nullptr : schema->key_schema().get();
  const Schema* values = schema == nullptr ? nullptr : schema->value_schema().get();
  const bool as_object = keys != nullptr ? keys->type() == SchemaType::String
                                         : std::all_of(map.begin(), map.end(),
                                                       [](const auto& entry) { return entry.first.is(Value::Kind::String); });
  if (as_object) {
    out.begin_object();
    for (const auto& [key, item] : map) write_json_value(out.key(key.as_string()), values, item, options);
    out.end_object();
    return;
  }
  out.begin_array();
  for (const auto& [key, item] : map) {
    out.begin_array();
    write_json_value(out, keys, key, options);
    write_json_value(out, values, item, options);
    out.end_array();
  }
  out.end_array();
}

void write_struct(json::Writer& out, const Schema* schema, const Value& value, const JsonOptions& options) {
  if (!value.is(Value::Kind::Struct)) wrong_kind("STRUCT", value);
  const Struct& fields = value.as_struct();
  if (schema == nullptr || (fields.schema().get() != schema && !(*fields.schema() == *schema)))
    throw DataError("Mismatching schema.");
  out.begin_object();
  for (const Field& field : schema->fields()) {
    const Value& item = options.replace_null_with_default ? fields.get(field.index) : fields.get_without_default(field.index);
    write_json_value(out.key(field.name), field.schema.get(), item, options);
  }
  out.end_object();
}

SchemaType inferred_type(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::Boolean:
      return SchemaType::Boolean;
    case Value::Kind::Int8:
      return SchemaType::Int8;
    case Value::Kind::Int16:
      return SchemaType::Int16;
    case Value::Kind::Int32:
      return SchemaType::Int32;
    case Value::Kind::Int64:
      return SchemaType::Int64;
    case Value::Kind::Float32:
      return SchemaType::Float32;
    case Value::Kind::Float64:
      return SchemaType::Float64;
    case Value::Kind::String:
      return SchemaType::String;
    case Value::Kind::Bytes:
      return SchemaType::Bytes;
    case Value::Kind::Array:
      return SchemaType::Array;
    case Value::Kind::Map:
      return SchemaType::Map;
    case Value::Kind::Struct:
      return SchemaType::Struct;
    default:
      throw DataError("A value of kind " + std::string(to_string(value.kind())) + " needs a schema.");
  }
}

// ---- JSON to Connect ----

std::string_view json_kind(const json::Value& value) {
  return value.is_null()     ? "NULL"
         : value.is_bool()   ? "BOOLEAN"
         : value.is_number() ? "NUMBER"
         : value.is_string() ? "STRING"
         : value.is_array()  ? "ARRAY"
                             : "OBJECT";
}

/// The lowest 64 bits of a number's whole part, as Java's longValue() of BigInteger and BigDecimal.
std::int64_t low_bits(const json::Value& number) {
  if (const auto exact = number.as_int64()) return *exact;
  const Decimal decimal = Decimal::parse(number.as_number()->spelling);
  // Ten to the 64th has no bit below the 64th.
  if (decimal.scale() <= -64) return 0;
  std::string digits = decimal.unscaled_digits();
  if (decimal.scale() <= 0) {
    digits.append(static_cast<std::size_t>(-decimal.scale()), '0');
  } else {
    const std::size_t sign = digits[0] == '-' ? 1 : 0;
    const auto places = static_cast<std::size_t>(decimal.scale());
    if (digits.size() - sign <= places) return 0;
    digits.resize(digits.size() - places);
  }
  const Decimal whole = Decimal::from_digits(digits, 0);
  const std::string_view bytes = whole.unscaled().view();
  std::uint64_t bits = (static_cast<unsigned char>(bytes.front()) & 0x80) != 0 ? ~std::uint64_t{0} : 0;
  for (const char c : bytes) bits = bits << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(bits);
}

std::int64_t integer_or_zero(const json::Value& json) { return json.is_number() ? low_bits(json) : 0; }

Value read_bytes(const json::Value& json) {
  if (!json.is_string()) return {};
  auto bytes = json::base64_decode(*json.as_string());
  if (!bytes) throw DataError("Invalid bytes field");
  return Value::bytes(*bytes);
}

Value read_decimal(const Schema& schema, const json::Value& json) {
  if (json.is_number()) return Decimal::parse(json.as_number()->spelling);
  if (!json.is_string()) {
    throw DataError("Invalid type for Decimal, underlying representation should be numeric or bytes but was " +
                    std::string(json_kind(json)));
  }
  const auto bytes = json::base64_decode(*json.as_string());
  if (!bytes) throw DataError("Invalid bytes for Decimal field");
  return Decimal(Bytes(*bytes), scale_of(schema));
}

Value read_date_like(const Schema& schema, const json::Value& json) {
  const bool is_timestamp = schema.is_logical(logical::kTimestamp);
  const auto number = json.as_int64();
  const bool fits = number && (is_timestamp || (*number >= std::numeric_limits<std::int32_t>::min() &&
                                                *number <= std::numeric_limits<std::int32_t>::max()));
  if (!fits) {
    const std::string& name = *schema.name();
    throw DataError("Invalid type for " + name.substr(name.rfind('.') + 1) +
                    ", underlying representation should be integer but was " + std::string(json_kind(json)));
  }
  if (is_timestamp) return Value::date_ms(*number);
  if (schema.is_logical(logical::kDate)) return Value::date_ms(*number * kDayMs);
  if (*number < 0 || *number > kDayMs)
    throw DataError("Time values must use number of milliseconds greater than 0 and less than 86400000");
  return Value::date_ms(*number);
}

Value read_array(const SchemaPtr& items, const json::Value& json, const JsonOptions& options) {
  ValueList list;
  if (const auto* array = json.as_array()) {
    list.reserve(array->size());
    for (const json::Value& item : *array) list.push_back(read_json_value(items, &item, options));
  } else if (const auto* object = json.as_object()) {
    // Jackson walks over the values of an object too.
    for (const json::Member& member : *object) list.push_back(read_json_value(items, &member.value, options));
  }
  return list;
}

Value read_map(const SchemaPtr& schema, const json::Value& json, const JsonOptions& options) {
  const SchemaPtr keys = schema == nullptr ? nullptr : schema->key_schema();
  const SchemaPtr values = schema == nullptr ? nullptr : schema->value_schema();
  ValueMap map;
  if (keys == nullptr || keys->type() == SchemaType::String) {
    const auto* object = json.as_object();
    if (object == nullptr) {
      throw DataError("Maps with string fields should be encoded as JSON objects, but found " + std::string(json_kind(json)));
    }
    map.reserve(object->size());
    for (const json::Member& member : *object) map.emplace_back(member.name, read_json_value(values, &member.value, options));
    return map;
  }
  const auto* entries = json.as_array();
  if (entries == nullptr) {
    throw DataError("Maps with non-string fields should be encoded as JSON array of tuples, but found " +
                    std::string(json_kind(json)));
  }
  map.reserve(entries->size());
  for (const json::Value& entry : *entries) {
    const auto* pair = entry.as_array();
    if (pair == nullptr) throw DataError("Found invalid map entry instead of array tuple: " + std::string(json_kind(entry)));
    if (pair->size() != 2)
      throw DataError("Found invalid map entry, expected length 2 but found :" + std::to_string(pair->size()));
    map.emplace_back(read_json_value(keys, &(*pair)[0], options), read_json_value(values, &(*pair)[1], options));
  }
  return map;
}

Value read_struct(const SchemaPtr& schema, const json::Value& json, const JsonOptions& options) {
  if (!json.is_object()) throw DataError("Structs should be encoded as JSON objects, but found " + std::string(json_kind(json)));
  Struct fields(schema);
  for (const Field& field : schema->fields()) {
    fields.put(field.index, read_json_value(field.schema, json.find(field.name), options));
  }
  return fields;
}

Value infer(const json::Value& json, const JsonOptions& options) {
  if (json.is_null()) return {};
  if (const bool* truth = json.as_bool()) return *truth;
  if (const std::string* text = json.as_string()) return *text;
  if (const json::Number* number = json.as_number()) {
    return json::is_integer(*number) ? Value(low_bits(json)) : Value(json::parse_double(number->spelling));
  }
  return json.is_array() ? read_array(nullptr, json, options) : read_map(nullptr, json, options);
}

}  // namespace

void write_json_value(json::Writer& out, const Schema* schema, const Value& value, const JsonOptions& options) {
  if (value.is_null()) {
    if (schema == nullptr) {
      out.null();
    } else if (!schema->default_value().is_null() && options.replace_null_with_default) {
      write_json_value(out, schema, schema->default_value(), options);
    } else if (schema->is_optional()) {
      out.null();
    } else {
      throw DataError("Conversion error: null value for field that is required and has no default value");
    }
    return;
  }
  if (schema != nullptr && schema->name()) {
    if (schema->is_logical(logical::kDecimal)) return write_decimal(out, *schema, value, options);
    if (is_date_like(*schema)) {
      out.integer(logical_number(*schema, value));
      return;
    }
  }
  const SchemaType type = schema == nullptr ? inferred_type(value) : schema->type();
  const auto want = [&](Value::Kind kind) {
    if (!value.is(kind)) wrong_kind(to_string(type), value);
  };
  switch (type) {
    case SchemaType::Int8:
      want(Value::Kind::Int8);
      out.integer(value.as_integer());
      break;
    case SchemaType::Int16:
      want(Value::Kind::Int16);
      out.integer(value.as_integer());
      break;
    case SchemaType::Int32:
      want(Value::Kind::Int32);
      out.integer(value.as_integer());
      break;
    case SchemaType::Int64:
      want(Value::Kind::Int64);
      out.integer(value.as_integer());
      break;
    case SchemaType::Float32:
      want(Value::Kind::Float32);
      out.number(value.as_float32());
      break;
    case SchemaType::Float64:
      want(Value::Kind::Float64);
      out.number(value.as_float64());
      break;
    case SchemaType::Boolean:
      want(Value::Kind::Boolean);
      out.boolean(value.as_bool());
      break;
    case SchemaType::String:
      want(Value::Kind::String);
      out.string(value.as_string());
      break;
    case SchemaType::Bytes:
      want(Value::Kind::Bytes);
      out.bytes(value.as_bytes().view());
      break;
    case SchemaType::Array:
      want(Value::Kind::Array);
      out.begin_array();
      for (const Value& item : value.as_array()) {
        write_json_value(out, schema == nullptr ? nullptr : schema->value_schema().get(), item, options);
      }
      out.end_array();
      break;
    case SchemaType::Map:
      write_map(out, schema, value, options);
      break;
    case SchemaType::Struct:
      write_struct(out, schema, value, options);
      break;
  }
}

Value read_json_value(const SchemaPtr& schema, const json::Value* json, const JsonOptions& options) {
  if (schema == nullptr) return json == nullptr ? Value() : infer(*json, options);
  if (json == nullptr || json->is_null()) {
    if (!schema->default_value().is_null() && options.replace_null_with_default) return schema->default_value();
    if (schema->is_optional()) return {};
    throw DataError("Invalid null value for required " + std::string(to_string(schema->type())) + " field");
  }
  if (schema->name()) {
    if (schema->is_logical(logical::kDecimal)) return read_decimal(*schema, *json);
    if (is_date_like(*schema)) return read_date_like(*schema, *json);
  }
  switch (schema->type()) {
    case SchemaType::Int8:
      return static_cast<std::int8_t>(integer_or_zero(*json));
    case SchemaType::Int16:
      return static_cast<std::int16_t>(integer_or_zero(*json));
    case SchemaType::Int32:
      return static_cast<std::int32_t>(integer_or_zero(*json));
    case SchemaType::Int64:
      return integer_or_zero(*json);
    case SchemaType::Float32:
      return static_cast<float>(json->as_double().value_or(0));
    case SchemaType::Float64:
      return json->as_double().value_or(0);
    case SchemaType::Boolean:
      return json->is_bool() && *json->as_bool();
    case SchemaType::String:
      return json->is_string() ? Value(*json->as_string()) : Value();
    case SchemaType::Bytes:
      return read_bytes(*json);
    case SchemaType::Array:
      return read_array(schema->value_schema(), *json, options);
    case SchemaType::Map:
      return read_map(schema, *json, options);
    case SchemaType::Struct:
      return read_struct(schema, *json, options);
  }
  return {};
}

}  // namespace fencepost::builtin
