#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fencepost/errors.h"

namespace fencepost {

class Settings;

/// The settings of a connector or a task as the user gave them, by name.
using ConfigMap = std::map<std::string, std::string, std::less<>>;

/// A secret: it prints as [hidden], and its text must be asked for by name.
class Password {
 public:
  Password() = default;
  explicit Password(std::string secret) : secret_(std::move(secret)) {}

  [[nodiscard]] const std::string& secret() const { return secret_; }
  [[nodiscard]] static std::string to_string() { return "[hidden]"; }

  friend bool operator==(const Password&, const Password&) = default;

 private:
  std::string secret_;
};

enum class ConfigType : std::uint8_t { Boolean, String, Int, Short, Long, Double, List, Class, Password };
enum class Importance : std::uint8_t { High, Medium, Low };
enum class Width : std::uint8_t { None, Short, Medium, Long };

/// As Java prints them: "BOOLEAN", "HIGH", "NONE".
[[nodiscard]] std::string_view to_string(ConfigType type);
[[nodiscard]] std::string_view to_string(Importance importance);
[[nodiscard]] std::string_view to_string(Width width);

/// The parsed value of a setting; monostate is null. CLASS settings hold the class name as text.
using ConfigDatum = std::variant<std::monostate, bool, std::int16_t, std::int32_t, std::int64_t, double, std::string,
                                 std::vector<std::string>, Password>;

/// As Java's ConfigDef.convertToString: lists with commas, passwords hidden, nothing for null.
[[nodiscard]] std::optional<std::string> to_text(const ConfigDatum& datum);
/// The parsed value of a setting's text (blanks around it are dropped); ConfigError with Java's text where it is not of the type.
[[nodiscard]] ConfigDatum parse_config(std::string_view name, std::string_view text, ConfigType type);

/// Checks a parsed value: throws ConfigError. `text` is the description users see as "valid values"; empty: none is shown.
struct ConfigValidator {
  std::function<void(std::string_view name, const ConfigDatum& value)> check;
  std::string text;

  explicit operator bool() const { return check != nullptr; }
};

namespace validators {
/// Ends are included; text "[1,...]". A null value is refused.
[[nodiscard]] ConfigValidator at_least(std::int64_t min);
[[nodiscard]] ConfigValidator at_least(double min);
[[nodiscard]] ConfigValidator between(std::int64_t min, std::int64_t max);
[[nodiscard]] ConfigValidator between(double min, double max);
[[nodiscard]] ConfigValidator one_of(std::vector<std::string> choices);
[[nodiscard]] ConfigValidator one_of_ignoring_case(std::vector<std::string> choices);
/// A list of some of these, none twice.
[[nodiscard]] ConfigValidator list_of(std::vector<std::string> choices, bool may_be_empty = true);
/// A list without empty or repeated items.
[[nodiscard]] ConfigValidator distinct_list(bool may_be_empty = true, bool may_be_null = false);
[[nodiscard]] ConfigValidator non_empty_list();
/// Null passes.
[[nodiscard]] ConfigValidator non_empty_string();
[[nodiscard]] ConfigValidator non_empty_string_without_control_characters();
[[nodiscard]] ConfigValidator non_null();
/// All of them, in order; their texts joined with ", ".
[[nodiscard]] ConfigValidator all_of(std::vector<ConfigValidator> validators);
[[nodiscard]] ConfigValidator check(std::function<void(std::string_view name, const ConfigDatum& value)> check, std::string text);
}  // namespace validators

/// Proposes values for a setting, knowing the others.
class Recommender {
 public:
  virtual ~Recommender() = default;
  [[nodiscard]] virtual std::vector<std::string> valid_values(std::string_view name, const Settings& parsed) const = 0;
  [[nodiscard]] virtual bool visible(std::string_view name, const Settings& parsed) const;
};

/// One setting. `default_value` absent: the setting is required. monostate: the default is null.
/// Text defaults of any type are parsed: .default_value = "10" is good for an INT.
struct ConfigKey {
  std::string name{};
  ConfigType type = ConfigType::String;
  std::optional<ConfigDatum> default_value{};
  ConfigValidator validator{};
  Importance importance = Importance::Medium;
  std::string documentation{};
  std::string group{};  ///< empty: none
  std::int32_t order_in_group = -1;
  Width width = Width::None;
  std::string display_name{};  ///< empty: the name
  std::vector<std::string> dependents{};
  std::shared_ptr<const Recommender> recommender{};
  bool internal = false;  ///< parsed, but not shown to users

  [[nodiscard]] bool required() const { return !default_value.has_value(); }
};

/// What came out of the validation of one setting; the REST API shows it.
struct ConfigValue {
  std::string name{};
  ConfigDatum value{};
  std::vector<std::string> recommended_values{};
  std::vector<std::string> errors{};
  bool visible = true;
};

/// The settings that a plugin understands: their types, defaults and checks, in the order in which they were defined.
///   ConfigDef().define({.name = "topic", .importance = Importance::High, .documentation = "The topic to publish to."})
///              .define({.name = "batch.size", .type = ConfigType::Int, .default_value = 2000, .validator =
///              validators::at_least(1)})
class ConfigDef {
 public:
  /// ConfigError where the name is taken or the default does not pass its own check.
  ConfigDef& define(ConfigKey key);
  /// Adds all settings of another definition; group, if given, replaces theirs.
  ConfigDef& embed(std::string_view prefix, const ConfigDef& other, std::string_view group = {});

  [[nodiscard]] const std::vector<ConfigKey>& keys() const { return keys_; }
  [[nodiscard]] const ConfigKey* find(std::string_view name) const;
  /// Groups in the order of their first use.
  [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

  /// Typed values; throws the first error as ConfigError. Unknown settings are kept as originals and otherwise ignored.
  [[nodiscard]] Settings parse(const ConfigMap& config) const;
  /// Every error of every setting, with recommendations and visibility; in the order of definition.
  [[nodiscard]] std::vector<ConfigValue> validate(const ConfigMap& config) const;

 private:
  std::vector<ConfigKey> keys_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::vector<std::string> groups_;
};

}  // namespace fencepost
