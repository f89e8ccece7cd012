#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "builtin/converters/values_text.h"

namespace fencepost::builtin {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// ---- dates and times, as leniently as java.text.SimpleDateFormat ----

/// Reads numbers and literals one after the other; a month 13 or a day 31 in February rolls over later.
class LenientReader {
 public:
  explicit LenientReader(std::string_view text) : rest_(text) {}

  LenientReader& number(std::int64_t& out) {
    std::size_t digits = 0;
    while (digits < rest_.size() && is_digit(rest_[digits])) ++digits;
    good_ = good_ && digits > 0 && std::from_chars(rest_.data(), rest_.data() + digits, out).ec == std::errc();
    rest_.remove_prefix(digits);
    return *this;
  }
  LenientReader& literal(char c) {
    good_ = good_ && rest_.starts_with(c);
    if (good_) rest_.remove_prefix(1);
    return *this;
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

/// Days since the epoch of any year and month, in the proleptic Gregorian calendar: years counted from March, in cycles of 400.
std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
  const std::int64_t months_from_march = year * 12 + month - 3;
  const std::int64_t march_year = months_from_march >= 0 ? months_from_march / 12 : (months_from_march - 11) / 12;
  const std::int64_t march_month = months_from_march - march_year * 12;
  const std::int64_t cycle = march_year >= 0 ? march_year / 400 : (march_year - 399) / 400;
  const std::int64_t year_of_cycle = march_year - cycle * 400;
  const std::int64_t day_of_year = (153 * march_month + 2) / 5;
  return cycle * 146'097 + year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year - 719'468 + day - 1;
}

std::optional<SchemaAndValue> parse_time(std::string_view text) {
  std::int64_t h = 0, m = 0, s = 0, ms = 0;
  if (!LenientReader(text).number(h).literal(':').number(m).literal(':').number(s).literal('.').number(ms).literal('Z').good())
    return {};
  return SchemaAndValue{SchemaBuilder::time().build(), Value::date_ms(((h * 60 + m) * 60 + s) * 1000 + ms)};
}

std::optional<SchemaAndValue> parse_date(std::string_view text) {
  std::int64_t y = 0, m = 0, d = 0;
  if (!LenientReader(text).number(y).literal('-').number(m).literal('-').number(d).good()) return {};
  return SchemaAndValue{SchemaBuilder::date().build(), Value::date_ms(days_from_civil(y, m, d) * 86'400'000)};
}

std::optional<SchemaAndValue> parse_timestamp(std::string_view text) {
  std::int64_t y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0, ms = 0;
  LenientReader reader(text);
  reader.number(y).literal('-').number(mo).literal('-').number(d).literal('T');
  if (!reader.number(h).literal(':').number(mi).literal(':').number(s).literal('.').number(ms).literal('Z').good()) return {};
  const std::int64_t time = ((h * 60 + mi) * 60 + s) * 1000 + ms;
  return SchemaAndValue{SchemaBuilder::timestamp().build(), Value::date_ms(days_from_civil(y, mo, d) * 86'400'000 + time)};
}

std::optional<SchemaAndValue> parse_temporal(std::string_view token) {
  std::string text(token);
  for (auto at = text.find("\\:"); at != std::string::npos; at = text.find("\\:", at)) text.erase(at, 1);
  // The lengths of the three formats decide which is tried.
  if (text.size() == 13) return parse_time(text);
  if (text.size() == 24) return parse_timestamp(text);
  if (text.size() == 10) return parse_date(text);
  return {};
}

// ---- numbers ----

std::optional<std::int64_t> exact_integer(const Decimal& number) {
  std::string digits = number.unscaled_digits();
  if (digits == "0") return 0;
  if (number.scale() < -20) return {};
  if (number.scale() <= 0) {
    digits.append(static_cast<std::size_t>(-number.scale()), '0');
  } else {
    const auto places = static_cast<std::size_t>(number.scale());
    const std::size_t sign = digits[0] == '-' ? 1 : 0;
    if (digits.size() - sign <= places || digits.find_first_not_of('0', digits.size() - places) != std::string::npos) return {};
    digits.resize(digits.size() - places);
  }
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), integer);
  if (error != std::errc() || end != digits.data() + digits.size()) return {};
  return integer;
}

SchemaAndValue smallest_integer(std::int64_t number) {
  const auto fits = [&](auto sample) {
    using Limits = std::numeric_limits<decltype(sample)>;
    return number >= Limits::min() && number <= Limits::max();
  };
  if (fits(std::int8_t{})) return {Schema::int8(), Value(static_cast<std::int8_t>(number))};
  if (fits(std::int16_t{})) return {Schema::int16(), Value(static_cast<std::int16_t>(number))};
  if (fits(std::int32_t{})) return {Schema::int32(), Value(static_cast<std::int32_t>(number))};
  return {Schema::int64(), Value(number)};
}

