#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "json/value.h"

namespace fencepost::json {

/// Appends compact JSON to a text, exactly as Jackson writes it to bytes: no blanks, UTF-8 as it is except characters
/// beyond U+FFFF, which become \uD83D\uDE00; control characters as \n, \t, \u0001; '/' and U+2028 as they are. Bytes that
/// are not UTF-8 become U+FFFD.
///
/// Commas come by themselves. The caller keeps the grammar: key() before each value in an object, as many ends as begins.
/// Calls chain: Writer(out).begin_object().key("tasks").integer(2).end_object().
class Writer {
 public:
  /// Writes one value after what `out` already holds. The text must outlive the writer.
  explicit Writer(std::string& out) : out_(out), start_(out.size()) {}

  Writer& begin_object() { return open('{'); }
  Writer& end_object() { return close('}'); }
  Writer& begin_array() { return open('['); }
  Writer& end_array() { return close(']'); }
  Writer& key(std::string_view name);

  Writer& null() { return raw("null"); }
  Writer& boolean(bool value) { return raw(value ? "true" : "false"); }
  Writer& integer(std::int64_t value);
  /// As Java prints it; NaN and infinities in quotes.
  Writer& number(double value);
  Writer& number(float value);
  Writer& string(std::string_view text);
  /// A string of Base64.
  Writer& bytes(std::string_view value);
  /// Text that is one JSON value already: the spelling of a number, a part written before.
  Writer& raw(std::string_view json);
  Writer& value(const Value& value);

 private:
  Writer& open(char c) {
    comma();
    out_ += c;
    return *this;
  }
  Writer& close(char c) {
    out_ += c;
    return *this;
  }
  /// A value needs a comma before it unless it is the first or follows its key. Each value ends in none of these three
  /// characters, strings included (they end in a quote), so the last character tells.
  void comma() {
    if (out_.size() == start_) return;
    const char last = out_.back();
    if (last != '{' && last != '[' && last != ':') out_ += ',';
  }

  std::string& out_;
  std::size_t start_;
};

/// Appends a string in quotes with escapes.
void append_quoted(std::string& out, std::string_view text);

/// A value as compact JSON.
[[nodiscard]] std::string write(const Value& value);

}  // namespace fencepost::json
