#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace fencepost::wire {

/// Kafka's primitives, appended to a string: big-endian numbers and base-128 varints.
class Writer {
 public:
  template <class Number>
  void number(Number value) {
    auto bits = static_cast<std::make_unsigned_t<Number>>(value);
    for (std::size_t shift = sizeof(Number) * 8; shift > 0;) {
      shift -= 8;
      out_.push_back(static_cast<char>((bits >> shift) & 0xff));
    }
  }

  void unsigned_varint(std::uint32_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>((value & 0x7f) | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }

  void raw(std::string_view bytes) { out_.append(bytes); }

  [[nodiscard]] std::size_t size() const { return out_.size(); }
  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace fencepost::wire
