#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fencepost::protocol {

/// Reads big-endian fields and never beyond the end. Each failure names the field and is Corrupt: the bytes come from
/// other members by way of the broker, and neither is trusted.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] bool at_end() const { return left_.empty(); }
  [[nodiscard]] std::size_t left() const { return left_.size(); }

  Result<std::int16_t> int16(std::string_view field);
  Result<std::int32_t> int32(std::string_view field);
  Result<std::int64_t> int64(std::string_view field);
  /// int16 length and bytes; null (-1) is refused.
  Result<std::string> string(std::string_view field);
  /// int32 length and bytes; nothing for -1.
  Result<std::optional<std::string_view>> nullable_bytes(std::string_view field);
  /// An array's count, nothing for -1. A count that cannot fit into what is left is refused before anything is allocated.
  Result<std::optional<std::size_t>> nullable_count(std::string_view field, std::size_t element_bytes_min);
  /// The same where null is refused.
  Result<std::size_t> count(std::string_view field, std::size_t element_bytes_min);

 private:
  Result<std::uint64_t> big_endian(std::string_view field, std::size_t bytes);
  Result<std::string_view> take(std::string_view field, std::size_t bytes);

  std::string_view left_;
};

/// Appends big-endian fields.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  void int16(std::int16_t value) { big_endian(static_cast<std::uint16_t>(value), 2); }
  void int32(std::int32_t value) { big_endian(static_cast<std::uint32_t>(value), 4); }
  void int64(std::int64_t value) { big_endian(static_cast<std::uint64_t>(value), 8); }
  /// InvalidConfig for a text of more than 32767 bytes.
  Result<void> string(std::string_view field, std::string_view text);

 private:
  void big_endian(std::uint64_t value, std::size_t bytes);

  std::string& out_;
};

}  // namespace fencepost::protocol