std::optional<SchemaAndValue> parse_number(std::string_view token) {
  std::optional<Decimal> number;
  try {
    number = Decimal::parse(token);
  } catch (const DataError&) {
    return {};
  }
  if (const auto integer = exact_integer(*number)) return smallest_integer(*integer);
  const double wide = number->to_double();
  const auto narrow = static_cast<float>(wide);
  if (number->scale() != 0 && std::isfinite(narrow)) return SchemaAndValue{Schema::float32(), Value(narrow)};
  if (number->scale() != 0 && std::isfinite(wide)) return SchemaAndValue{Schema::float64(), Value(wide)};
  return SchemaAndValue{SchemaBuilder::decimal(number->scale()).build(), Value(*number)};
}

// ---- what the elements of an array, or the keys or values of a map, have in common ----

/// Where both are numbers, the wider type; nothing where there is none.
std::optional<SchemaType> wider(SchemaType a, SchemaType b) {
  const auto is_number = [](SchemaType type) { return type <= SchemaType::Float64; };
  if (!is_number(a) || !is_number(b)) return {};
  return std::max(a, b);
}

class CommonSchema {
 public:
  void merge(const SchemaPtr& schema) {
    if (schema == nullptr || !compatible_) return;
    if (common_ == nullptr || common_->type() == schema->type()) {
      common_ = schema;
      return;
    }
    const auto type = wider(common_->type(), schema->type());
    compatible_ = type.has_value();
    if (!compatible_) {
      common_ = nullptr;
    } else if (*type == schema->type()) {
      common_ = schema;
    }
  }
  [[nodiscard]] const SchemaPtr& get() const { return common_; }

 private:
  SchemaPtr common_;
  bool compatible_ = true;
};

double to_double(const Value& value) {
  if (value.is_integer()) return static_cast<double>(value.as_integer());
  return value.is(Value::Kind::Float32) ? static_cast<double>(value.as_float32()) : value.as_float64();
}

Value convert_number(const Schema& schema, const Value& value) {
  switch (schema.type()) {
    case SchemaType::Int16:
      return static_cast<std::int16_t>(value.as_integer());
    case SchemaType::Int32:
      return static_cast<std::int32_t>(value.as_integer());
    case SchemaType::Int64:
      return value.as_integer();
    case SchemaType::Float32:
      return static_cast<float>(to_double(value));
    case SchemaType::Float64:
      return to_double(value);
    default:
      return value;
  }
}

/// Brings a value to the common schema; DataError for a null, which makes the whole text a string.
Value align(const SchemaPtr& schema, const Value& value) {
  if (value.is_null()) throw DataError("Unable to convert a null value to a schema that requires a value");
  const bool plain_number = schema->type() <= SchemaType::Float64 && !schema->name();
  return plain_number && !value.is(Value::Kind::Date) ? convert_number(*schema, value) : value;
}

// ---- the grammar ----

