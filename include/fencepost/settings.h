#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fencepost/config_def.h"

namespace fencepost {

/// Settings parsed by a ConfigDef. Getters throw ConfigError for a name that the definition does not know, for another type
/// than asked, and (unless they return optional) for null: a plugin's own mistakes, named clearly.
class Settings {
 public:
  Settings() = default;
  Settings(std::map<std::string, ConfigDatum, std::less<>> values, ConfigMap originals);

  [[nodiscard]] bool get_bool(std::string_view name) const;
  [[nodiscard]] std::int16_t get_short(std::string_view name) const;
  [[nodiscard]] std::int32_t get_int(std::string_view name) const;
  [[nodiscard]] std::int64_t get_long(std::string_view name) const;
  [[nodiscard]] double get_double(std::string_view name) const;
  /// STRING or CLASS.
  [[nodiscard]] const std::string& get_string(std::string_view name) const;
  /// Nothing where the value is null.
  [[nodiscard]] std::optional<std::string> find_string(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& get_list(std::string_view name) const;
  [[nodiscard]] const Password& get_password(std::string_view name) const;
  /// Null pointer for a name that the definition does not know.
  [[nodiscard]] const ConfigDatum* find(std::string_view name) const;

  /// What the user wrote, known or not.
  [[nodiscard]] const ConfigMap& originals() const { return originals_; }
  /// Of the originals: all names that begin with a prefix, the prefix taken off.
  [[nodiscard]] ConfigMap originals_with_prefix(std::string_view prefix) const;
  [[nodiscard]] const std::map<std::string, ConfigDatum, std::less<>>& values() const { return values_; }

 private:
  template <class T>
  const T& typed(std::string_view name) const;

  std::map<std::string, ConfigDatum, std::less<>> values_;
  ConfigMap originals_;
};

}  // namespace fencepost
