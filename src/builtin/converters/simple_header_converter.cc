#include "builtin/converters/simple_header_converter.h"

#include "builtin/converters/values_text.h"

namespace fencepost::builtin {

std::optional<Bytes> SimpleHeaderConverter::from_connect_header(std::string_view /*topic*/, std::string_view /*key*/,
                                                                const SchemaPtr& /*schema*/, const Value& value) {
  if (value.is_null()) return std::nullopt;
  if (value.is(Value::Kind::String)) return value.as_bytes();
  return Bytes(values_text(value));
}

SchemaAndValue SimpleHeaderConverter::to_connect_header(std::string_view /*topic*/, std::string_view /*key*/,
                                                        const std::optional<Bytes>& bytes) {
  if (!bytes) return {};
  return parse_values_text(bytes->view());
}

}  // namespace fencepost::builtin
