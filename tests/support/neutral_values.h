#pragma once

#include <stdexcept>
#include <string>

#include "fencepost/schema.h"
#include "vectors.h"

namespace fencepost::testing {

// The neutral form in which golden vectors hold schemas and values (tests/vectors).

[[nodiscard]] inline Value neutral_value(const Json& json, const SchemaPtr& schema);

[[nodiscard]] inline SchemaPtr neutral_schema(const Json& json) {
  if (json.is_null()) return nullptr;
  const std::string type = json.at("type");
  const auto begin = [&]() -> SchemaBuilder {
    if (type == "array") return SchemaBuilder::array(neutral_schema(json.at("values")));
    if (type == "map") return SchemaBuilder::map(neutral_schema(json.at("keys")), neutral_schema(json.at("values")));
    static const std::map<std::string, SchemaType> types = {{"int8", SchemaType::Int8},       {"int16", SchemaType::Int16},
                                                            {"int32", SchemaType::Int32},     {"int64", SchemaType::Int64},
                                                            {"float32", SchemaType::Float32}, {"float64", SchemaType::Float64},
                                                            {"boolean", SchemaType::Boolean}, {"string", SchemaType::String},
                                                            {"bytes", SchemaType::Bytes},     {"struct", SchemaType::Struct}};
    return SchemaBuilder(types.at(type));
  };
  SchemaBuilder builder = begin();
  if (json.contains("fields")) {
    for (const Json& field : json.at("fields")) builder.field(field.at(0), neutral_schema(field.at(1)));
  }
  builder.optional(json.value("optional", false));
  if (json.contains("name")) builder.name(json.at("name").get<std::string>());
  if (json.contains("version")) builder.version(json.at("version").get<int>());
  if (json.contains("doc")) builder.doc(json.at("doc").get<std::string>());
  if (json.contains("parameters")) {
    for (const auto& [name, value] : json.at("parameters").items()) builder.parameter(name, value.get<std::string>());
  }
  if (json.contains("default")) builder.default_value(neutral_value(json.at("default"), builder.build()));
  return builder.build();
}

/// A struct whose schema the vector does not give: every field an optional string.
[[nodiscard]] inline SchemaPtr schema_of_unknown_struct(const Json& fields) {
  SchemaBuilder builder = SchemaBuilder::structure();
  for (const auto& [name, value] : fields.items()) builder.field(name, Schema::optional_string());
  return builder.build();
}

[[nodiscard]] inline Value neutral_value(const Json& json, const SchemaPtr& schema) {
  if (json.is_null()) return {};
  const auto entry = json.begin();  // kept: what items() gives ends with its iterator
  const std::string& tag = entry.key();
  const Json& content = entry.value();
  const auto text = [&c = content] { return c.template get<std::string>(); };
  if (tag == "boolean") return content.get<bool>();
  if (tag == "int8") return static_cast<std::int8_t>(std::stoi(text()));
  if (tag == "int16") return static_cast<std::int16_t>(std::stoi(text()));
  if (tag == "int32") return static_cast<std::int32_t>(std::stol(text()));
  if (tag == "int64") return static_cast<std::int64_t>(std::stoll(text()));
  if (tag == "float32") return std::strtof(text().c_str(), nullptr);
  if (tag == "float64") return std::strtod(text().c_str(), nullptr);
  if (tag == "string") return Value(text());
  if (tag == "bytes") return Value::bytes(from_hex(text()));
  if (tag == "date_ms") return Value::date_ms(std::stoll(text()));
  if (tag == "decimal") return Decimal::from_digits(content.at("unscaled").get<std::string>(), content.at("scale").get<int>());
  const bool array_schema = schema != nullptr && schema->type() == SchemaType::Array;
  const bool map_schema = schema != nullptr && schema->type() == SchemaType::Map;
  if (tag == "array") {
    ValueList items;
    for (const Json& item : content) items.push_back(neutral_value(item, array_schema ? schema->value_schema() : nullptr));
    return items;
  }
  if (tag == "map") {
    ValueMap entries;
    for (const Json& pair : content) {
      entries.emplace_back(neutral_value(pair.at(0), map_schema ? schema->key_schema() : nullptr),
                           neutral_value(pair.at(1), map_schema ? schema->value_schema() : nullptr));
    }
    return entries;
  }
  if (tag == "struct") {
    const bool known = schema != nullptr && schema->type() == SchemaType::Struct;
    const SchemaPtr own = known ? schema : schema_of_unknown_struct(content);
    Struct fields(own);
    for (const auto& [name, value] : content.items()) {
      if (!value.is_null()) fields.put(name, neutral_value(value, own->field(name)->schema));
    }
    return fields;
  }
  throw std::invalid_argument("the vector's tag '" + tag + "' has no counterpart here");
}

}  // namespace fencepost::testing
