#include "json/writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "json/base64.h"
#include "json/number.h"
#include "json/utf8.h"

namespace fencepost::json {
namespace {

constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> out{};
  for (std::size_t c = 0x20; c < 0x80; ++c) out[c] = c != '"' && c != '\\';
  return out;
}
constexpr std::array<bool, 256> kPlain = make_plain();

void append_code_unit(std::string& out, unsigned unit) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kHex[unit >> shift & 15];
}

void append_ascii_escape(std::string& out, unsigned char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      append_code_unit(out, c);
  }
}

/// Code points that Java holds as surrogates go out as escapes, pairs and lone ones alike.
void append_surrogates(std::string& out, std::string_view sequence) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<unsigned>(static_cast<unsigned char>(sequence[i])) & mask;
  };
  if (sequence.size() == 3) {
    append_code_unit(out, bits(0, 0x0F) << 12 | bits(1, 0x3F) << 6 | bits(2, 0x3F));
    return;
  }
  const unsigned point = (bits(0, 0x07) << 18 | bits(1, 0x3F) << 12 | bits(2, 0x3F) << 6 | bits(3, 0x3F)) - 0x10000;
  append_code_unit(out, 0xD800 + (point >> 10));
  append_code_unit(out, 0xDC00 + (point & 0x3FF));
}

bool is_surrogate(std::string_view sequence) { return sequence[0] == '\xED' && static_cast<unsigned char>(sequence[1]) >= 0xA0; }

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  std::size_t start = 0;
  std::size_t at = 0;
  const auto flush = [&] { out.append(text, start, at - start); };
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (kPlain[c]) {
      ++at;
      continue;
    }
    const std::size_t length = c < 0x80 ? 1 : utf8_length(text, at);
    const std::string_view sequence = text.substr(at, length);
    if (length == 2 || (length == 3 && !is_surrogate(sequence))) {
      at += length;
      continue;
    }
    flush();
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (length == 1) {
      append_ascii_escape(out, c);
    } else {
      append_surrogates(out, sequence);
    }
    at += length == 0 ? 1 : length;
    start = at;
  }
  flush();
  out += '"';
}

Writer& Writer::key(std::string_view name) {
  comma();
  append_quoted(out_, name);
  out_ += ':';
  return *this;
}

Writer& Writer::integer(std::int64_t value) {
  comma();
  std::array<char, 24> buffer{};
  out_.append(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
  return *this;
}

Writer& Writer::number(double value) {
  comma();
  const std::string_view quote = std::isfinite(value) ? "" : "\"";
  out_ += quote;
  append_double(out_, value);
  out_ += quote;
  return *this;
}

Writer& Writer::number(float value) {
  comma();
  const std::string_view quote = std::isfinite(value) ? "" : "\"";
  out_ += quote;
  append_float(out_, value);
  out_ += quote;
  return *this;
}

Writer& Writer::string(std::string_view text) {
  comma();
  append_quoted(out_, text);
  return *this;
}

Writer& Writer::bytes(std::string_view value) {
  comma();
  out_ += '"';
  base64_append(out_, value);
  out_ += '"';
  return *this;
}

Writer& Writer::raw(std::string_view json) {
  comma();
  out_ += json;
  return *this;
}

Writer& Writer::value(const Value& value) {
  if (const auto* members = value.as_object()) {
    begin_object();
    for (const Member& member : *members) key(member.name).value(member.value);
    return end_object();
  }
  if (const auto* elements = value.as_array()) {
    begin_array();
    for (const Value& element : *elements) this->value(element);
    return end_array();
  }
  if (const auto* text = value.as_string()) return string(*text);
  if (const auto* number = value.as_number()) return raw(number->spelling);
  if (const auto* truth = value.as_bool()) return boolean(*truth);
  return null();
}

std::string write(const Value& value) {
  std::string out;
  Writer(out).value(value);
  return out;
}

}  // namespace fencepost::json
