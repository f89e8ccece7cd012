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

bool Pattern::matches(std::string_view text) const {
  pcre2_match_data* match = pcre2_match_data_create_from_pattern(code_->code, nullptr);
  const int found = pcre2_match(code_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), 0,
                                PCRE2_ANCHORED | PCRE2_ENDANCHORED, match, nullptr);
  pcre2_match_data_free(match);
  return found >= 0;
}

}  // namespace fencepost::regex
