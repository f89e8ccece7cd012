#include "builtin/java_text.h"

#include <fmt/format.h>

#include <chrono>

#include "fencepost/schema.h"
#include "json/number.h"

namespace fencepost::builtin {

CivilTime civil_time(std::int64_t milliseconds_since_epoch) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds(milliseconds_since_epoch)};
  const sys_days date = floor<days>(time);
  const year_month_day ymd(date);
  const hh_mm_ss clock(time - date);
  // std::chrono::year ends at 32767; dates beyond are counted in cycles of 400 years, which repeat exactly.
  const std::int64_t days_since_epoch = date.time_since_epoch().count();
  constexpr std::int64_t kCycleDays = 146'097;
  const std::int64_t cycles =
      days_since_epoch >= 0 ? days_since_epoch / kCycleDays : -((-days_since_epoch + kCycleDays - 1) / kCycleDays);
  const year_month_day within(sys_days(days(days_since_epoch - cycles * kCycleDays)));
  return {.year = static_cast<int>(within.year()) + 400 * cycles,
          .month = static_cast<unsigned>(within.month()),
          .day = static_cast<unsigned>(within.day()),
          .weekday = weekday(date).c_encoding(),
          .hour = static_cast<unsigned>(clock.hours().count()),
          .minute = static_cast<unsigned>(clock.minutes().count()),
          .second = static_cast<unsigned>(clock.seconds().count()),
          .millisecond = static_cast<unsigned>(clock.subseconds().count())};
}

namespace {

std::string date_text(std::int64_t ms) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const CivilTime t = civil_time(ms);
  return fmt::format("{} {} {:02} {:02}:{:02}:{:02} UTC {}", kDays[t.weekday], kMonths[t.month - 1], t.day, t.hour, t.minute,
                     t.second, t.year);
}

void append(std::string& out, const Value& value) {
  switch (value.kind()) {
    case Value::Kind::String:
      out += value.as_string();
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
    case Value::Kind::Bytes: {
      const std::size_t size = value.as_bytes().size();
      out += fmt::format("java.nio.HeapByteBuffer[pos=0 lim={} cap={}]", size, size);
      break;
    }
    case Value::Kind::Array: {
      out += '[';
      const char* comma = "";
      for (const Value& item : value.as_array()) {
        out += comma;
        append(out, item);
        comma = ", ";
      }
      out += ']';
      break;
    }
    case Value::Kind::Map: {
      out += '{';
      const char* comma = "";
      for (const auto& [key, item] : value.as_map()) {
        out += comma;
        append(out, key);
        out += '=';
        append(out, item);
        comma = ", ";
      }
      out += '}';
      break;
    }
    case Value::Kind::Struct: {
      out += "Struct{";
      const char* comma = "";
      const Struct& fields = value.as_struct();
      for (const Field& field : fields.schema()->fields()) {
        const Value& item = fields.get_without_default(field.index);
        if (item.is_null()) continue;
        out.append(comma).append(field.name).append("=");
        append(out, item);
        comma = ",";
      }
      out += '}';
      break;
    }
    default:
      out += value.to_display();
  }
}

}  // namespace

std::string java_text(const Value& value) {
  std::string out;
  append(out, value);
  return out;
}

}  // namespace fencepost::builtin
