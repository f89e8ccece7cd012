#include "builtin/regex_setting.h"

#include <utility>

namespace fencepost::builtin {

regex::Pattern compile_setting(std::string_view name, const std::string& expression) {
  auto pattern = regex::Pattern::compile(expression);
  if (!pattern) throw ConfigError(name, expression, "Invalid regex: " + pattern.error().message());
  return *std::move(pattern);
}

ConfigValidator valid_regex() {
  return validators::check(
      [](std::string_view name, const ConfigDatum& value) {
        if (const auto* text = std::get_if<std::string>(&value)) (void)compile_setting(name, *text);
      },
      "valid regex");
}

}  // namespace fencepost::builtin
