#include "fencepost/settings.h"

namespace fencepost {

Settings::Settings(std::map<std::string, ConfigDatum, std::less<>> values, ConfigMap originals)
    : values_(std::move(values)), originals_(std::move(originals)) {}

template <class T>
const T& Settings::typed(std::string_view name) const {
  const ConfigDatum* datum = find(name);
  if (datum == nullptr) throw ConfigError("Unknown configuration '" + std::string(name) + "'");
  const T* value = std::get_if<T>(datum);
  if (value != nullptr) return *value;
  if (std::holds_alternative<std::monostate>(*datum)) throw ConfigError(name, "null", "Value must be non-null");
  throw ConfigError("Configuration '" + std::string(name) + "' is of another type than the one asked for");
}

bool Settings::get_bool(std::string_view name) const { return typed<bool>(name); }
std::int16_t Settings::get_short(std::string_view name) const { return typed<std::int16_t>(name); }
std::int32_t Settings::get_int(std::string_view name) const { return typed<std::int32_t>(name); }
std::int64_t Settings::get_long(std::string_view name) const { return typed<std::int64_t>(name); }
double Settings::get_double(std::string_view name) const { return typed<double>(name); }
const std::string& Settings::get_string(std::string_view name) const { return typed<std::string>(name); }
const std::vector<std::string>& Settings::get_list(std::string_view name) const { return typed<std::vector<std::string>>(name); }
const Password& Settings::get_password(std::string_view name) const { return typed<Password>(name); }

std::optional<std::string> Settings::find_string(std::string_view name) const {
  const ConfigDatum* datum = find(name);
  if (datum != nullptr && std::holds_alternative<std::monostate>(*datum)) return std::nullopt;
  return get_string(name);
}

const ConfigDatum* Settings::find(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? nullptr : &at->second;
}

ConfigMap Settings::originals_with_prefix(std::string_view prefix) const {
  ConfigMap out;
  for (auto at = originals_.lower_bound(prefix); at != originals_.end() && at->first.starts_with(prefix); ++at) {
    if (at->first.size() > prefix.size()) out.emplace(at->first.substr(prefix.size()), at->second);
  }
  return out;
}

}  // namespace fencepost
