#include "fencepost/data.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "fencepost/schema.h"

namespace fencepost {

namespace {

std::shared_ptr<const void> copy_of(std::string_view bytes) {
  if (bytes.empty()) return nullptr;
  auto buffer = std::make_shared_for_overwrite<char[]>(bytes.size());
  std::memcpy(buffer.get(), bytes.data(), bytes.size());
  return buffer;
}

/// Bits by which floating numbers are compared: all NaN alike, 0.0 and -0.0 apart, as in Java's equals().
std::uint64_t comparable_bits(double number) {
  return std::isnan(number) ? std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN())
                            : std::bit_cast<std::uint64_t>(number);
}

bool same_entries(const ValueMap& a, const ValueMap& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& entry) {
           return std::any_of(b.begin(), b.end(), [&](const auto& other) { return other == entry; });
         });
}

std::string display_number(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return {text, end};
}

}  // namespace

Bytes::Bytes(std::string_view copied) : owner_(copy_of(copied)), view_(static_cast<const char*>(owner_.get()), copied.size()) {}

const std::string& SharedString::str() const {
  static const std::string empty;
  return text_ == nullptr ? empty : *text_;
}

Value::Value(ValueList items) : owner_(std::make_shared<const ValueList>(std::move(items))), kind_(Kind::Array) {}
Value::Value(ValueMap entries) : owner_(std::make_shared<const ValueMap>(std::move(entries))), kind_(Kind::Map) {}
Value::Value(Struct fields) : owner_(std::make_shared<const Struct>(std::move(fields))), kind_(Kind::Struct) {}
Value::Value(Decimal number) : owner_(std::make_shared<const Decimal>(std::move(number))), kind_(Kind::Decimal) {}

Value Value::date_ms(std::int64_t milliseconds) {
  Value value(milliseconds);
  value.kind_ = Kind::Date;
  return value;
}

void Value::throw_too_large(std::size_t size) {
  throw DataError("a value of " + std::to_string(size) + " bytes is too large; a value holds at most 4 GiB");
}

void Value::throw_wrong_kind(Kind wanted) const {
  throw DataError("the value is of kind " + std::string(to_string(kind_)) + ", not " + std::string(to_string(wanted)));
}

std::int64_t Value::as_integer() const {
  if (!is_integer()) throw DataError("the value is of kind " + std::string(to_string(kind_)) + ", not an integer");
  return payload_.integer;
}

std::size_t Value::size_estimate() const {
  switch (kind_) {
    case Kind::String:
    case Kind::Bytes:
      return sizeof(Value) + size_;
    case Kind::Array: {
      std::size_t sum = sizeof(Value);
      for (const Value& item : as_array()) sum += item.size_estimate();
      return sum;
    }
    case Kind::Map: {
      std::size_t sum = sizeof(Value);
      for (const auto& [key, value] : as_map()) sum += key.size_estimate() + value.size_estimate();
      return sum;
    }
    case Kind::Struct: {
      const Struct& fields = as_struct();
      std::size_t sum = sizeof(Value);
      for (std::size_t i = 0; i < fields.schema()->fields().size(); ++i) sum += fields.get_without_default(i).size_estimate();
      return sum;
    }
    case Kind::Decimal:
      return sizeof(Value) + sizeof(Decimal) + as_decimal().unscaled().size();
    default:
      return sizeof(Value);
  }
}