/// Cuts a text into tokens: runs of plain characters, and single delimiters that no backslash escapes.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}

  [[nodiscard]] bool has_next() const { return pending_.has_value() || at_ < text_.size(); }

  std::string_view next() {
    if (pending_) {
      const std::string_view token = *pending_;
      pending_.reset();
      return token;
    }
    return cut();
  }

  /// Several tokens as one text; nothing, and no token taken, where there are fewer.
  std::optional<std::string_view> next(int count) {
    const std::size_t start = mark();
    rewind(start);
    for (int i = 0; i < count; ++i) {
      if (at_ >= text_.size()) {
        rewind(start);
        return {};
      }
      cut();
    }
    return text_.substr(start, at_ - start);
  }

  bool take(char delimiter, bool skip_blanks = true) {
    if (!pending_) {
      if (at_ >= text_.size()) return false;
      pending_ = cut();
    }
    if (skip_blanks) {
      pending_ = trimmed(*pending_);
      while (pending_->empty() && at_ < text_.size()) pending_ = trimmed(cut());
    }
    if (pending_->size() != 1 || pending_->front() != delimiter) return false;
    pending_.reset();
    return true;
  }

  [[nodiscard]] std::size_t mark() const { return pending_ ? static_cast<std::size_t>(pending_->data() - text_.data()) : at_; }
  void rewind(std::size_t to) {
    pending_.reset();
    at_ = to;
  }

 private:
  std::string_view cut() {
    const std::size_t start = at_;
    bool escaped = false;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\\') {
        escaped = !escaped;
        continue;
      }
      if (!escaped && std::string_view(":,{}[]\"").find(c) != std::string_view::npos) {
        if (at_ == start) ++at_;
        break;
      }
      escaped = false;
    }
    return text_.substr(start, at_ - start);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<std::string_view> pending_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(text) {}

  SchemaAndValue parse(bool embedded) {
    if (!tokens_.has_next()) return {};
    if (embedded && tokens_.take('"')) return quoted();
    // Headers come from anywhere: no more levels than any real header has, so that the stack is safe.
    if (depth_ > kDepthMax) throw DataError("too many levels");
    const std::size_t start = tokens_.mark();
    try {
      if (tokens_.take('[')) return nested([this] { return array(); });
      if (tokens_.take('{')) return nested([this] { return map(); });
    } catch (const DataError&) {
      if (embedded) throw;
      tokens_.rewind(start);
    }
    return token(embedded, tokens_.next());
  }

 private:
  static constexpr int kDepthMax = 200;

  template <class Read>
  SchemaAndValue nested(Read read) {
    ++depth_;
    SchemaAndValue out = read();
    --depth_;
    return out;
  }

  SchemaAndValue quoted() {
    std::string content;
    while (tokens_.has_next()) {
      if (tokens_.take('"', false)) break;
      content.append(tokens_.next());
    }
    if (const auto temporal = parse_temporal(content)) return *temporal;
    return {Schema::string(), Value(content)};
  }

  SchemaAndValue array() {
    ValueList items;
    CommonSchema common;
    while (tokens_.has_next()) {
      if (tokens_.take(']')) {
        if (common.get() != nullptr) {
          for (Value& item : items) item = align(common.get(), item);
        }
        return {SchemaBuilder::array(common.get()).build(), Value(std::move(items))};
      }
      if (tokens_.take(',')) throw DataError("an array element is empty");
      SchemaAndValue item = parse(true);
      common.merge(item.schema);
      items.push_back(std::move(item.value));
      const std::size_t after = tokens_.mark();
      if (tokens_.take(']')) {
        tokens_.rewind(after);
      } else if (!tokens_.take(',')) {
        throw DataError("array elements are not divided by commas");
      }
    }
    throw DataError("an array is not closed");
  }

  SchemaAndValue map() {
    ValueMap entries;
    CommonSchema keys, values;
    while (tokens_.has_next()) {
      if (tokens_.take('}')) return finish_map(std::move(entries), keys.get(), values.get());
      if (tokens_.take(',')) throw DataError("a map entry is empty");
      const SchemaAndValue key = parse(true);
      if (key.value.is_null()) throw DataError("a map key is null");
      if (!tokens_.take(':')) throw DataError("a map entry has no value");
      SchemaAndValue value = parse(true);
      const auto same = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.first == key.value; });
      if (same == entries.end()) {
        entries.emplace_back(key.value, std::move(value.value));
      } else {
        same->second = std::move(value.value);
      }
      (void)tokens_.take(',');
      keys.merge(key.schema);
      values.merge(value.schema);
    }
    throw DataError("a map is not closed");
  }

  static SchemaAndValue finish_map(ValueMap entries, const SchemaPtr& keys, const SchemaPtr& values) {
    for (auto& [key, value] : entries) {
      if (keys != nullptr) key = align(keys, key);
      if (keys != nullptr && values != nullptr) value = align(values, value);
    }
    return {SchemaBuilder::map(keys, keys == nullptr ? nullptr : values).build(), Value(std::move(entries))};
  }

  SchemaAndValue token(bool embedded, std::string_view raw) {
    const std::string_view text = trimmed(raw);
    if (text.empty()) {
      if (embedded) throw DataError("a value is missing");
      return {Schema::string(), Value(text_)};
    }
    if (text == "null") return {};
    if (text == "true") return {Schema::boolean(), Value(true)};
    if (text == "false") return {Schema::boolean(), Value(false)};
    if (is_digit(text.front())) {
      // Colons cut times into five tokens.
      const std::size_t after = tokens_.mark();
      if (const auto rest = tokens_.next(4)) {
        if (auto temporal = parse_temporal(std::string(text).append(*rest))) return *std::move(temporal);
      }
      tokens_.rewind(after);
      if (auto temporal = parse_temporal(text)) return *std::move(temporal);
    }
    if (is_digit(text.front()) || text.front() == '+' || text.front() == '-') {
      if (auto number = parse_number(text)) return *std::move(number);
    }
    if (embedded) throw DataError("an embedded value is neither a number nor quoted");
    return {Schema::string(), Value(text_)};
  }

  std::string_view text_;
  Tokens tokens_;
  int depth_ = 0;
};

}  // namespace

SchemaAndValue parse_values_text(std::string_view text) {
  if (text.empty()) return {Schema::string(), Value("")};
  return Parser(text).parse(false);
}

}  // namespace fencepost::builtin
