#pragma once

#include <string>
#include <unordered_map>

#include "builtin/converters/json_schema.h"
#include "builtin/converters/plain_converters.h"
#include "builtin/converters/text_chunks.h"

namespace fencepost::builtin {

/// Connect's JsonConverter, byte by byte. With schemas.enable (the default) each record is {"schema":...,"payload":...}; without,
/// plain JSON. Settings: schemas.enable, schemas.cache.size, schema.content, decimal.format, replace.null.with.default.
///
/// Speed: schemas are written and read once and then found again by their identity or their text, up to schemas.cache.size of
/// them.
class JsonConverter : public PlainConverter {
 public:
  [[nodiscard]] ConfigDef config_def() const override;

 protected:
  void configured(const Settings& settings) override;
  [[nodiscard]] std::optional<Bytes> write(const SchemaPtr& schema, const Value& value) override;
  [[nodiscard]] SchemaAndValue read(const std::optional<Bytes>& bytes) override;

 private:
  const std::string& schema_text(const SchemaPtr& schema);
  [[nodiscard]] std::optional<SchemaAndValue> read_known_schema(std::string_view text);
  [[nodiscard]] SchemaAndValue read_envelope(std::string_view text);
  void remember(std::string_view schema_text, const SchemaPtr& schema);

  struct Written {
    SchemaPtr schema;  // kept alive, so that its address stays its own
    std::string text;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  JsonOptions options_;
  bool schemas_ = true;
  std::size_t cache_size_ = 1000;
  SchemaPtr fixed_schema_;
  std::string text_;  ///< of the record that is being written
  TextChunks texts_;
  std::unordered_map<const Schema*, Written> written_;
  std::unordered_map<std::string, SchemaPtr, TextHash, std::equal_to<>> read_;
};

}  // namespace fencepost::builtin
