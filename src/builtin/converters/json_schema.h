#pragma once

#include "fencepost/schema.h"
#include "json/value.h"
#include "json/writer.h"

namespace fencepost::builtin {

/// How JsonConverter treats values.
struct JsonOptions {
  /// Decimals as JSON numbers instead of Base64 of their bytes.
  bool numeric_decimals = false;
  /// A null where the schema has a default is written and read as that default.
  bool replace_null_with_default = true;
};

/// Writes a schema in JsonConverter's form, {"type":"int32","optional":false,...}; null for a null pointer. `field`, if given, is
/// added.
void write_json_schema(json::Writer& out, const Schema* schema, const JsonOptions& options, const std::string* field = nullptr);

/// Reads it back; null pointer for JSON null. DataError names what is wrong.
[[nodiscard]] SchemaPtr read_json_schema(const json::Value& json, const JsonOptions& options);

/// Writes a value as its schema (null pointer: as its kind) says. DataError where it does not follow the schema.
void write_json_value(json::Writer& out, const Schema* schema, const Value& value, const JsonOptions& options);

/// Reads a value as its schema says; a null pointer infers kinds: integers are int64, other numbers float64, objects maps with
/// string keys. Like Java's, it takes numbers and texts of the wrong kind without complaint: "x" is int32 0, 300 is int8 44.
/// `json` null pointer: absent.
[[nodiscard]] Value read_json_value(const SchemaPtr& schema, const json::Value* json, const JsonOptions& options);

}  // namespace fencepost::builtin
