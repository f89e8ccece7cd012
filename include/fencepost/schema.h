#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fencepost/data.h"

namespace fencepost {

/// Connect's types. Logical types (Decimal, Date, Time, Timestamp) are one of these with a name.
enum class SchemaType : std::uint8_t { Int8, Int16, Int32, Int64, Float32, Float64, Boolean, String, Bytes, Array, Map, Struct };

/// As Java prints them: "INT8", "STRING".
[[nodiscard]] std::string_view to_string(SchemaType type);

namespace logical {
inline constexpr std::string_view kDecimal = "org.apache.kafka.connect.data.Decimal";      ///< BYTES; parameter "scale"
inline constexpr std::string_view kDate = "org.apache.kafka.connect.data.Date";            ///< INT32, days
inline constexpr std::string_view kTime = "org.apache.kafka.connect.data.Time";            ///< INT32, ms after midnight
inline constexpr std::string_view kTimestamp = "org.apache.kafka.connect.data.Timestamp";  ///< INT64, ms
inline constexpr std::string_view kDecimalScale = "scale";
}  // namespace logical

/// One field of a struct schema.
struct Field {
  std::string name;
  std::size_t index = 0;
  SchemaPtr schema;

  friend bool operator==(const Field& a, const Field& b);
};

/// What a value looks like: immutable and shared, made by SchemaBuilder. Compare with ==, which compares contents.
class Schema {
 public:
  using Parameters = std::map<std::string, std::string, std::less<>>;

  [[nodiscard]] SchemaType type() const { return type_; }
  [[nodiscard]] bool is_optional() const { return optional_; }
  /// Null where there is none.
  [[nodiscard]] const Value& default_value() const { return default_; }
  /// Empty where there is none.
  [[nodiscard]] const std::optional<std::string>& name() const { return name_; }
  [[nodiscard]] const std::optional<std::int32_t>& version() const { return version_; }
  [[nodiscard]] const std::optional<std::string>& doc() const { return doc_; }
  [[nodiscard]] const Parameters& parameters() const { return parameters_; }

  /// Of a map; DataError for other types. Null pointer where keys may be anything.
  [[nodiscard]] const SchemaPtr& key_schema() const;
  /// Of a map or an array; DataError for other types. Null pointer where values may be anything.
  [[nodiscard]] const SchemaPtr& value_schema() const;
  /// Of a struct; DataError for other types.
  [[nodiscard]] const std::vector<Field>& fields() const;
  /// Null pointer where the struct has no such field.
  [[nodiscard]] const Field* field(std::string_view name) const;

  [[nodiscard]] bool is_logical(std::string_view logical_name) const { return name_ && *name_ == logical_name; }

  /// Shared schemas without name, version or doc.
  [[nodiscard]] static const SchemaPtr& int8();
  [[nodiscard]] static const SchemaPtr& int16();
  [[nodiscard]] static const SchemaPtr& int32();
  [[nodiscard]] static const SchemaPtr& int64();
  [[nodiscard]] static const SchemaPtr& float32();
  [[nodiscard]] static const SchemaPtr& float64();
  [[nodiscard]] static const SchemaPtr& boolean();
  [[nodiscard]] static const SchemaPtr& string();
  [[nodiscard]] static const SchemaPtr& bytes();
  [[nodiscard]] static const SchemaPtr& optional_int8();
  [[nodiscard]] static const SchemaPtr& optional_int16();
  [[nodiscard]] static const SchemaPtr& optional_int32();
  [[nodiscard]] static const SchemaPtr& optional_int64();
  [[nodiscard]] static const SchemaPtr& optional_float32();
  [[nodiscard]] static const SchemaPtr& optional_float64();
  [[nodiscard]] static const SchemaPtr& optional_boolean();
  [[nodiscard]] static const SchemaPtr& optional_string();
  [[nodiscard]] static const SchemaPtr& optional_bytes();

  friend bool operator==(const Schema& a, const Schema& b);

 private:
  friend class SchemaBuilder;
  explicit Schema(SchemaType type) : type_(type) {}

  SchemaType type_;
  bool optional_ = false;
  Value default_;
  std::optional<std::string> name_;
  std::optional<std::int32_t> version_;
  std::optional<std::string> doc_;
  Parameters parameters_;
  SchemaPtr key_schema_;
  SchemaPtr value_schema_;
  std::vector<Field> fields_;
  std::map<std::string, std::size_t, std::less<>> field_index_;
};

/// Null pointers are equal to each other and to nothing else.
[[nodiscard]] bool same_schema(const SchemaPtr& a, const SchemaPtr& b);

/// Makes a schema:
///   const SchemaPtr user = SchemaBuilder::structure().name("User").field("id", Schema::int64()).build();
/// Throws DataError on contradictions (a field twice, a default that does not follow the schema, ...).
class SchemaBuilder {
 public:
  explicit SchemaBuilder(SchemaType type) : schema_(type) {}
  /// Null pointers stand for items, keys or values of any kind.
  [[nodiscard]] static SchemaBuilder array(SchemaPtr items);
  [[nodiscard]] static SchemaBuilder map(SchemaPtr keys, SchemaPtr values);
  [[nodiscard]] static SchemaBuilder structure() { return SchemaBuilder(SchemaType::Struct); }
  /// The four logical types, with their names and version 1.
  [[nodiscard]] static SchemaBuilder decimal(std::int32_t scale);
  [[nodiscard]] static SchemaBuilder date();
  [[nodiscard]] static SchemaBuilder time();
  [[nodiscard]] static SchemaBuilder timestamp();
  /// Begins with everything that an existing schema says.
  [[nodiscard]] static SchemaBuilder copy_of(const Schema& schema);

  SchemaBuilder& optional(bool optional = true);
  /// After optional(), name() and the fields, since it is checked against them. Null removes it.
  SchemaBuilder& default_value(Value value);
  SchemaBuilder& name(std::optional<std::string> name);
  SchemaBuilder& version(std::optional<std::int32_t> version);
  SchemaBuilder& doc(std::optional<std::string> doc);
  SchemaBuilder& parameter(std::string name, std::string value);
  SchemaBuilder& field(std::string name, SchemaPtr schema);

  [[nodiscard]] SchemaPtr build() const;

 private:
  Schema schema_;
};

/// DataError, naming the field, where a value does not follow its schema. A null schema allows everything.
void validate_value(const Schema* schema, const Value& value, std::string_view field = {});

/// A value and what it looks like; a null schema where nobody knows (JSON without schemas).
struct SchemaAndValue {
  SchemaPtr schema;
  Value value;

  friend bool operator==(const SchemaAndValue& a, const SchemaAndValue& b) {
    return same_schema(a.schema, b.schema) && a.value == b.value;
  }
};

}  // namespace fencepost
