#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "wire/types.h"
#include "wire/writer.h"

namespace fencepost::wire {

/// The visitor that turns a described message into the bytes of one version. Fields which that version does not have are
/// left out, whatever they hold; a null in a version without nulls and a text that is too long are errors.
class Encoder {
 public:
  Encoder(std::int16_t version, bool flexible) : version_(version), flexible_(flexible) {}

  template <class T>
  void field(std::string_view name, const T& value, FieldRule rule = {}) {
    if (!rule.versions.contains(version_)) return;
    if (rule.tag == FieldRule::kUntagged) {
      name_ = name;
      put(value, rule);
    } else if (!is_default(value, rule)) {
      tagged_field(name, value, rule);
    }
  }

  template <class Message>
  void structure(const Message& message) {
    // Tags belong to the struct in which they stand, so an outer struct's are put aside meanwhile.
    auto outer = std::exchange(tagged_, {});
    Message::describe(message, *this);
    if (flexible_) tagged_section();
    tagged_ = std::move(outer);
  }

  [[nodiscard]] Result<std::string> finish() && {
    if (error_) return Failure(*std::move(error_));
    return std::move(out_).take();
  }

 private:
  struct Tagged {
    std::uint32_t tag;
    std::string bytes;
  };

  template <class T>
  static bool is_default(const T& value, const FieldRule& rule) {
    if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(value) == rule.default_number;
    return value == T{};
  }

  template <class T>
  void tagged_field(std::string_view name, const T& value, const FieldRule& rule) {
    Encoder inner(version_, flexible_);
    inner.name_ = name;
    inner.put(value, rule);
    if (inner.error_ && !error_) error_ = std::move(inner.error_);
    tagged_.push_back({static_cast<std::uint32_t>(rule.tag), std::move(inner.out_).take()});
  }

  // Descriptions list tags in ascending order, as the format wants them.
  void tagged_section() {
    out_.unsigned_varint(static_cast<std::uint32_t>(tagged_.size()));
    for (const Tagged& entry : tagged_) {
      out_.unsigned_varint(entry.tag);
      out_.unsigned_varint(static_cast<std::uint32_t>(entry.bytes.size()));
      out_.raw(entry.bytes);
    }
  }

  template <class T>
  void put(const T& value, const FieldRule& rule) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.number<std::int8_t>(value ? 1 : 0);
    } else if constexpr (std::is_integral_v<T>) {
      out_.number(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      length(value.size(), kTextMax, 2);
      out_.raw(value);
    } else if constexpr (std::is_same_v<T, Bytes>) {
      length(value.data.size(), kLengthMax, 4);
      out_.raw(value.data);
    } else if constexpr (std::is_same_v<T, Uuid>) {
      for (const std::uint8_t byte : value) out_.number(byte);
    } else if constexpr (IsArray<T>::value) {
      length(value.size(), kLengthMax, 4);
      for (const auto& element : value) put(element, {});
    } else if constexpr (Struct<T>) {
      structure(value);
    } else {
      optional(value, rule);
    }
  }

  template <class T>
  void optional(const std::optional<T>& value, const FieldRule& rule) {
    if (value) return put(*value, rule);
    if (!rule.nullable_versions.contains(version_)) return fail("cannot be null in version " + std::to_string(version_));
    if (flexible_) return out_.unsigned_varint(0);
    if constexpr (std::is_same_v<T, std::string>) {
      out_.number<std::int16_t>(-1);
    } else {
      out_.number<std::int32_t>(-1);
    }
  }

  void length(std::size_t size, std::size_t max, int plain_bytes) {
    if (size > max) return fail("has a length of " + std::to_string(size) + ", at most " + std::to_string(max) + " is possible");
    if (flexible_) {
      out_.unsigned_varint(static_cast<std::uint32_t>(size + 1));
    } else if (plain_bytes == 2) {
      out_.number(static_cast<std::int16_t>(size));
    } else {
      out_.number(static_cast<std::int32_t>(size));
    }
  }

  void fail(const std::string& what) {
    if (!error_) error_.emplace(ErrorKind::Failed, "field " + std::string(name_) + " " + what);
  }

  static constexpr std::size_t kTextMax = 32767;
  static constexpr std::size_t kLengthMax = 0x7fffffff - 1;

  Writer out_;
  std::int16_t version_;
  bool flexible_;
  std::string_view name_;
  std::vector<Tagged> tagged_;
  std::optional<Error> error_;
};

/// The body of a message in one version, which must be within Message::kApi.versions.
template <class Message>
[[nodiscard]] Result<std::string> encode(const Message& message, std::int16_t version) {
  constexpr Api api = Message::kApi;
  if (!api.versions.contains(version)) {
    return failure(ErrorKind::Bug, std::string(api.name) + " has no version " + std::to_string(version));
  }
  Encoder encoder(version, api.flexible(version));
  encoder.structure(message);
  auto out = std::move(encoder).finish();
  if (!out) return Failure(std::move(out).error().while_doing("encoding " + std::string(api.name)));
  return out;
}

}  // namespace fencepost::wire
