#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace fencepost::json {

/// A JSON number by its spelling: "1.50", "1e3" and "12345678901234567890" stay what they are, since a REST config turns
/// them into text and a converter into decimals.
struct Number {
  std::string spelling;

  friend bool operator==(const Number&, const Number&) = default;
};

struct Member;

/// A JSON value that keeps the order of members and the spelling of numbers.
///
/// Strings are UTF-8. A lone surrogate, which Java's strings can hold ("\uD800"), is kept as the three bytes of its code
/// point, and written back as its escape.
class Value {
 public:
  using Array = std::vector<Value>;
  using Object = std::vector<Member>;

  Value() noexcept;
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  Value(std::nullptr_t) noexcept;
  template <class Bool, std::enable_if_t<std::is_same_v<Bool, bool>, int> = 0>
  Value(Bool value) : data_(value) {}
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, int> = 0>
  Value(Integer value) : Value(Number{std::to_string(value)}) {}
  /// Spelled as Java prints it; not finite ones become the strings "NaN", "Infinity" and "-Infinity", as with Jackson.
  Value(double value);
  Value(Number value);
  Value(std::string value);
  Value(std::string_view value);
  Value(const char* value);
  Value(Array value);
  Value(Object value);
  /// Null where there is nothing.
  template <class T>
  Value(std::optional<T> value) {
    if (value) *this = Value(*std::move(value));
  }

  [[nodiscard]] static Value array();
  [[nodiscard]] static Value object();

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(data_); }
  [[nodiscard]] bool is_number() const { return std::holds_alternative<Number>(data_); }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(data_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(data_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(data_); }
  /// "null", "boolean", "number", "string", "array" or "object": for messages.
  [[nodiscard]] std::string_view kind() const;

  // Null pointer where the value is of another kind.
  [[nodiscard]] const bool* as_bool() const { return std::get_if<bool>(&data_); }
  [[nodiscard]] const Number* as_number() const { return std::get_if<Number>(&data_); }
  [[nodiscard]] const std::string* as_string() const { return std::get_if<std::string>(&data_); }
  [[nodiscard]] const Array* as_array() const { return std::get_if<Array>(&data_); }
  [[nodiscard]] const Object* as_object() const { return std::get_if<Object>(&data_); }
  [[nodiscard]] Array* as_array() { return std::get_if<Array>(&data_); }
  [[nodiscard]] Object* as_object() { return std::get_if<Object>(&data_); }

  /// A number spelled without point and exponent that fits into 64 bits.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const;
  /// Any number, rounded correctly; beyond the range it is infinite or zero, as with Java.
  [[nodiscard]] std::optional<double> as_double() const;

  /// A member's value; null pointer where it is absent or this is no object.
  [[nodiscard]] const Value* find(std::string_view name) const;
  /// Replaces a member's value in place, or appends it. This must be an object.
  Value& set(std::string_view name, Value value);
  /// Appends an element. This must be an array.
  Value& push_back(Value value);

  /// Objects are equal whatever the order of their members; numbers are equal if they are spelled alike.
  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::monostate, bool, Number, std::string, Array, Object> data_;
};

struct Member {
  std::string name;
  Value value;

  friend bool operator==(const Member&, const Member&) = default;
};

// Here, where Member is complete: C++20's vector may be made and destroyed in constant expressions, so its element must be known.
inline Value::Value() noexcept = default;
inline Value::Value(const Value& other) = default;
inline Value::Value(Value&& other) noexcept = default;
inline Value& Value::operator=(const Value& other) = default;
inline Value& Value::operator=(Value&& other) noexcept = default;
inline Value::~Value() = default;
inline Value::Value(std::nullptr_t) noexcept {}
inline Value::Value(Number value) : data_(std::move(value)) {}
inline Value::Value(std::string value) : data_(std::move(value)) {}
inline Value::Value(std::string_view value) : data_(std::string(value)) {}
inline Value::Value(const char* value) : data_(std::string(value)) {}
inline Value::Value(Array value) : data_(std::move(value)) {}
inline Value::Value(Object value) : data_(std::move(value)) {}
inline Value Value::array() { return Value(Array{}); }
inline Value Value::object() { return Value(Object{}); }

/// Whether a number is spelled as an integer: neither point nor exponent.
[[nodiscard]] bool is_integer(const Number& number);

}  // namespace fencepost::json
