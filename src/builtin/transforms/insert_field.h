#pragma once

#include <optional>
#include <string>

#include "builtin/transforms/record_part.h"
#include "builtin/transforms/schema_cache.h"
#include "fencepost/transform.h"

namespace fencepost::builtin {

/// Adds the record's topic, partition, offset (sinks only), timestamp or a fixed text as fields of a struct or a map. A null
/// value, a tombstone, stays what it is.
class InsertField : public Transformation {
 public:
  explicit InsertField(RecordPart part) : part_(part) {}

  void configure(const ConfigMap& config) override;
  [[nodiscard]] ConfigDef config_def() const override;
  [[nodiscard]] bool apply(ConnectRecord& record) override;

 private:
  /// A field to add: optional unless its name was written with a "!" at its end.
  struct Addition {
    std::string name;
    bool optional = true;
  };
  [[nodiscard]] static std::optional<Addition> addition(std::optional<std::string> spec);
  [[nodiscard]] SchemaPtr extend(const Schema& schema) const;
  void apply_to_map(ConnectRecord& record) const;
  void apply_to_struct(ConnectRecord& record);

  RecordPart part_;
  std::optional<Addition> topic_;
  std::optional<Addition> partition_;
  std::optional<Addition> offset_;
  std::optional<Addition> timestamp_;
  std::optional<Addition> fixed_;
  Value fixed_value_;
  bool replace_null_with_default_ = true;
  SchemaCache schemas_;
};

}  // namespace fencepost::builtin
