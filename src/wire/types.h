#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace fencepost::wire {

/// The newest version there may ever be: "3+" of Kafka's message files is {3, kNewest}.
inline constexpr std::int16_t kNewest = std::numeric_limits<std::int16_t>::max();

/// A closed range of an API's versions.
struct Versions {
  std::int16_t first = 0;
  std::int16_t last = kNewest;

  [[nodiscard]] constexpr bool contains(std::int16_t version) const { return first <= version && version <= last; }
  friend constexpr bool operator==(const Versions&, const Versions&) = default;
};

inline constexpr Versions kNoVersions{1, 0};
inline constexpr std::int16_t kNeverFlexible = kNewest;

/// What a message says about itself. Flexible versions (KIP-482) have compact lengths and tagged fields.
struct Api {
  std::int16_t key = 0;
  std::string_view name;
  Versions versions;
  std::int16_t flexible_since = kNeverFlexible;

  [[nodiscard]] constexpr bool flexible(std::int16_t version) const { return version >= flexible_since; }
};

/// In which versions a field is there, may be null, or travels as a tagged field; whether it must never be printed.
struct FieldRule {
  static constexpr std::int32_t kUntagged = -1;

  Versions versions;
  Versions nullable_versions;  ///< regarded for std::optional fields only
  std::int32_t tag = kUntagged;
  std::int64_t default_number = 0;  ///< of a tagged number, which is left out while it has this value
  bool is_secret = false;

  [[nodiscard]] constexpr FieldRule nullable_since(std::int16_t version) const {
    FieldRule rule = *this;
    rule.nullable_versions = {version, kNewest};
    return rule;
  }
  [[nodiscard]] constexpr FieldRule tagged(std::int32_t number) const {
    FieldRule rule = *this;
    rule.tag = number;
    return rule;
  }
  [[nodiscard]] constexpr FieldRule defaults_to(std::int64_t number) const {
    FieldRule rule = *this;
    rule.default_number = number;
    return rule;
  }
  [[nodiscard]] constexpr FieldRule secret() const {
    FieldRule rule = *this;
    rule.is_secret = true;
    return rule;
  }
};

[[nodiscard]] constexpr FieldRule since(std::int16_t version) {
  return {.versions = {version, kNewest}, .nullable_versions = {version, kNewest}};
}
[[nodiscard]] constexpr FieldRule between(std::int16_t first, std::int16_t last) {
  return {.versions = {first, last}, .nullable_versions = {first, last}};
}

/// Kafka's "bytes": opaque, as opposed to a string.
struct Bytes {
  std::string data;

  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

using Uuid = std::array<std::uint8_t, 16>;

/// What may be a field. Everything that walks over messages asks these questions, so they stand in one place.
template <class T>
struct IsArray : std::false_type {};
template <class T>
struct IsArray<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
concept Struct = std::is_class_v<T> && !IsArray<T>::value && !IsOptional<T>::value && !std::is_same_v<T, std::string> &&
                 !std::is_same_v<T, Bytes> && !std::is_same_v<T, Uuid>;

}  // namespace fencepost::wire