std::string Value::to_display() const {
  switch (kind_) {
    case Kind::Null:
      return "null";
    case Kind::Boolean:
      return payload_.integer != 0 ? "true" : "false";
    case Kind::Int8:
    case Kind::Int16:
    case Kind::Int32:
    case Kind::Int64:
    case Kind::Date:
      return std::to_string(payload_.integer);
    case Kind::Float32:
    case Kind::Float64:
      return display_number(payload_.floating);
    case Kind::String:
      return std::string(as_string());
    case Kind::Bytes:
      return std::to_string(size_) + " bytes";
    case Kind::Array: {
      std::string text = "[";
      for (const Value& item : as_array()) text.append(text.size() > 1 ? ", " : "").append(item.to_display());
      return text + "]";
    }
    case Kind::Map: {
      std::string text = "{";
      for (const auto& [key, value] : as_map()) {
        text.append(text.size() > 1 ? ", " : "").append(key.to_display()).append("=").append(value.to_display());
      }
      return text + "}";
    }
    case Kind::Struct: {
      const Struct& fields = as_struct();
      std::string text = "Struct{";
      for (const Field& field : fields.schema()->fields()) {
        const Value& value = fields.get_without_default(field.index);
        if (!value.is_null())
          text.append(text.back() == '{' ? "" : ",").append(field.name).append("=").append(value.to_display());
      }
      return text + "}";
    }
    case Kind::Decimal:
      return as_decimal().to_string();
  }
  return {};
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Value::Kind::Null:
      return true;
    case Value::Kind::Float32:
    case Value::Kind::Float64:
      return comparable_bits(a.payload_.floating) == comparable_bits(b.payload_.floating);
    case Value::Kind::String:
    case Value::Kind::Bytes:
      return std::string_view(a.payload_.data, a.size_) == std::string_view(b.payload_.data, b.size_);
    case Value::Kind::Array:
      return a.owner_ == b.owner_ || a.as_array() == b.as_array();
    case Value::Kind::Map:
      return a.owner_ == b.owner_ || same_entries(a.as_map(), b.as_map());
    case Value::Kind::Struct:
      return a.owner_ == b.owner_ || a.as_struct() == b.as_struct();
    case Value::Kind::Decimal:
      return a.as_decimal() == b.as_decimal();
    default:
      return a.payload_.integer == b.payload_.integer;
  }
}

std::string_view to_string(Value::Kind kind) {
  static constexpr std::string_view kNames[] = {"null",   "boolean", "int8",  "int16", "int32",  "int64",   "float32", "float64",
                                                "string", "bytes",   "array", "map",   "struct", "decimal", "date"};
  return kNames[static_cast<std::size_t>(kind)];
}

Struct::Struct(SchemaPtr schema) : schema_(std::move(schema)) {
  if (schema_ == nullptr || schema_->type() != SchemaType::Struct) {
    throw DataError("a struct needs a struct schema, not " + std::string(schema_ ? to_string(schema_->type()) : "none"));
  }
  values_.resize(schema_->fields().size());
}

namespace {
const Field& field_of(const Schema& schema, std::string_view name) {
  const Field* field = schema.field(name);
  if (field == nullptr) throw DataError(std::string(name) + " is not a valid field name");
  return *field;
}
}  // namespace

Struct& Struct::put(std::string_view field, Value value) { return put(field_of(*schema_, field).index, std::move(value)); }

Struct& Struct::put(std::size_t index, Value value) {
  const Field& field = schema_->fields().at(index);
  const bool defaulted = value.is_null() && !field.schema->default_value().is_null();
  if (!defaulted) validate_value(field.schema.get(), value, field.name);
  values_[index] = std::move(value);
  return *this;
}

const Value& Struct::get(std::string_view field) const { return get(field_of(*schema_, field).index); }

const Value& Struct::get(std::size_t index) const {
  const Value& value = values_.at(index);
  return value.is_null() ? schema_->fields()[index].schema->default_value() : value;
}

const Value& Struct::get_without_default(std::string_view field) const { return values_[field_of(*schema_, field).index]; }

void Struct::validate() const {
  for (const Field& field : schema_->fields()) {
    const Value& value = values_[field.index];
    if (!value.is_null() || field.schema->default_value().is_null()) validate_value(field.schema.get(), value, field.name);
  }
}

bool operator==(const Struct& a, const Struct& b) { return same_schema(a.schema_, b.schema_) && a.values_ == b.values_; }

FieldMap::FieldMap(std::initializer_list<Entry> entries) {
  for (const auto& [name, value] : entries) set(name, value);
}

FieldMap& FieldMap::set(std::string_view name, Value value) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == name; });
  if (at != entries_.end()) {
    at->second = std::move(value);
  } else {
    entries_.emplace_back(std::string(name), std::move(value));
  }
  return *this;
}

const Value* FieldMap::find(std::string_view name) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == name; });
  return at == entries_.end() ? nullptr : &at->second;
}

bool operator==(const FieldMap& a, const FieldMap& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const FieldMap::Entry& e) {
           const Value* other = b.find(e.first);
           return other != nullptr && *other == e.second;
         });
}

}  // namespace fencepost
