#include "builtin/converters/values_text.h"

#include <fmt/format.h>

#include "builtin/java_text.h"
#include "json/base64.h"
#include "json/number.h"

namespace fencepost::builtin {

namespace {

constexpr std::int64_t kDayMs = 86'400'000;

std::string date_text(std::int64_t ms) {
  const CivilTime t = civil_time(ms);
  if (ms < kDayMs) return fmt::format("{:02}:{:02}:{:02}.{:03}Z", t.hour, t.minute, t.second, t.millisecond);
  const std::string date = fmt::format("{:04}-{:02}-{:02}", t.year, t.month, t.day);
  if (ms % kDayMs == 0) return date;
  return fmt::format("{}T{:02}:{:02}:{:02}.{:03}Z", date, t.hour, t.minute, t.second, t.millisecond);
}

void append(std::string& out, const Value& value, bool embedded);

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void append_entries(std::string& out, const Value& value) {
  out += '{';
  const char* comma = "";
  if (value.is(Value::Kind::Map)) {
    for (const auto& [key, item] : value.as_map()) {
      out += comma;
      append(out, key, true);
      out += ':';
      append(out, item, true);
      comma = ",";
    }
  } else {
    const Struct& fields = value.as_struct();
    for (const Field& field : fields.schema()->fields()) {
      out += comma;
      append_quoted(out, field.name);
      out += ':';
      append(out, fields.get(field.index), true);
      comma = ",";
    }
  }
  out += '}';
}

void append(std::string& out, const Value& value, bool embedded) {
  switch (value.kind()) {
    case Value::Kind::String:
      if (embedded) {
        append_quoted(out, value.as_string());
      } else {
        out += value.as_string();
      }
      break;
    case Value::Kind::Bytes:
      if (embedded) out += '"';
      json::base64_append(out, value.as_bytes().view());
      if (embedded) out += '"';
      break;
    case Value::Kind::Float32:
      json::append_float(out, value.as_float32());
      break;
    case Value::Kind::Float64:
      json::append_double(out, value.as_float64());
      break;
    case Value::Kind::Date:
      out += date_text(value.as_date_ms());
      break;
    case Value::Kind::Array: {
      out += '[';
      const char* comma = "";
      for (const Value& item : value.as_array()) {
        out += comma;
        append(out, item, true);
        comma = ",";
      }
      out += ']';
      break;
    }
    case Value::Kind::Map:
    case Value::Kind::Struct:
      append_entries(out, value);
      break;
    default:
      out += value.to_display();
  }
}

}  // namespace

std::string values_text(const Value& value) {
  std::string out;
  append(out, value, false);
  return out;
}

}  // namespace fencepost::builtin
