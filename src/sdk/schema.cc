#include "fencepost/schema.h"

#include <algorithm>

namespace fencepost {

std::string_view to_string(SchemaType type) {
  static constexpr std::string_view kNames[] = {"INT8",    "INT16",  "INT32", "INT64", "FLOAT32", "FLOAT64",
                                                "BOOLEAN", "STRING", "BYTES", "ARRAY", "MAP",     "STRUCT"};
  return kNames[static_cast<std::size_t>(type)];
}

bool operator==(const Field& a, const Field& b) {
  return a.name == b.name && a.index == b.index && same_schema(a.schema, b.schema);
}

bool same_schema(const SchemaPtr& a, const SchemaPtr& b) { return a == b || (a != nullptr && b != nullptr && *a == *b); }

bool operator==(const Schema& a, const Schema& b) {
  return a.type_ == b.type_ && a.optional_ == b.optional_ && a.name_ == b.name_ && a.version_ == b.version_ && a.doc_ == b.doc_ &&
         a.parameters_ == b.parameters_ && a.default_ == b.default_ && same_schema(a.key_schema_, b.key_schema_) &&
         same_schema(a.value_schema_, b.value_schema_) && a.fields_ == b.fields_;
}

namespace {
[[noreturn]] void wrong_type(const char* what, SchemaType type) {
  throw DataError("a schema of type " + std::string(to_string(type)) + " has no " + what);
}
}  // namespace

const SchemaPtr& Schema::key_schema() const {
  if (type_ != SchemaType::Map) wrong_type("key schema", type_);
  return key_schema_;
}

const SchemaPtr& Schema::value_schema() const {
  if (type_ != SchemaType::Map && type_ != SchemaType::Array) wrong_type("value schema", type_);
  return value_schema_;
}

const std::vector<Field>& Schema::fields() const {
  if (type_ != SchemaType::Struct) wrong_type("fields", type_);
  return fields_;
}

const Field* Schema::field(std::string_view name) const {
  if (type_ != SchemaType::Struct) wrong_type("fields", type_);
  const auto at = field_index_.find(name);
  return at == field_index_.end() ? nullptr : &fields_[at->second];
}

namespace {
template <SchemaType type, bool optional>
const SchemaPtr& shared_schema() {
  static const SchemaPtr built = SchemaBuilder(type).optional(optional).build();
  // Handed out without a counter: it lives as long as the program, and a counter that all tasks' records share would be bounced
  // from core to core.
  static const SchemaPtr schema(SchemaPtr(), built.get());
  return schema;
}
}  // namespace

const SchemaPtr& Schema::int8() { return shared_schema<SchemaType::Int8, false>(); }
const SchemaPtr& Schema::int16() { return shared_schema<SchemaType::Int16, false>(); }
const SchemaPtr& Schema::int32() { return shared_schema<SchemaType::Int32, false>(); }
const SchemaPtr& Schema::int64() { return shared_schema<SchemaType::Int64, false>(); }
const SchemaPtr& Schema::float32() { return shared_schema<SchemaType::Float32, false>(); }
const SchemaPtr& Schema::float64() { return shared_schema<SchemaType::Float64, false>(); }
const SchemaPtr& Schema::boolean() { return shared_schema<SchemaType::Boolean, false>(); }
const SchemaPtr& Schema::string() { return shared_schema<SchemaType::String, false>(); }
const SchemaPtr& Schema::bytes() { return shared_schema<SchemaType::Bytes, false>(); }
const SchemaPtr& Schema::optional_int8() { return shared_schema<SchemaType::Int8, true>(); }
const SchemaPtr& Schema::optional_int16() { return shared_schema<SchemaType::Int16, true>(); }
const SchemaPtr& Schema::optional_int32() { return shared_schema<SchemaType::Int32, true>(); }
const SchemaPtr& Schema::optional_int64() { return shared_schema<SchemaType::Int64, true>(); }
const SchemaPtr& Schema::optional_float32() { return shared_schema<SchemaType::Float32, true>(); }
const SchemaPtr& Schema::optional_float64() { return shared_schema<SchemaType::Float64, true>(); }
const SchemaPtr& Schema::optional_boolean() { return shared_schema<SchemaType::Boolean, true>(); }
const SchemaPtr& Schema::optional_string() { return shared_schema<SchemaType::String, true>(); }
const SchemaPtr& Schema::optional_bytes() { return shared_schema<SchemaType::Bytes, true>(); }

SchemaBuilder SchemaBuilder::array(SchemaPtr items) {
  SchemaBuilder builder(SchemaType::Array);
  builder.schema_.value_schema_ = std::move(items);
  return builder;
}

SchemaBuilder SchemaBuilder::map(SchemaPtr keys, SchemaPtr values) {
  SchemaBuilder builder(SchemaType::Map);
  builder.schema_.key_schema_ = std::move(keys);
  builder.schema_.value_schema_ = std::move(values);
  return builder;
}

namespace {
SchemaBuilder logical_type(SchemaType type, std::string_view name) {
  SchemaBuilder builder(type);
  builder.name(std::string(name)).version(1);
  return builder;
}
}  // namespace

SchemaBuilder SchemaBuilder::decimal(std::int32_t scale) {
  SchemaBuilder builder = logical_type(SchemaType::Bytes, logical::kDecimal);
  builder.parameter(std::string(logical::kDecimalScale), std::to_string(scale));
  return builder;
}
SchemaBuilder SchemaBuilder::date() { return logical_type(SchemaType::Int32, logical::kDate); }
SchemaBuilder SchemaBuilder::time() { return logical_type(SchemaType::Int32, logical::kTime); }
SchemaBuilder SchemaBuilder::timestamp() { return logical_type(SchemaType::Int64, logical::kTimestamp); }

SchemaBuilder SchemaBuilder::copy_of(const Schema& schema) {
  SchemaBuilder builder(schema.type());
  builder.schema_ = schema;
  return builder;
}

SchemaBuilder& SchemaBuilder::optional(bool optional) {
  schema_.optional_ = optional;
  return *this;
}

SchemaBuilder& SchemaBuilder::default_value(Value value) {
  if (!value.is_null()) validate_value(&schema_, value, "default");
  schema_.default_ = std::move(value);
  return *this;
}

SchemaBuilder& SchemaBuilder::name(std::optional<std::string> name) {
  schema_.name_ = std::move(name);
  return *this;
}

SchemaBuilder& SchemaBuilder::version(std::optional<std::int32_t> version) {
  schema_.version_ = version;
  return *this;
}

SchemaBuilder& SchemaBuilder::doc(std::optional<std::string> doc) {
  schema_.doc_ = std::move(doc);
  return *this;
}

SchemaBuilder& SchemaBuilder::parameter(std::string name, std::string value) {
  schema_.parameters_.insert_or_assign(std::move(name), std::move(value));
  return *this;
}

SchemaBuilder& SchemaBuilder::field(std::string name, SchemaPtr schema) {
  if (schema_.type_ != SchemaType::Struct) throw DataError("only a struct has fields; '" + name + "' cannot be added");
  if (name.empty()) throw DataError("a field needs a name");
  if (schema == nullptr) throw DataError("the schema of field '" + name + "' cannot be null");
  const std::size_t index = schema_.fields_.size();
  if (!schema_.field_index_.emplace(name, index).second) throw DataError("there is already a field '" + name + "'");
  schema_.fields_.push_back({std::move(name), index, std::move(schema)});
  return *this;
}

SchemaPtr SchemaBuilder::build() const { return std::make_shared<const Schema>(schema_); }

namespace {

Value::Kind kind_for(const Schema& schema) {
  if (schema.name()) {
    if (schema.is_logical(logical::kDecimal)) return Value::Kind::Decimal;
    if (schema.is_logical(logical::kDate) || schema.is_logical(logical::kTime) || schema.is_logical(logical::kTimestamp)) {
      return Value::Kind::Date;
    }
  }
  static constexpr Value::Kind kKinds[] = {Value::Kind::Int8,    Value::Kind::Int16,   Value::Kind::Int32,   Value::Kind::Int64,
                                           Value::Kind::Float32, Value::Kind::Float64, Value::Kind::Boolean, Value::Kind::String,
                                           Value::Kind::Bytes,   Value::Kind::Array,   Value::Kind::Map,     Value::Kind::Struct};
  return kKinds[static_cast<std::size_t>(schema.type())];
}

std::string place(std::string_view field) { return field.empty() ? std::string() : " for field \"" + std::string(field) + "\""; }

}  // namespace

void validate_value(const Schema* schema, const Value& value, std::string_view field) {
  if (schema == nullptr) return;
  if (value.is_null()) {
    if (schema->is_optional()) return;
    throw DataError("null is not allowed" + place(field) + ", which is required and of type " +
                    std::string(to_string(schema->type())));
  }
  if (value.kind() != kind_for(*schema)) {
    std::string text = "a value of kind " + std::string(to_string(value.kind())) + " does not follow the schema ";
    if (schema->name()) text.append("\"").append(*schema->name()).append("\" ");
    throw DataError(text + "of type " + std::string(to_string(schema->type())) + place(field));
  }
  switch (value.kind()) {
    case Value::Kind::Array:
      for (const Value& item : value.as_array()) validate_value(schema->value_schema().get(), item, field);
      break;
    case Value::Kind::Map:
      for (const auto& [key, item] : value.as_map()) {
        validate_value(schema->key_schema().get(), key, field);
        validate_value(schema->value_schema().get(), item, field);
      }
      break;
    case Value::Kind::Struct:
      if (value.as_struct().schema().get() != schema && !(*value.as_struct().schema() == *schema)) {
        throw DataError("the struct has another schema than is asked for" + place(field));
      }
      break;
    default:
      break;
  }
}

}  // namespace fencepost
