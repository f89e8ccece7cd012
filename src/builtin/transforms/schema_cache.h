#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "fencepost/schema.h"

namespace fencepost::builtin {

/// The schemas that a transformation made of others: a topic has few, and building one costs more than transforming a record.
/// The 16 used last are kept. Records that share a schema find theirs by its address; others by its content.
class SchemaCache {
 public:
  template <class Make>
  [[nodiscard]] const SchemaPtr& get(const SchemaPtr& original, Make make) {
    auto at = std::find_if(known_.begin(), known_.end(), [&](const Entry& entry) { return entry.first == original; });
    if (at == known_.end()) {
      at = std::find_if(known_.begin(), known_.end(), [&](const Entry& entry) { return *entry.first == *original; });
    }
    if (at == known_.end()) {
      SchemaPtr made = make(*original);
      if (known_.size() == kKept) known_.pop_back();
      at = known_.emplace(known_.end(), original, std::move(made));
    }
    std::rotate(known_.begin(), at, at + 1);
    return known_.front().second;
  }

 private:
  using Entry = std::pair<SchemaPtr, SchemaPtr>;
  static constexpr std::size_t kKept = 16;
  std::vector<Entry> known_;
};

/// A builder of the same type with the schema's name, version, doc and parameters: what Connect's transformations keep of a
/// schema. That it is optional, and its default, are not kept.
[[nodiscard]] inline SchemaBuilder copy_basics(const Schema& schema) {
  SchemaBuilder builder =
      schema.type() == SchemaType::Array ? SchemaBuilder::array(schema.value_schema()) : SchemaBuilder(schema.type());
  builder.name(schema.name()).version(schema.version()).doc(schema.doc());
  for (const auto& [name, value] : schema.parameters()) builder.parameter(name, value);
  return builder;
}

}  // namespace fencepost::builtin
