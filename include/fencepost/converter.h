#pragma once

#include <optional>
#include <string_view>

#include "fencepost/config_def.h"
#include "fencepost/record.h"
#include "fencepost/schema.h"

namespace fencepost {

/// Between Connect's values and the bytes in Kafka. Nothing (nullopt) stands for Kafka's null, a tombstone.
///
/// Threads: one at a time. Errors: DataError where data cannot be converted (subject to errors.tolerance).
class Converter {
 public:
  virtual ~Converter() = default;

  /// Called once before use. ConfigError where the settings are wrong.
  virtual void configure(const ConfigMap& config, bool is_key) = 0;
  [[nodiscard]] virtual ConfigDef config_def() const { return {}; }
  /// `headers` may be added to (some serialisers put a schema id there). A null schema: the value is without one.
  [[nodiscard]] virtual std::optional<Bytes> from_connect(std::string_view topic, Headers& headers, const SchemaPtr& schema,
                                                          const Value& value) = 0;
  [[nodiscard]] virtual SchemaAndValue to_connect(std::string_view topic, const Headers& headers,
                                                  const std::optional<Bytes>& bytes) = 0;

 protected:
  Converter() = default;
  Converter(const Converter&) = default;
  Converter& operator=(const Converter&) = default;
};

/// The same for the values of headers. Threads and errors as Converter.
class HeaderConverter {
 public:
  virtual ~HeaderConverter() = default;

  virtual void configure(const ConfigMap& config) = 0;
  [[nodiscard]] virtual ConfigDef config_def() const { return {}; }
  [[nodiscard]] virtual std::optional<Bytes> from_connect_header(std::string_view topic, std::string_view key,
                                                                 const SchemaPtr& schema, const Value& value) = 0;
  [[nodiscard]] virtual SchemaAndValue to_connect_header(std::string_view topic, std::string_view key,
                                                         const std::optional<Bytes>& bytes) = 0;

 protected:
  HeaderConverter() = default;
  HeaderConverter(const HeaderConverter&) = default;
  HeaderConverter& operator=(const HeaderConverter&) = default;
};

}  // namespace fencepost
