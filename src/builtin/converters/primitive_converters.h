#pragma once

#include "builtin/converters/plain_converters.h"

namespace fencepost::builtin {

/// Numbers as Kafka's serialisers write them: big-endian, 2, 4 or 8 bytes. Schema: the optional one of the type.
/// `Number` is std::int16_t, std::int32_t, std::int64_t, float or double.
template <class Number>
class NumberConverter : public PlainConverter {
 protected:
  [[nodiscard]] std::optional<Bytes> write(const SchemaPtr& schema, const Value& value) override;
  [[nodiscard]] SchemaAndValue read(const std::optional<Bytes>& bytes) override;
};

using ShortConverter = NumberConverter<std::int16_t>;
using IntegerConverter = NumberConverter<std::int32_t>;
using LongConverter = NumberConverter<std::int64_t>;
using FloatConverter = NumberConverter<float>;
using DoubleConverter = NumberConverter<double>;

/// One byte, 0 or 1.
class BooleanConverter : public PlainConverter {
 protected:
  [[nodiscard]] std::optional<Bytes> write(const SchemaPtr& schema, const Value& value) override;
  [[nodiscard]] SchemaAndValue read(const std::optional<Bytes>& bytes) override;
};

}  // namespace fencepost::builtin
