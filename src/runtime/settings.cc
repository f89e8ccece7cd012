#include "runtime/settings.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace fencepost::runtime {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

Result<std::int64_t> whole_number(const Properties& config, std::string_view name, std::int64_t fallback) {
  const auto text = config.get(name);
  if (!text) return fallback;
  const std::string_view digits = trimmed(*text);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc() || end != digits.data() + digits.size()) {
    return failure(ErrorKind::InvalidConfig, std::string(name) + " is '" + *text + "'; a whole number is wanted");
  }
  return number;
}

bool flag(const Properties& config, std::string_view name, bool fallback) {
  const auto text = config.get(name);
  return text ? lower(trimmed(*text)) == "true" : fallback;
}

std::vector<std::string> list(const Properties& config, std::string_view name) {
  std::vector<std::string> out;
  const std::string text = config.get_or(name, "");
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const std::string_view element = trimmed(rest.substr(0, comma));
    if (!element.empty()) out.emplace_back(element);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return out;
}

ConfigMap to_config_map(const Properties& config) {
  ConfigMap map;
  for (const auto& [name, value] : config) {
    if (value) map.emplace(name, *value);
  }
  return map;
}

}  // namespace fencepost::runtime
