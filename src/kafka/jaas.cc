#include <fmt/format.h>

#include <optional>

#include "kafka/client_settings.h"

namespace fencepost::kafka {
namespace {

constexpr std::string_view kForm = R"(write it as: LOGIN_MODULE required username="..." password="...";)";

Failure malformed(std::string_view what) {
  return failure(ErrorKind::InvalidConfig, fmt::format("sasl.jaas.config: {}; {}", what, kForm));
}

/// Words, quoted texts and the marks '=' and ';', as Java's StreamTokenizer cuts them.
class JaasTokens {
 public:
  explicit JaasTokens(std::string_view text) : rest_(text) {}

  struct Token {
    char mark = 0;  ///< '=' or ';', or 0 for text
    std::string text;
  };

  Result<std::optional<Token>> next() {
    skip_blanks();
    if (rest_.empty()) return std::optional<Token>();
    const char first = rest_.front();
    if (first == '=' || first == ';') {
      rest_.remove_prefix(1);
      return Token{.mark = first, .text = {}};
    }
    if (first == '"' || first == '\'') return quoted();
    Token token;
    while (!rest_.empty() && std::string_view(" \t\r\n=;\"'").find(rest_.front()) == std::string_view::npos) {
      token.text += rest_.front();
      rest_.remove_prefix(1);
    }
    return token;
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && std::string_view(" \t\r\n").find(rest_.front()) != std::string_view::npos) rest_.remove_prefix(1);
  }

  Result<std::optional<Token>> quoted() {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    Token token;
    while (!rest_.empty() && rest_.front() != quote) {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\' && !rest_.empty()) {
        c = unescaped(rest_.front());
        rest_.remove_prefix(1);
      }
      token.text += c;
    }
    if (rest_.empty()) return malformed("a quote is not closed");
    rest_.remove_prefix(1);
    return token;
  }

  static char unescaped(char c) {
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      default:
        return c;
    }
  }

  std::string_view rest_;
};

}  // namespace

Result<JaasLogin> parse_jaas(std::string_view text) {
  JaasTokens tokens(text);
  JaasLogin login;
  FENCEPOST_TRY(const auto module, tokens.next());
  if (!module || module->mark != 0) return malformed("the login module is missing");
  login.module = module->text;
  FENCEPOST_TRY(const auto flag, tokens.next());
  if (!flag || flag->mark != 0) return malformed("the control flag ('required') is missing");
  while (true) {
    FENCEPOST_TRY(const auto key, tokens.next());
    if (!key) return malformed("the closing ';' is missing");
    if (key->mark == ';') break;
    FENCEPOST_TRY(const auto equals, tokens.next());
    FENCEPOST_TRY(const auto value, tokens.next());
    if (key->mark != 0 || !equals || equals->mark != '=' || !value || value->mark != 0)
      return malformed("an option is not name=value");
    login.options[key->text] = value->text;
  }
  FENCEPOST_TRY(const auto surplus, tokens.next());
  if (surplus) return malformed("there is more than one login module");
  return login;
}

}  // namespace fencepost::kafka
