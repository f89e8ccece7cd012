#include "builtin/converters/json_schema.h"

#include <string_view>

namespace fencepost::builtin {

namespace {

std::string_view json_type(SchemaType type) {
  static constexpr std::string_view kNames[] = {"int8",    "int16",  "int32", "int64", "float", "double",
                                                "boolean", "string", "bytes", "array", "map",   "struct"};
  return kNames[static_cast<std::size_t>(type)];
}

void write_type(json::Writer& out, const Schema& schema, const JsonOptions& options) {
  out.key("type").string(json_type(schema.type()));
  if (schema.type() == SchemaType::Array) {
    write_json_schema(out.key("items"), schema.value_schema().get(), options);
  } else if (schema.type() == SchemaType::Map) {
    write_json_schema(out.key("keys"), schema.key_schema().get(), options);
    write_json_schema(out.key("values"), schema.value_schema().get(), options);
  } else if (schema.type() == SchemaType::Struct) {
    out.key("fields").begin_array();
    for (const Field& field : schema.fields()) write_json_schema(out, field.schema.get(), options, &field.name);
    out.end_array();
  }
}

const std::string* text_member(const json::Value& json, std::string_view name) {
  const json::Value* member = json.find(name);
  return member == nullptr ? nullptr : member->as_string();
}

SchemaBuilder begin_struct(const json::Value& json, const JsonOptions& options) {
  const json::Value* fields = json.find("fields");
  if (fields == nullptr || !fields->is_array()) throw DataError("Struct schema's \"fields\" argument is not an array.");
  SchemaBuilder builder = SchemaBuilder::structure();
  for (const json::Value& field : *fields->as_array()) {
    const std::string* name = text_member(field, "field");
    if (name == nullptr) throw DataError("Struct schema's field name not specified properly");
    builder.field(*name, read_json_schema(field, options));
  }
  return builder;
}

SchemaBuilder begin_schema(const json::Value& json, const JsonOptions& options) {
  const std::string* type = text_member(json, "type");
  if (type == nullptr) throw DataError("Schema must contain 'type' field");
  const auto part = [&](std::string_view name, const char* complaint) {
    const json::Value* schema = json.find(name);
    if (schema == nullptr || schema->is_null()) throw DataError(complaint);
    return read_json_schema(*schema, options);
  };
  if (*type == "array") return SchemaBuilder::array(part("items", "Array schema did not specify the element type"));
  if (*type == "map") {
    SchemaPtr keys = part("keys", "Map schema did not specify the key type");
    return SchemaBuilder::map(std::move(keys), part("values", "Map schema did not specify the value type"));
  }
  if (*type == "struct") return begin_struct(json, options);
  for (auto simple = SchemaType::Int8; simple <= SchemaType::Bytes;
       simple = static_cast<SchemaType>(static_cast<int>(simple) + 1)) {
    if (*type == json_type(simple)) return SchemaBuilder(simple);
  }
  throw DataError("Unknown schema type: " + *type);
}

}  // namespace

void write_json_schema(json::Writer& out, const Schema* schema, const JsonOptions& options, const std::string* field) {
  if (schema == nullptr) {
    out.null();
    return;
  }
  out.begin_object();
  write_type(out, *schema, options);
  out.key("optional").boolean(schema->is_optional());
  if (schema->name()) out.key("name").string(*schema->name());
  if (schema->version()) out.key("version").integer(*schema->version());
  if (schema->doc()) out.key("doc").string(*schema->doc());
  if (!schema->parameters().empty()) {
    out.key("parameters").begin_object();
    for (const auto& [name, value] : schema->parameters()) out.key(name).string(value);
    out.end_object();
  }
  if (!schema->default_value().is_null()) write_json_value(out.key("default"), schema, schema->default_value(), options);
  if (field != nullptr) out.key("field").string(*field);
  out.end_object();
}

SchemaPtr read_json_schema(const json::Value& json, const JsonOptions& options) {
  if (json.is_null()) return nullptr;
  SchemaBuilder builder = begin_schema(json, options);
  if (const json::Value* optional = json.find("optional"); optional != nullptr && optional->is_bool())
    builder.optional(*optional->as_bool());
  if (const std::string* name = text_member(json, "name")) builder.name(*name);
  if (const json::Value* version = json.find("version"); version != nullptr && version->as_int64()) {
    builder.version(static_cast<std::int32_t>(*version->as_int64()));
  }
  if (const std::string* doc = text_member(json, "doc")) builder.doc(*doc);
  if (const json::Value* parameters = json.find("parameters"); parameters != nullptr && parameters->is_object()) {
    for (const json::Member& parameter : *parameters->as_object()) {
      if (!parameter.value.is_string()) throw DataError("Schema parameters must have string values.");
      builder.parameter(parameter.name, *parameter.value.as_string());
    }
  }
  if (const json::Value* fallback = json.find("default"); fallback != nullptr && !fallback->is_null()) {
    builder.default_value(read_json_value(builder.build(), fallback, options));
  }
  return builder.build();
}

}  // namespace fencepost::builtin
