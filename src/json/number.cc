#include "json/number.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace fencepost::json {
namespace {

/// The digits without point, and the decimal exponent of the first one: 1.25E10 is {"125", 10}.
struct Decimal {
  std::array<char, 32> digits{};
  std::size_t count = 0;
  int exponent = 0;

  [[nodiscard]] std::string_view view(std::size_t from, std::size_t to) const { return {digits.data() + from, to - from}; }
};

Decimal split(std::string_view scientific) {
  Decimal out;
  std::size_t i = 0;
  for (; i < scientific.size() && scientific[i] != 'e'; ++i) {
    if (scientific[i] != '.') out.digits[out.count++] = scientific[i];
  }
  const char* sign = scientific.data() + i + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, scientific.data() + scientific.size(), out.exponent);
  while (out.count > 1 && out.digits[out.count - 1] == '0') --out.count;
  return out;
}

template <class Float>
Decimal shortest(Float magnitude) {
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific).ptr;
  Decimal out = split({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
  if (out.count > 1) return out;
  // Where one digit is enough Java still chooses among those of two, the one nearest: 4.9E-324, not 5.0E-324.
  end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude, std::chars_format::scientific, 1).ptr;
  return split({buffer.data(), static_cast<std::size_t>(end - buffer.data())});
}

void append_plain(std::string& out, const Decimal& d) {
  if (d.exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-d.exponent - 1), '0');
    out += d.view(0, d.count);
    return;
  }
  const auto whole = static_cast<std::size_t>(d.exponent) + 1;
  if (d.count <= whole) {
    out += d.view(0, d.count);
    out.append(whole - d.count, '0');
    out += ".0";
  } else {
    out += d.view(0, whole);
    out += '.';
    out += d.view(whole, d.count);
  }
}

template <class Float>
void append_java(std::string& out, Float value) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::signbit(value)) out += '-';
  const Float magnitude = std::fabs(value);
  if (std::isinf(magnitude)) {
    out += "Infinity";
  } else if (magnitude == 0) {
    out += "0.0";
  } else if (const Decimal d = shortest(magnitude); d.exponent >= -3 && d.exponent < 7) {
    append_plain(out, d);
  } else {
    out += d.digits[0];
    out += '.';
    out += d.count > 1 ? d.view(1, d.count) : std::string_view("0");
    out += 'E';
    out += std::to_string(d.exponent);
  }
}

}  // namespace

void append_double(std::string& out, double value) { append_java(out, value); }
void append_float(std::string& out, float value) { append_java(out, value); }

double parse_double(std::string_view spelling) {
  double out = 0;
  const auto parsed = std::from_chars(spelling.data(), spelling.data() + spelling.size(), out);
  if (parsed.ec != std::errc::result_out_of_range) return out;
  // strtod tells overflow from underflow, which from_chars does not; this is rare enough for a copy.
  return std::strtod(std::string(spelling).c_str(), nullptr);
}

}  // namespace fencepost::json
