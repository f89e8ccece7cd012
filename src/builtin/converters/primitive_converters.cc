#include "builtin/converters/primitive_converters.h"

#include <bit>
#include <type_traits>

namespace fencepost::builtin {

namespace {

template <class Number>
struct Traits;
template <>
struct Traits<std::int16_t> {
  using Bits = std::uint16_t;
  static constexpr auto kKind = Value::Kind::Int16;
  static const SchemaPtr& schema() { return Schema::optional_int16(); }
  static std::int16_t of(const Value& value) { return value.as_int16(); }
};
template <>
struct Traits<std::int32_t> {
  using Bits = std::uint32_t;
  static constexpr auto kKind = Value::Kind::Int32;
  static const SchemaPtr& schema() { return Schema::optional_int32(); }
  static std::int32_t of(const Value& value) { return value.as_int32(); }
};
template <>
struct Traits<std::int64_t> {
  using Bits = std::uint64_t;
  static constexpr auto kKind = Value::Kind::Int64;
  static const SchemaPtr& schema() { return Schema::optional_int64(); }
  static std::int64_t of(const Value& value) { return value.as_int64(); }
};
template <>
struct Traits<float> {
  using Bits = std::uint32_t;
  static constexpr auto kKind = Value::Kind::Float32;
  static const SchemaPtr& schema() { return Schema::optional_float32(); }
  static float of(const Value& value) { return value.as_float32(); }
};
template <>
struct Traits<double> {
  using Bits = std::uint64_t;
  static constexpr auto kKind = Value::Kind::Float64;
  static const SchemaPtr& schema() { return Schema::optional_float64(); }
  static double of(const Value& value) { return value.as_float64(); }
};

void check_kind(const Value& value, Value::Kind kind) {
  if (!value.is(kind)) {
    throw DataError("Failed to serialize to a " + std::string(to_string(kind)) + ": the value is of kind " +
                    std::string(to_string(value.kind())));
  }
}

}  // namespace

template <class Number>
std::optional<Bytes> NumberConverter<Number>::write(const SchemaPtr& /*schema*/, const Value& value) {
  if (value.is_null()) return std::nullopt;
  check_kind(value, Traits<Number>::kKind);
  const auto bits = std::bit_cast<typename Traits<Number>::Bits>(Traits<Number>::of(value));
  std::string out(sizeof bits, '\0');
  for (std::size_t i = 0; i < sizeof bits; ++i) out[i] = static_cast<char>(bits >> (8 * (sizeof bits - 1 - i)) & 0xff);
  return Bytes(out);
}

template <class Number>
SchemaAndValue NumberConverter<Number>::read(const std::optional<Bytes>& bytes) {
  using Bits = typename Traits<Number>::Bits;
  if (!bytes) return {Traits<Number>::schema(), Value()};
  if (bytes->size() != sizeof(Bits)) {
    throw DataError("Failed to deserialize a " + std::string(to_string(Traits<Number>::kKind)) + ": " +
                    std::to_string(sizeof(Bits)) + " bytes were expected, not " + std::to_string(bytes->size()));
  }
  std::uint64_t bits = 0;
  for (const char c : bytes->view()) bits = bits << 8 | static_cast<unsigned char>(c);
  return {Traits<Number>::schema(), Value(std::bit_cast<Number>(static_cast<Bits>(bits)))};
}

template class NumberConverter<std::int16_t>;
template class NumberConverter<std::int32_t>;
template class NumberConverter<std::int64_t>;
template class NumberConverter<float>;
template class NumberConverter<double>;

std::optional<Bytes> BooleanConverter::write(const SchemaPtr& /*schema*/, const Value& value) {
  if (value.is_null()) return std::nullopt;
  check_kind(value, Value::Kind::Boolean);
  return Bytes::of_static(value.as_bool() ? std::string_view("\1", 1) : std::string_view("\0", 1));
}

SchemaAndValue BooleanConverter::read(const std::optional<Bytes>& bytes) {
  if (!bytes) return {Schema::optional_boolean(), Value()};
  const bool good = bytes->size() == 1 && static_cast<unsigned char>(bytes->view()[0]) <= 1;
  if (!good) throw DataError("Failed to deserialize a boolean: one byte, 0 or 1, was expected");
  return {Schema::optional_boolean(), Value(bytes->view()[0] != 0)};
}

}  // namespace fencepost::builtin
