#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace fencepost::wire {

/// Kafka's primitives, taken from bytes that a stranger sent. The first violation stops it for good: what is read afterwards
/// is zero or empty and error() tells what was wrong, so that callers need not check after every field.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes), size_(bytes.size()) {}

  template <class Number>
  Number number() {
    const std::string_view bytes = raw(sizeof(Number));
    std::make_unsigned_t<Number> value = 0;
    // A loop over what was really taken: raw() gives nothing where too little is left.
    for (const char byte : bytes) {
      value =
          static_cast<std::make_unsigned_t<Number>>((static_cast<std::uint64_t>(value) << 8) | static_cast<unsigned char>(byte));
    }
    return static_cast<Number>(value);
  }

  std::uint32_t unsigned_varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = number<std::uint8_t>();
      if (failed()) return 0;
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if ((byte & 0x80) != 0) continue;
      if (value > 0xffffffffU) break;
      return static_cast<std::uint32_t>(value);
    }
    fail("a varint is longer than 32 bits");
    return 0;
  }

  /// The next `count` bytes, as a view into what was given.
  std::string_view raw(std::size_t count) {
    if (failed()) return {};
    if (count > rest_.size()) {
      fail("a field of " + std::to_string(count) + " bytes goes beyond the end, " + std::to_string(rest_.size()) + " are left");
      return {};
    }
    const std::string_view out = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return out;
  }

  void fail(std::string what) {
    if (failed()) return;
    error_.emplace(ErrorKind::Corrupt, "at byte " + std::to_string(position()) + ": " + std::move(what));
    rest_ = {};
  }

  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  [[nodiscard]] std::size_t position() const { return size_ - rest_.size(); }

 private:
  std::string_view rest_;
  std::size_t size_;
  std::optional<Error> error_;
};

}  // namespace fencepost::wire
