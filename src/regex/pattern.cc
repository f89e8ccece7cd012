#define PCRE2_CODE_UNIT_WIDTH 8
#include "regex/pattern.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <array>
#include <utility>

namespace fencepost::regex {

struct Pattern::Code {
  explicit Code(pcre2_code* compiled) : code(compiled) {}
  ~Code() { pcre2_code_free(code); }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
  pcre2_code* code;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  int code = 0;
  PCRE2_SIZE place = 0;
  pcre2_code* compiled = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(),
                                       PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &code, &place, nullptr);
  if (compiled == nullptr) {
    std::array<PCRE2_UCHAR, 160> text{};
    pcre2_get_error_message(code, text.data(), text.size());
    return failure(ErrorKind::InvalidConfig, fmt::format("'{}' is no regular expression: {} at character {}", expression,
                                                         reinterpret_cast<const char*>(text.data()), place));
  }
  return Pattern(std::make_shared<const Code>(compiled));
}

Result<Pattern> Pattern::any_of(const std::vector<std::string>& expressions) {
  if (expressions.empty()) return compile("(?!)");
  std::string joined;
  for (const std::string& expression : expressions) {
    FENCEPOST_TRY([[maybe_unused]] const auto checked, compile(expression));
    if (!joined.empty()) joined += '|';
    joined += expression;
  }
  return compile(joined);
}

namespace {

struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};

/// Where the groups of one match lie in the text.
class Groups {
 public:
  Groups(const pcre2_code* code, std::string_view text, std::uint32_t options)
      : match_(pcre2_match_data_create_from_pattern(code, nullptr)), text_(text) {
    found_ = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0, options, match_.get(), nullptr) >= 0;
  }

  [[nodiscard]] bool found() const { return found_; }
  /// Of group 0, the match itself.
  [[nodiscard]] std::size_t begin() const { return ends()[0]; }
  [[nodiscard]] std::size_t end() const { return ends()[1]; }
  /// Groups, 0 not counted; what the expression has, not what matched.
  [[nodiscard]] std::uint32_t count() const { return pcre2_get_ovector_count(match_.get()) - 1; }
  /// Empty for a group that took no part in the match.
  [[nodiscard]] std::string_view group(std::uint32_t number) const {
    const PCRE2_SIZE from = ends()[2 * static_cast<std::size_t>(number)];
    const PCRE2_SIZE to = ends()[2 * static_cast<std::size_t>(number) + 1];
    return from == PCRE2_UNSET ? std::string_view() : text_.substr(from, to - from);
  }

 private:
  [[nodiscard]] const PCRE2_SIZE* ends() const { return pcre2_get_ovector_pointer(match_.get()); }

  std::unique_ptr<pcre2_match_data, FreeMatch> match_;
  std::string_view text_;
  bool found_ = false;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Reads a replacement once, from left to right, and writes what it stands for.
class Expansion {
 public:
  Expansion(const pcre2_code* code, const Groups& groups, std::string_view replacement)
      : code_(code), groups_(groups), rest_(replacement), all_(replacement) {}

  Result<void> append_to(std::string& out) {
    while (!rest_.empty()) {
      const char next = take();
      if (next == '\\') {
        if (rest_.empty()) return wrong("character to be escaped is missing");
        out += take();
      } else if (next == '$') {
        FENCEPOST_TRY(const std::uint32_t number, group_number());
        out += groups_.group(number);
      } else {
        out += next;
      }
    }
    return {};
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  Result<std::uint32_t> group_number() {
    if (rest_.empty()) return wrong("Illegal group reference: group index is missing");
    if (rest_.front() == '{') return named_group();
    if (!is_digit(rest_.front())) return wrong("Illegal group reference");
    auto number = static_cast<std::uint32_t>(take() - '0');
    if (number > groups_.count()) return wrong(fmt::format("No group {}", number));
    // More digits belong to the number only as long as there is such a group: $12 is group 1 and a 2 where there are two groups.
    while (!rest_.empty() && is_digit(rest_.front())) {
      const std::uint32_t longer = number * 10 + static_cast<std::uint32_t>(rest_.front() - '0');
      if (longer > groups_.count()) break;
      number = longer;
      take();
    }
    return number;
  }

  Result<std::uint32_t> named_group() {
    take();
    std::string name;
    while (!rest_.empty() && (is_letter(rest_.front()) || is_digit(rest_.front()))) name += take();
    if (name.empty()) return wrong("named capturing group is missing a name");
    if (rest_.empty() || take() != '}') return wrong("named capturing group is missing trailing '}'");
    const int number = pcre2_substring_number_from_name(code_, reinterpret_cast<PCRE2_SPTR>(name.c_str()));
    if (number < 0) return wrong(fmt::format("No group with name {{{}}}", name));
    return static_cast<std::uint32_t>(number);
  }

  [[nodiscard]] Failure wrong(const std::string& what) const {
    return failure(ErrorKind::InvalidConfig, fmt::format("{} (in the replacement '{}')", what, all_));
  }

  const pcre2_code* code_;
  const Groups& groups_;
  std::string_view rest_;
  std::string_view all_;
};

}  // namespace

bool Pattern::matches(std::string_view text) const {
  return Groups(code_->code, text, PCRE2_ANCHORED | PCRE2_ENDANCHORED).found();
}

Result<std::string> Pattern::replace_first(std::string_view text, std::string_view replacement) const {
  const Groups groups(code_->code, text, 0);
  if (!groups.found()) return std::string(text);
  std::string out(text.substr(0, groups.begin()));
  FENCEPOST_CHECK(Expansion(code_->code, groups, replacement).append_to(out));
  out += text.substr(groups.end());
  return out;
}

}  // namespace fencepost::regex
