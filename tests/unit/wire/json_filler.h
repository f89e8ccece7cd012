#pragma once

#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "vectors.h"
#include "wire/types.h"

namespace fencepost::wire {

/// Kafka's JSON writes bytes in base 64 and uuids in its URL alphabet without padding.
inline std::string from_base64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    std::uint32_t value = 63;
    if (c >= 'A' && c <= 'Z') value = static_cast<std::uint32_t>(c - 'A');
    if (c >= 'a' && c <= 'z') value = static_cast<std::uint32_t>(c - 'a') + 26;
    if (c >= '0' && c <= '9') value = static_cast<std::uint32_t>(c - '0') + 52;
    if (c == '+' || c == '-') value = 62;
    bits = bits << 6 | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<char>(bits >> count & 0xff));
    }
  }
  return out;
}

/// The visitor that fills a message from Kafka's JSON form of it ("GroupId" is "groupId" there). What is absent keeps its
/// default.
class JsonFiller {
 public:
  explicit JsonFiller(const testing::Json& json) : json_(json) {}

  template <class T>
  void field(std::string_view name, T& value, FieldRule = {}) {
    std::string key(name);
    key[0] = static_cast<char>(std::tolower(key[0]));
    const auto found = json_.find(key);
    if (found != json_.end()) fill(*found, value);
  }

 private:
  template <class T>
  static void fill(const testing::Json& json, T& value) {
    if constexpr (IsOptional<T>::value) {
      value.reset();
      if (!json.is_null()) fill(json, value.emplace());
    } else if constexpr (IsArray<T>::value) {
      value.clear();
      for (const auto& element : json) fill(element, value.emplace_back());
    } else if constexpr (std::is_same_v<T, Bytes>) {
      value.data = from_base64(json.get<std::string>());
    } else if constexpr (std::is_same_v<T, Uuid>) {
      const std::string bytes = from_base64(json.get<std::string>());
      for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<std::uint8_t>(bytes.at(i));
    } else if constexpr (Struct<T>) {
      JsonFiller inner(json);
      T::describe(value, inner);
    } else {
      value = json.get<T>();
    }
  }

  const testing::Json& json_;
};

template <class Message>
Message from_json(const testing::Json& json) {
  Message message;
  JsonFiller filler(json);
  Message::describe(message, filler);
  return message;
}

}  // namespace fencepost::wire
