#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fencepost::regex {

/// A regular expression as Java reads it, as near as PCRE2 comes. Copies share the compiled form.
/// Threads: any; a match may run on several at once.
class Pattern {
 public:
  /// InvalidConfig with the expression and the place of the mistake.
  [[nodiscard]] static Result<Pattern> compile(std::string_view expression);
  /// One that matches what any of these does, as Connect joins lists of expressions. None of them matches nothing.
  [[nodiscard]] static Result<Pattern> any_of(const std::vector<std::string>& expressions);

  /// Of the whole text, as Java's Matcher.matches().
  [[nodiscard]] bool matches(std::string_view text) const;

  /// The text with its first match replaced, as Java's Matcher.replaceFirst(): `$1`, `${name}`, and `\` before a character that
  /// stands for itself. InvalidConfig where the replacement is wrong or names a group that the expression does not have; a text
  /// without a match comes back as it is, whatever the replacement.
  [[nodiscard]] Result<std::string> replace_first(std::string_view text, std::string_view replacement) const;

 private:
  struct Code;
  explicit Pattern(std::shared_ptr<const Code> code) : code_(std::move(code)) {}
  std::shared_ptr<const Code> code_;
};

}  // namespace fencepost::regex
