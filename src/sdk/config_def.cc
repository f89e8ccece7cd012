#include "fencepost/config_def.h"

#include <algorithm>

#include "fencepost/settings.h"

namespace fencepost {

bool Recommender::visible(std::string_view /*name*/, const Settings& /*parsed*/) const { return true; }

namespace {

/// Text and whole numbers that stand for a default of another type become that type.
void normalise_default(ConfigKey& key) {
  if (!key.default_value) return;
  if (const auto* text = std::get_if<std::string>(&*key.default_value)) {
    key.default_value = parse_config(key.name, *text, key.type);
    return;
  }
  if (const auto* number = std::get_if<std::int32_t>(&*key.default_value)) {
    key.default_value = parse_config(key.name, std::to_string(*number), key.type);
  }
}

std::string missing(const std::string& name) {
  return "Missing required configuration \"" + name + "\" which has no default value.";
}

struct Parsed {
  std::map<std::string, ConfigDatum, std::less<>> values;
  std::map<std::string, std::vector<std::string>, std::less<>> errors;
};

Parsed parse_all(const std::vector<ConfigKey>& keys, const ConfigMap& config) {
  Parsed out;
  for (const ConfigKey& key : keys) {
    ConfigDatum value;
    try {
      const auto given = config.find(key.name);
      if (given != config.end()) {
        value = parse_config(key.name, given->second, key.type);
      } else if (key.required()) {
        throw ConfigError(missing(key.name));
      } else {
        value = *key.default_value;
      }
    } catch (const ConfigError& error) {
      out.errors[key.name].emplace_back(error.what());
    }
    // Java checks the null that a failed parse leaves behind too, so that two errors may stand for one setting.
    try {
      if (key.validator) key.validator.check(key.name, value);
    } catch (const ConfigError& error) {
      out.errors[key.name].emplace_back(error.what());
    }
    out.values.emplace(key.name, std::move(value));
  }
  return out;
}

}  // namespace

ConfigDef& ConfigDef::define(ConfigKey key) {
  normalise_default(key);
  if (key.default_value && key.validator && !std::holds_alternative<std::monostate>(*key.default_value)) {
    key.validator.check(key.name, *key.default_value);
  }
  if (key.display_name.empty()) key.display_name = key.name;
  if (!index_.emplace(key.name, keys_.size()).second) throw ConfigError("Configuration " + key.name + " is defined twice.");
  if (!key.group.empty() && std::find(groups_.begin(), groups_.end(), key.group) == groups_.end()) groups_.push_back(key.group);
  keys_.push_back(std::move(key));
  return *this;
}

ConfigDef& ConfigDef::embed(std::string_view prefix, const ConfigDef& other, std::string_view group) {
  for (ConfigKey key : other.keys()) {
    key.name.insert(0, prefix);
    for (std::string& dependent : key.dependents) dependent.insert(0, prefix);
    if (!group.empty()) key.group = group;
    define(std::move(key));
  }
  return *this;
}

const ConfigKey* ConfigDef::find(std::string_view name) const {
  const auto at = index_.find(name);
  return at == index_.end() ? nullptr : &keys_[at->second];
}

Settings ConfigDef::parse(const ConfigMap& config) const {
  Parsed parsed = parse_all(keys_, config);
  for (const ConfigKey& key : keys_) {
    const auto errors = parsed.errors.find(key.name);
    if (errors != parsed.errors.end()) throw ConfigError(errors->second.front());
  }
  return {std::move(parsed.values), config};
}

std::vector<ConfigValue> ConfigDef::validate(const ConfigMap& config) const {
  Parsed parsed = parse_all(keys_, config);
  const Settings settings(parsed.values, config);
  std::vector<ConfigValue> out;
  for (const ConfigKey& key : keys_) {
    ConfigValue value{.name = key.name, .value = std::move(parsed.values[key.name])};
    if (const auto errors = parsed.errors.find(key.name); errors != parsed.errors.end()) value.errors = std::move(errors->second);
    if (key.recommender) {
      value.recommended_values = key.recommender->valid_values(key.name, settings);
      value.visible = key.recommender->visible(key.name, settings);
    }
    out.push_back(std::move(value));
  }
  return out;
}

}  // namespace fencepost
