#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/types.h"

namespace fencepost::wire {

/// The visitor that writes a message for a log. Secrets are replaced; opaque bytes appear as their size, since a group's
/// metadata or a SASL token may hold anything.
class Printer {
 public:
  template <class T>
  void field(std::string_view name, const T& value, FieldRule rule = {}) {
    if (!first_) out_ += ", ";
    first_ = false;
    out_ += name;
    out_ += '=';
    if (rule.is_secret) {
      out_ += "[hidden]";
    } else {
      put(value);
    }
  }

  template <class Message>
  void structure(const Message& message) {
    const bool outer_first = first_;
    first_ = true;
    out_ += '{';
    Message::describe(message, *this);
    out_ += '}';
    first_ = outer_first;
  }

  [[nodiscard]] std::string take() && { return std::move(out_); }

 private:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_ += value ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      out_ += std::to_string(value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      text(value);
    } else if constexpr (std::is_same_v<T, Bytes>) {
      out_ += "<" + std::to_string(value.data.size()) + " bytes>";
    } else if constexpr (std::is_same_v<T, Uuid>) {
      uuid(value);
    } else if constexpr (IsArray<T>::value) {
      out_ += '[';
      for (std::size_t i = 0; i < value.size(); ++i) {
        if (i > 0) out_ += ", ";
        put(value[i]);
      }
      out_ += ']';
    } else if constexpr (Struct<T>) {
      structure(value);
    } else if (value) {
      put(*value);
    } else {
      out_ += "null";
    }
  }

  // What came from a peer must not be able to forge a second log line.
  void text(std::string_view value) {
    out_ += '"';
    for (const char c : value) out_ += static_cast<unsigned char>(c) < 0x20 || c == '"' ? '?' : c;
    out_ += '"';
  }

  void uuid(const Uuid& value) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::uint8_t byte : value) {
      out_ += kDigits[byte >> 4];
      out_ += kDigits[byte & 15];
    }
  }

  std::string out_;
  bool first_ = true;
};

/// "HeartbeatRequest{GroupId="g", GenerationId=3, ...}"; safe to log.
template <class Message>
[[nodiscard]] std::string print(const Message& message) {
  Printer printer;
  printer.structure(message);
  return std::string(Message::kApi.name) + std::move(printer).take();
}

}  // namespace fencepost::wire
