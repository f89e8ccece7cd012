#pragma once

#include "fencepost/converter.h"

namespace fencepost::builtin {

/// Connect's default for headers: values as their text, and texts back as what they look like. No settings.
class SimpleHeaderConverter : public HeaderConverter {
 public:
  void configure(const ConfigMap& /*config*/) override {}
  [[nodiscard]] std::optional<Bytes> from_connect_header(std::string_view topic, std::string_view key, const SchemaPtr& schema,
                                                         const Value& value) override;
  [[nodiscard]] SchemaAndValue to_connect_header(std::string_view topic, std::string_view key,
                                                 const std::optional<Bytes>& bytes) override;
};

}  // namespace fencepost::builtin
