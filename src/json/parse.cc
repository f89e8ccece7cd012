#include "json/parse.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "json/utf8.h"

namespace fencepost::json {
namespace {

constexpr std::size_t kNumberLengthMax = 1000;
/// Up to this many members a doubled name is looked for by comparing all; beyond, in a hash table.
constexpr std::size_t kSmallObject = 16;

constexpr std::array<bool, 256> make_plain() {
  std::array<bool, 256> out{};
  for (std::size_t c = 0x20; c < 0x80; ++c) out[c] = c != '"' && c != '\\';
  return out;
}
/// What may stand in a string as it is, ASCII only.
constexpr std::array<bool, 256> kPlain = make_plain();

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_members_once(Value::Object& members) {
  if (members.size() < 2) return;
  Value::Object once;
  if (members.size() <= kSmallObject) {
    bool doubled = false;
    for (std::size_t i = 1; i < members.size() && !doubled; ++i) {
      for (std::size_t k = 0; k < i && !doubled; ++k) doubled = members[i].name == members[k].name;
    }
    if (!doubled) return;
  }
  std::unordered_map<std::string, std::size_t> places;
  once.reserve(members.size());
  for (Member& member : members) {
    const auto [at, fresh] = places.try_emplace(member.name, once.size());
    if (fresh) {
      once.push_back(std::move(member));
    } else {
      once[at->second].value = std::move(member.value);
    }
  }
  members = std::move(once);
}

/// Recursive descent. Each reader returns false after fail(); the first failure stands.
class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options) : text_(text), options_(options) {}

