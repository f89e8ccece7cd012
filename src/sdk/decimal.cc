#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <utility>

#include "fencepost/data.h"

namespace fencepost {

namespace {

// A natural number as groups of nine decimal digits, the lowest first.
using Groups = std::vector<std::uint32_t>;
constexpr std::uint64_t kGroup = 1'000'000'000;

// The longest number of digits worth printing or reading: far beyond any database's, and short enough that hostile text costs
// little.
constexpr std::int64_t kDigitsMax = 20'000;
constexpr std::int64_t kExponentMax = 3'000'000'000;

void multiply_and_add(Groups& number, std::uint32_t factor, std::uint32_t summand) {
  std::uint64_t carry = summand;
  for (std::uint32_t& group : number) {
    carry += std::uint64_t{group} * factor;
    group = static_cast<std::uint32_t>(carry % kGroup);
    carry /= kGroup;
  }
  if (carry != 0) number.push_back(static_cast<std::uint32_t>(carry));
}

std::string digits_of(const Groups& number) {
  std::string text = number.empty() ? "0" : std::to_string(number.back());
  for (auto group = number.size(); group-- > 1;) {
    const std::string digits = std::to_string(number[group - 1]);
    text.append(9 - digits.size(), '0').append(digits);
  }
  return text;
}

bool is_negative(std::string_view twos_complement) {
  return !twos_complement.empty() && (static_cast<unsigned char>(twos_complement.front()) & 0x80) != 0;
}

/// Big-endian two's complement with the fewest bytes, as BigInteger.toByteArray. `digits` are digits only.
std::string to_twos_complement(std::string_view digits, bool negative) {
  Groups rest;
  for (std::size_t end = digits.size(); end > 0;) {
    const std::size_t begin = end > 9 ? end - 9 : 0;
    std::uint32_t group = 0;
    std::from_chars(digits.data() + begin, digits.data() + end, group);
    rest.push_back(group);
    end = begin;
  }
  std::string bytes;  // lowest first
  while (std::any_of(rest.begin(), rest.end(), [](std::uint32_t group) { return group != 0; })) {
    std::uint64_t remainder = 0;
    for (auto group = rest.rbegin(); group != rest.rend(); ++group) {
      remainder = remainder * kGroup + *group;
      *group = static_cast<std::uint32_t>(remainder / 256);
      remainder %= 256;
    }
    bytes.push_back(static_cast<char>(remainder));
  }
  if (negative) {
    unsigned carry = 1;
    for (char& byte : bytes) {
      const unsigned flipped = (~static_cast<unsigned>(static_cast<unsigned char>(byte)) & 0xff) + carry;
      byte = static_cast<char>(flipped);
      carry = flipped >> 8;
    }
  }
  const bool zero = bytes.empty();
  const bool top_bit = !zero && (static_cast<unsigned char>(bytes.back()) & 0x80) != 0;
  if (zero || top_bit != negative) bytes.push_back(negative && !zero ? '\xff' : '\0');
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

[[noreturn]] void not_a_number(std::string_view text) {
  throw DataError("'" + std::string(text.substr(0, 100)) + "' is not a decimal number");
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Decimal::Decimal(std::int64_t unscaled, std::int32_t scale) { *this = from_digits(std::to_string(unscaled), scale); }

Decimal Decimal::from_digits(std::string_view digits, std::int32_t scale) {
  std::string_view rest = digits;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (!all_digits(rest) || std::ssize(rest) > kDigitsMax) not_a_number(digits);
  return {Bytes(to_twos_complement(rest, negative)), scale};
}

Decimal Decimal::parse(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::int64_t exponent = 0;
  if (const auto e = rest.find_first_of("eE"); e != std::string_view::npos) {
    std::string_view power = rest.substr(e + 1);
    if (power.starts_with('+') && !power.starts_with("+-")) power.remove_prefix(1);
    const auto [end, error] = std::from_chars(power.data(), power.data() + power.size(), exponent);
    if (error != std::errc() || end != power.data() + power.size()) not_a_number(text);
    rest = rest.substr(0, e);
  }
  std::string digits(rest);
  std::int64_t scale = -exponent;
  if (const auto point = digits.find('.'); point != std::string::npos) {
    digits.erase(point, 1);
    scale += std::ssize(digits) - static_cast<std::int64_t>(point);
  }
  const bool scale_fits = exponent <= kExponentMax && exponent >= -kExponentMax &&
                          scale <= std::numeric_limits<std::int32_t>::max() && scale >= std::numeric_limits<std::int32_t>::min();
  if (!scale_fits || !all_digits(digits)) not_a_number(text);
  return from_digits((negative ? "-" : "") + digits, static_cast<std::int32_t>(scale));
}

std::string Decimal::unscaled_digits() const {
  const std::string_view bytes = unscaled_.view();
  const bool negative = is_negative(bytes);
  Groups number;
  for (const char c : bytes) {
    // The complement of a negative number is its magnitude minus one, so one is added at the end.
    const auto byte = static_cast<unsigned char>(c);
    multiply_and_add(number, 256, negative ? static_cast<unsigned char>(~byte) : byte);
  }
  if (negative) multiply_and_add(number, 1, 1);
  while (!number.empty() && number.back() == 0) number.pop_back();
  std::string digits = digits_of(number);
  if (negative) digits.insert(0, 1, '-');
  return digits;
}

std::string Decimal::to_string() const {
  const std::string digits = unscaled_digits();
  const bool negative = digits[0] == '-';
  const std::string magnitude = negative ? digits.substr(1) : digits;
  const std::int64_t exponent = -std::int64_t{scale_} + static_cast<std::int64_t>(magnitude.size()) - 1;
  if (scale_ == 0 || (scale_ > 0 && exponent >= -6)) return to_plain_string();
  std::string text = negative ? "-" : "";
  text += magnitude[0];
  if (magnitude.size() > 1) text.append(".").append(magnitude, 1);
  if (exponent != 0) text.append(exponent > 0 ? "E+" : "E").append(std::to_string(exponent));
  return text;
}

std::string Decimal::to_plain_string() const {
  std::string digits = unscaled_digits();
  const bool negative = digits[0] == '-';
  if (negative) digits.erase(0, 1);
  if (scale_ < 0) {
    const auto zeros = static_cast<std::size_t>(-std::int64_t{scale_});
    if (digits != "0" && std::cmp_greater(zeros, kDigitsMax))
      throw DataError("a decimal of scale " + std::to_string(scale_) + " is too long to be written out");
    if (digits != "0") digits.append(zeros, '0');
  } else if (scale_ > 0) {
    const auto places = static_cast<std::size_t>(scale_);
    if (std::cmp_greater(places, kDigitsMax))
      throw DataError("a decimal of scale " + std::to_string(scale_) + " is too long to be written out");
    if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
    digits.insert(digits.size() - places, 1, '.');
  }
  if (negative) digits.insert(0, 1, '-');
  return digits;
}

double Decimal::to_double() const {
  const std::string text = unscaled_digits() + "e" + std::to_string(-std::int64_t{scale_});
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc::result_out_of_range) {
    const auto digits = static_cast<std::int64_t>(text.find('e'));
    number = digits - scale_ > 0 ? std::numeric_limits<double>::infinity() : 0.0;
    if (text[0] == '-') number = -number;
  }
  return number;
}

bool operator==(const Decimal& a, const Decimal& b) {
  // Bytes may be longer than needed, so numbers are compared where bytes differ.
  return a.scale_ == b.scale_ && (a.unscaled_ == b.unscaled_ || a.unscaled_digits() == b.unscaled_digits());
}

}  // namespace fencepost
