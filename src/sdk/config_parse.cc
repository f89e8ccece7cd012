#include <algorithm>
#include <charconv>
#include <limits>

#include "fencepost/config_def.h"

namespace fencepost {

std::string_view to_string(ConfigType type) {
  static constexpr std::string_view kNames[] = {"BOOLEAN", "STRING", "INT",   "SHORT",   "LONG",
                                                "DOUBLE",  "LIST",   "CLASS", "PASSWORD"};
  return kNames[static_cast<std::size_t>(type)];
}

std::string_view to_string(Importance importance) {
  static constexpr std::string_view kNames[] = {"HIGH", "MEDIUM", "LOW"};
  return kNames[static_cast<std::size_t>(importance)];
}

std::string_view to_string(Width width) {
  static constexpr std::string_view kNames[] = {"NONE", "SHORT", "MEDIUM", "LONG"};
  return kNames[static_cast<std::size_t>(width)];
}

namespace {

/// As Java's String.trim(): everything up to the blank is dropped, control characters included.
std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

[[noreturn]] void not_a_number(std::string_view name, std::string_view text, ConfigType type) {
  throw ConfigError(name, text, "Not a number of type " + std::string(to_string(type)));
}

template <class Number>
Number parse_number(std::string_view name, std::string_view text, ConfigType type) {
  // Java takes one leading plus, from_chars does not.
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) not_a_number(name, text, type);
  return number;
}

double parse_double(std::string_view name, std::string_view text) {
  // Java's names for these; from_chars knows others.
  std::string_view unsigned_text = text;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) unsigned_text.remove_prefix(1);
  if (unsigned_text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (unsigned_text == "Infinity") return (negative ? -1 : 1) * std::numeric_limits<double>::infinity();
  // A type suffix is part of Java's syntax: 1.5d, 2f.
  if (unsigned_text.size() > 1 && std::string_view("dDfF").find(unsigned_text.back()) != std::string_view::npos)
    unsigned_text.remove_suffix(1);
  if (unsigned_text.empty() || (unsigned_text[0] != '.' && (unsigned_text[0] < '0' || unsigned_text[0] > '9'))) {
    not_a_number(name, text, ConfigType::Double);
  }
  const double number = parse_number<double>(name, unsigned_text, ConfigType::Double);
  return negative ? -number : number;
}

std::vector<std::string> parse_list(std::string_view text) {
  std::vector<std::string> items;
  if (text.empty()) return items;
  for (;;) {
    const auto comma = text.find(',');
    items.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

std::string number_text(double number) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  std::string out(text, end);
  // Java always writes a fraction: 0.8, 1.0.
  if (out.find_first_not_of("-0123456789") == std::string::npos) out += ".0";
  return out;
}

}  // namespace

ConfigDatum parse_config(std::string_view name, std::string_view text, ConfigType type) {
  const std::string_view value = trimmed(text);
  switch (type) {
    case ConfigType::Boolean:
      if (equal_ignoring_case(value, "true")) return true;
      if (equal_ignoring_case(value, "false")) return false;
      throw ConfigError(name, value, "Expected value to be either true or false");
    case ConfigType::String:
    case ConfigType::Class:
      return std::string(value);
    case ConfigType::Password:
      return Password(std::string(value));
    case ConfigType::Short:
      return parse_number<std::int16_t>(name, value, type);
    case ConfigType::Int:
      return parse_number<std::int32_t>(name, value, type);
    case ConfigType::Long:
      return parse_number<std::int64_t>(name, value, type);
    case ConfigType::Double:
      return parse_double(name, value);
    case ConfigType::List:
      return parse_list(value);
  }
  return {};
}

std::optional<std::string> to_text(const ConfigDatum& datum) {
  struct Writer {
    std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
    std::optional<std::string> operator()(bool value) const { return value ? "true" : "false"; }
    std::optional<std::string> operator()(std::int16_t value) const { return std::to_string(value); }
    std::optional<std::string> operator()(std::int32_t value) const { return std::to_string(value); }
    std::optional<std::string> operator()(std::int64_t value) const { return std::to_string(value); }
    std::optional<std::string> operator()(double value) const { return number_text(value); }
    std::optional<std::string> operator()(const std::string& value) const { return value; }
    std::optional<std::string> operator()(const std::vector<std::string>& items) const {
      std::string text;
      for (const std::string& item : items) text.append(&item == items.data() ? "" : ",").append(item);
      return text;
    }
    std::optional<std::string> operator()(const Password&) const { return Password::to_string(); }
  };
  return std::visit(Writer{}, datum);
}

}  // namespace fencepost
