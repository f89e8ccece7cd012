#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

/// One field as Kafka's own message files describe it, to be compared with them.
struct SchemaField {
  std::string name;
  std::string type;  ///< "int32", "string", "[]string"; "[]" for an array of structs, whose fields are in `fields`
  Versions versions;
  Versions nullable_versions;
  std::int32_t tag = FieldRule::kUntagged;
  std::vector<SchemaField> fields;
};

/// The visitor that lists a message's fields.
class SchemaDump {
 public:
  template <class T>
  void field(std::string_view name, const T&, FieldRule rule = {}) {
    SchemaField out{.name = std::string(name),
                    .type = {},
                    .versions = rule.versions,
                    .nullable_versions = kNoVersions,
                    .tag = rule.tag,
                    .fields = {}};
    add_type<T>(out, rule);
    fields_.push_back(std::move(out));
  }

  [[nodiscard]] std::vector<SchemaField> take() && { return std::move(fields_); }

 private:
  template <class T>
  static void add_type(SchemaField& out, const FieldRule& rule) {
    if constexpr (IsArray<T>::value) {
      out.type += "[]";
      add_type<typename T::value_type>(out, rule);
    } else if constexpr (Struct<T>) {
      SchemaDump inner;
      const T element;
      T::describe(element, inner);
      out.fields = std::move(inner).take();
    } else if constexpr (IsOptional<T>::value) {
      out.nullable_versions = rule.nullable_versions;
      add_type<typename T::value_type>(out, rule);
    } else {
      out.type += simple_type<T>();
    }
  }

  template <class T>
  static constexpr std::string_view simple_type() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_same_v<T, std::int8_t>) return "int8";
    if constexpr (std::is_same_v<T, std::int16_t>) return "int16";
    if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
    if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
    if constexpr (std::is_same_v<T, std::string>) return "string";
    if constexpr (std::is_same_v<T, Bytes>) return "bytes";
    if constexpr (std::is_same_v<T, Uuid>) return "uuid";
  }

  std::vector<SchemaField> fields_;
};

template <class Message>
[[nodiscard]] std::vector<SchemaField> schema_of() {
  SchemaDump dump;
  const Message message;
  Message::describe(message, dump);
  return std::move(dump).take();
}

}  // namespace fencepost::wire