  Result<Value> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    Value out;
    if (!value(out, 0)) return broken();
    if (!options_.allow_trailing) {
      skip_blanks();
      if (at_ != text_.size()) {
        fail("there is text after the value");
        return broken();
      }
    }
    return out;
  }

 private:
  Failure broken() const { return failure(ErrorKind::Corrupt, fmt::format("not JSON: {} (byte {})", problem_, at_)); }

  bool fail(std::string_view problem) {
    problem_ = problem;
    return false;
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }

  void skip_blanks() {
    while (!at_end() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
  }

  bool value(Value& out, std::size_t depth) {
    skip_blanks();
    switch (peek()) {
      case '{':
        return object(out, depth + 1);
      case '[':
        return array(out, depth + 1);
      case '"': {
        std::string text;
        if (!string(text)) return false;
        out = Value(std::move(text));
        return true;
      }
      case 't':
        out = Value(true);
        return literal("true");
      case 'f':
        out = Value(false);
        return literal("false");
      case 'n':
        out = Value();
        return literal("null");
      default:
        return number(out);
    }
  }

  bool literal(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return fail("an unknown word; a value was expected");
    at_ += word.size();
    return ends_here();
  }

  /// A word or number must not run into the next one, even where later text is not looked at.
  bool ends_here() {
    if (at_end()) return true;
    const char c = text_[at_];
    const bool separator = c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ',' || c == ']' || c == '}';
    return separator || fail("a value runs into other text");
  }

  bool number(Value& out) {
    const std::size_t start = at_;
    if (peek() == '-') ++at_;
    if (!is_digit(peek())) {
      at_ = start;
      return fail(at_end() ? "the text ends where a value was expected" : "a value was expected");
    }
    std::size_t digits = at_;
    while (is_digit(peek())) ++at_;
    if (text_[digits] == '0' && at_ - digits > 1) {
      if (!options_.allow_leading_zeros) return fail("a number begins with a zero");
      while (digits + 1 < at_ && text_[digits] == '0') ++digits;
    }
    if (peek() == '.') {
      ++at_;
      if (!is_digit(peek())) return fail("digits were expected after the point of a number");
      while (is_digit(peek())) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) return fail("digits were expected in the exponent of a number");
      while (is_digit(peek())) ++at_;
    }
    if (at_ - start > kNumberLengthMax) return fail("a number is longer than 1000 characters");
    std::string spelling(text_[start] == '-' ? "-" : "");
    spelling += text_.substr(digits, at_ - digits);
    out = Value(Number{std::move(spelling)});
    return ends_here();
  }

  bool string(std::string& out) {
    ++at_;
    while (true) {
      const std::size_t start = at_;
      while (at_ < text_.size()) {
        const auto c = static_cast<unsigned char>(text_[at_]);
        if (kPlain[c]) {
          ++at_;
        } else if (c >= 0x80) {
          const std::size_t length = utf8_length(text_, at_);
          if (length == 0) return fail("a string holds bytes that are not UTF-8");
          at_ += length;
        } else {
          break;
        }
      }
      out.append(text_, start, at_ - start);
      if (at_end()) return fail("the text ends inside a string");
      if (text_[at_] == '"') {
        ++at_;
        return true;
      }
      if (text_[at_] != '\\') return fail("a control character in a string must be written as an escape");
      ++at_;
      if (!escape(out)) return false;
    }
  }

  bool escape(std::string& out) {
    switch (peek()) {
      case '"':
      case '\\':
      case '/':
        out += text_[at_];
        break;
      case 'b':
        out += '\b';
        break;
      case 'f':
        out += '\f';
        break;
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'u':
        return unicode_escape(out);
      default:
        return fail("an unknown escape in a string");
    }
    ++at_;
    return true;
  }

  bool unicode_escape(std::string& out) {
    char32_t point = 0;
    if (!code_unit(at_ + 1, point)) return fail("four hexadecimal digits were expected after \\u");
    at_ += 5;
    char32_t low = 0;
    if (point >= 0xD800 && point < 0xDC00 && text_.substr(at_, 2) == "\\u" && code_unit(at_ + 2, low) && low >= 0xDC00 &&
        low < 0xE000) {
      point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
      at_ += 6;
    }
    utf8_append(out, point);
    return true;
  }

  [[nodiscard]] bool code_unit(std::size_t from, char32_t& out) const {
    if (from + 4 > text_.size()) return false;
    out = 0;
    for (std::size_t i = from; i < from + 4; ++i) {
      const int digit = hex_value(text_[i]);
      if (digit < 0) return false;
      out = out << 4 | static_cast<char32_t>(digit);
    }
    return true;
  }

  bool array(Value& out, std::size_t depth) {
    if (depth > options_.depth_max) return fail("arrays and objects are nested too deeply");
    ++at_;
    out = Value::array();
    Value::Array& elements = *out.as_array();
    skip_blanks();
    if (peek() == ']') {
      ++at_;
      return true;
    }
    elements.reserve(4);
    while (true) {
      if (!value(elements.emplace_back(), depth)) return false;
      skip_blanks();
      if (peek() == ',') {
        ++at_;
      } else if (peek() == ']') {
        ++at_;
        return true;
      } else {
        return fail(at_end() ? "the text ends inside an array" : "',' or ']' was expected");
      }
    }
  }

  bool object(Value& out, std::size_t depth) {
    if (depth > options_.depth_max) return fail("arrays and objects are nested too deeply");
    ++at_;
    out = Value::object();
    Value::Object& members = *out.as_object();
    skip_blanks();
    if (peek() == '}') {
      ++at_;
      return true;
    }
    members.reserve(4);
    while (true) {
      skip_blanks();
      if (peek() != '"') return fail(at_end() ? "the text ends inside an object" : "a name in quotes was expected");
      Member& member = members.emplace_back();
      if (!string(member.name)) return false;
      skip_blanks();
      if (peek() != ':') return fail(at_end() ? "the text ends inside an object" : "':' was expected");
      ++at_;
      if (!value(member.value, depth)) return false;
      skip_blanks();
      if (peek() == ',') {
        ++at_;
      } else if (peek() == '}') {
        ++at_;
        append_members_once(members);
        return true;
      } else {
        return fail(at_end() ? "the text ends inside an object" : "',' or '}' was expected");
      }
    }
  }

  std::string_view text_;
  const ParseOptions& options_;
  std::size_t at_ = 0;
  std::string_view problem_ = "the text is empty";
};

}  // namespace

Result<Value> parse(std::string_view text, const ParseOptions& options) { return Parser(text, options).run(); }

}  // namespace fencepost::json
