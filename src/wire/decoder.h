#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "wire/reader.h"
#include "wire/types.h"

namespace fencepost::wire {

/// The visitor that fills a described message from bytes of one version. It trusts nothing: a length or count beyond what is
/// left is an error before anything is allocated for it, and memory grows only with elements that were really there.
class Decoder {
 public:
  Decoder(Reader& in, std::int16_t version, bool flexible) : in_(in), version_(version), flexible_(flexible) {}

  template <class T>
  void field(std::string_view name, T& value, FieldRule rule = {}) {
    if (!rule.versions.contains(version_) || in_.failed()) return;
    const bool is_tagged = rule.tag != FieldRule::kUntagged;
    if (is_tagged != reading_tagged_) return;
    name_ = name;
    if (!is_tagged) return get(value, rule);
    for (const Tagged& entry : tagged_) {
      if (entry.tag == static_cast<std::uint32_t>(rule.tag)) tagged_field(value, rule, entry.bytes);
    }
  }

  template <class Message>
  void structure(Message& message) {
    const bool outer_reading_tagged = std::exchange(reading_tagged_, false);
    Message::describe(message, *this);
    if (flexible_) {
      auto outer = std::exchange(tagged_, {});
      read_tagged_section();
      // A second walk over the description, for the tagged fields only; unknown tags are passed over, as KIP-482 wants.
      reading_tagged_ = true;
      if (!tagged_.empty()) Message::describe(message, *this);
      tagged_ = std::move(outer);
    }
    reading_tagged_ = outer_reading_tagged;
  }

 private:
  struct Tagged {
    std::uint32_t tag;
    std::string_view bytes;
  };

  void read_tagged_section() {
    const std::uint32_t count = in_.unsigned_varint();
    std::int64_t previous = -1;
    for (std::uint32_t i = 0; i < count && !in_.failed(); ++i) {
      const std::uint32_t tag = in_.unsigned_varint();
      if (!in_.failed() && static_cast<std::int64_t>(tag) <= previous) in_.fail("tagged fields are not in ascending order");
      previous = tag;
      tagged_.push_back({tag, in_.raw(in_.unsigned_varint())});
    }
  }

  template <class T>
  void tagged_field(T& value, const FieldRule& rule, std::string_view bytes) {
    Reader inner_reader(bytes);
    Decoder inner(inner_reader, version_, flexible_);
    inner.name_ = name_;
    inner.get(value, rule);
    if (!inner_reader.failed() && inner_reader.left() > 0) inner_reader.fail("bytes are left over in a tagged field");
    if (inner_reader.failed()) in_.fail("tagged field " + std::string(name_) + ": " + inner_reader.error().message());
  }

  template <class T>
  void get(T& value, const FieldRule& rule) {
    if constexpr (std::is_same_v<T, bool>) {
      value = in_.number<std::int8_t>() != 0;
    } else if constexpr (std::is_integral_v<T>) {
      value = in_.number<T>();
    } else if constexpr (std::is_same_v<T, Uuid>) {
      for (std::uint8_t& byte : value) byte = in_.number<std::uint8_t>();
    } else if constexpr (Struct<T>) {
      structure(value);
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Bytes> || IsArray<T>::value) {
      const auto size = length(std::is_same_v<T, std::string> ? 2 : 4);
      if (!size) return null_field();
      get_sized(value, *size);
    } else {
      optional(value, rule);
    }
  }

  template <class T>
  void optional(std::optional<T>& value, const FieldRule& rule) {
    const auto size = length(std::is_same_v<T, std::string> ? 2 : 4);
    value.reset();
    if (size) return get_sized(value.emplace(), *size);
    if (!rule.nullable_versions.contains(version_)) null_field();
  }

  template <class T>
  void get_sized(T& value, std::size_t size) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (size > kTextMax) return in_.fail("field " + std::string(name_) + " has a text of " + std::to_string(size) + " bytes");
      value = in_.raw(size);
    } else if constexpr (std::is_same_v<T, Bytes>) {
      value.data = in_.raw(size);
    } else {
      value.clear();
      // Every element takes at least one byte in every version of every message here.
      if (size > in_.left())
        return in_.fail("field " + std::string(name_) + " claims " + std::to_string(size) + " elements, " +
                        std::to_string(in_.left()) + " bytes are left");
      for (std::size_t i = 0; i < size && !in_.failed(); ++i) get(value.emplace_back(), {});
    }
  }

  /// Nothing for null. Plain lengths are signed with -1 for null; compact ones are one more, with 0 for null.
  std::optional<std::size_t> length(int plain_bytes) {
    std::int64_t size = 0;
    if (flexible_) {
      size = static_cast<std::int64_t>(in_.unsigned_varint()) - 1;
      if (in_.failed()) size = 0;
    } else {
      size = plain_bytes == 2 ? in_.number<std::int16_t>() : in_.number<std::int32_t>();
    }
    if (size == -1) return std::nullopt;
    if (size < 0) {
      in_.fail("field " + std::string(name_) + " has the negative length " + std::to_string(size));
      return 0;
    }
    return static_cast<std::size_t>(size);
  }

  void null_field() {
    in_.fail("field " + std::string(name_) + " is null, which version " + std::to_string(version_) + " does not allow");
  }

  // Kafka's own limit, also where a compact length could be larger.
  static constexpr std::size_t kTextMax = 32767;

  Reader& in_;
  std::int16_t version_;
  bool flexible_;
  bool reading_tagged_ = false;
  std::string_view name_;
  std::vector<Tagged> tagged_;
};

/// A message from the whole of `bytes`; Corrupt where they do not follow its format or some are left over.
template <class Message>
[[nodiscard]] Result<Message> decode(std::string_view bytes, std::int16_t version) {
  constexpr Api api = Message::kApi;
  if (!api.versions.contains(version)) {
    return failure(ErrorKind::Bug, std::string(api.name) + " has no version " + std::to_string(version));
  }
  Reader reader(bytes);
  Message message;
  Decoder(reader, version, api.flexible(version)).structure(message);
  if (!reader.failed() && reader.left() > 0) reader.fail(std::to_string(reader.left()) + " bytes are left over");
  if (reader.failed()) {
    return Failure(
        Error(reader.error()).while_doing("decoding " + std::string(api.name) + " version " + std::to_string(version)));
  }
  return message;
}

}  // namespace fencepost::wire
