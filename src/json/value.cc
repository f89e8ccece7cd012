#include "json/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/assert.h"
#include "json/number.h"

namespace fencepost::json {

Value::Value(double value) {
  std::string text;
  append_double(text, value);
  if (std::isfinite(value)) {
    data_ = Number{std::move(text)};
  } else {
    data_ = std::move(text);
  }
}

std::string_view Value::kind() const {
  static constexpr std::array<std::string_view, 6> kNames{"null", "boolean", "number", "string", "array", "object"};
  return kNames[data_.index()];
}

std::optional<std::int64_t> Value::as_int64() const {
  const Number* number = as_number();
  if (number == nullptr) return std::nullopt;
  const char* end = number->spelling.data() + number->spelling.size();
  std::int64_t out = 0;
  const auto parsed = std::from_chars(number->spelling.data(), end, out);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return out;
}

std::optional<double> Value::as_double() const {
  const Number* number = as_number();
  return number == nullptr ? std::nullopt : std::optional(parse_double(number->spelling));
}

const Value* Value::find(std::string_view name) const {
  const Object* members = as_object();
  if (members == nullptr) return nullptr;
  const auto at = std::find_if(members->begin(), members->end(), [&](const Member& m) { return m.name == name; });
  return at == members->end() ? nullptr : &at->value;
}

Value& Value::set(std::string_view name, Value value) {
  Object* members = as_object();
  FENCEPOST_ASSERT(members != nullptr, "a member can be set in a JSON object only");
  const auto at = std::find_if(members->begin(), members->end(), [&](const Member& m) { return m.name == name; });
  if (at != members->end()) {
    at->value = std::move(value);
  } else {
    members->push_back({std::string(name), std::move(value)});
  }
  return *this;
}

Value& Value::push_back(Value value) {
  Array* elements = as_array();
  FENCEPOST_ASSERT(elements != nullptr, "an element can be appended to a JSON array only");
  elements->push_back(std::move(value));
  return *this;
}

bool operator==(const Value& a, const Value& b) {
  const Value::Object* members = a.as_object();
  if (members == nullptr || !b.is_object()) return a.data_ == b.data_;
  return members->size() == b.as_object()->size() && std::all_of(members->begin(), members->end(), [&](const Member& m) {
           const Value* other = b.find(m.name);
           return other != nullptr && *other == m.value;
         });
}

bool is_integer(const Number& number) { return number.spelling.find_first_of(".eE") == std::string::npos; }

}  // namespace fencepost::json
