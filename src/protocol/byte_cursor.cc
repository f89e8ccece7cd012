#include "protocol/byte_cursor.h"

#include <fmt/core.h>

#include <limits>

namespace fencepost::protocol {

Result<std::string_view> ByteReader::take(std::string_view field, std::size_t bytes) {
  if (bytes > left_.size()) {
    return failure(ErrorKind::Corrupt, fmt::format("{} needs {} bytes, but only {} are left", field, bytes, left_.size()));
  }
  const std::string_view out = left_.substr(0, bytes);
  left_.remove_prefix(bytes);
  return out;
}

Result<std::uint64_t> ByteReader::big_endian(std::string_view field, std::size_t bytes) {
  FENCEPOST_TRY(const std::string_view taken, take(field, bytes));
  std::uint64_t out = 0;
  for (const char c : taken) out = out << 8 | static_cast<unsigned char>(c);
  return out;
}

Result<std::int16_t> ByteReader::int16(std::string_view field) {
  FENCEPOST_TRY(const std::uint64_t value, big_endian(field, 2));
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(value));
}

Result<std::int32_t> ByteReader::int32(std::string_view field) {
  FENCEPOST_TRY(const std::uint64_t value, big_endian(field, 4));
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

Result<std::int64_t> ByteReader::int64(std::string_view field) {
  FENCEPOST_TRY(const std::uint64_t value, big_endian(field, 8));
  return static_cast<std::int64_t>(value);
}

Result<std::string> ByteReader::string(std::string_view field) {
  FENCEPOST_TRY(const std::int16_t length, int16(field));
  if (length < 0) return failure(ErrorKind::Corrupt, fmt::format("{} has length {}", field, length));
  FENCEPOST_TRY(const std::string_view text, take(field, static_cast<std::size_t>(length)));
  return std::string(text);
}

Result<std::optional<std::string_view>> ByteReader::nullable_bytes(std::string_view field) {
  FENCEPOST_TRY(const std::int32_t length, int32(field));
  if (length < 0) return std::optional<std::string_view>();
  FENCEPOST_TRY(const std::string_view bytes, take(field, static_cast<std::size_t>(length)));
  return std::optional(bytes);
}

Result<std::optional<std::size_t>> ByteReader::nullable_count(std::string_view field, std::size_t element_bytes_min) {
  FENCEPOST_TRY(const std::int32_t count, int32(field));
  if (count < 0) return std::optional<std::size_t>();
  if (static_cast<std::size_t>(count) > left_.size() / element_bytes_min) {
    return failure(ErrorKind::Corrupt,
                   fmt::format("{} claims {} elements, but only {} bytes are left", field, count, left_.size()));
  }
  return std::optional(static_cast<std::size_t>(count));
}

Result<std::size_t> ByteReader::count(std::string_view field, std::size_t element_bytes_min) {
  FENCEPOST_TRY(const std::optional<std::size_t> count, nullable_count(field, element_bytes_min));
  if (!count) return failure(ErrorKind::Corrupt, fmt::format("{} is null", field));
  return *count;
}

void ByteWriter::big_endian(std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;) out_ += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

Result<void> ByteWriter::string(std::string_view field, std::string_view text) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max())) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("{} is {} bytes long; the group protocol holds at most 32767", field, text.size()));
  }
  int16(static_cast<std::int16_t>(text.size()));
  out_ += text;
  return {};
}

}  // namespace fencepost::protocol
