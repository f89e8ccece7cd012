#include <algorithm>
#include <set>

#include "fencepost/config_def.h"

namespace fencepost::validators {

namespace {

/// How Java prints a value inside an error: lists in brackets, null by name.
std::string printed(const ConfigDatum& datum) {
  if (const auto* items = std::get_if<std::vector<std::string>>(&datum)) {
    std::string text = "[";
    for (const std::string& item : *items) text.append(text.size() > 1 || &item != items->data() ? ", " : "").append(item);
    return text + "]";
  }
  return to_text(datum).value_or("null");
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text.append(&item == items.data() ? "" : ", ").append(item);
  return text;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

template <class Bound>
std::string bound_text(Bound bound) {
  return *to_text(ConfigDatum(bound));
}

template <class Bound>
ConfigValidator range(std::optional<Bound> min, std::optional<Bound> max) {
  const auto check = [min, max](std::string_view name, const ConfigDatum& value) {
    const auto verify = [&](auto number) {
      if (min && static_cast<Bound>(number) < *min)
        throw ConfigError(name, printed(value), "Value must be at least " + bound_text(*min));
      if (max && static_cast<Bound>(number) > *max) {
        throw ConfigError(name, printed(value), "Value must be no more than " + bound_text(*max));
      }
    };
    if (const auto* short_number = std::get_if<std::int16_t>(&value)) return verify(*short_number);
    if (const auto* int_number = std::get_if<std::int32_t>(&value)) return verify(*int_number);
    if (const auto* long_number = std::get_if<std::int64_t>(&value)) return verify(*long_number);
    if (const auto* double_number = std::get_if<double>(&value)) return verify(*double_number);
    throw ConfigError(name, printed(value), "Value must be non-null");
  };
  const std::string text = max ? "[" + bound_text(*min) + ",...," + bound_text(*max) + "]" : "[" + bound_text(*min) + ",...]";
  return {check, text};
}

const std::string* text_of(const ConfigDatum& value) { return std::get_if<std::string>(&value); }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

ConfigValidator at_least(std::int64_t min) { return range<std::int64_t>(min, std::nullopt); }
ConfigValidator at_least(double min) { return range<double>(min, std::nullopt); }
ConfigValidator between(std::int64_t min, std::int64_t max) { return range<std::int64_t>(min, max); }
ConfigValidator between(double min, double max) { return range<double>(min, max); }

ConfigValidator one_of(std::vector<std::string> choices) {
  std::string text = "[" + joined(choices) + "]";
  return {[choices = std::move(choices)](std::string_view name, const ConfigDatum& value) {
            const std::string* chosen = text_of(value);
            if (chosen == nullptr || std::find(choices.begin(), choices.end(), *chosen) == choices.end()) {
              throw ConfigError(name, printed(value), "String must be one of: " + joined(choices));
            }
          },
          std::move(text)};
}

ConfigValidator one_of_ignoring_case(std::vector<std::string> choices) {
  for (std::string& choice : choices) choice = upper(choice);
  std::string text = "(case insensitive) [" + joined(choices) + "]";
  return {[choices = std::move(choices)](std::string_view name, const ConfigDatum& value) {
            const std::string* chosen = text_of(value);
            if (chosen == nullptr || std::find(choices.begin(), choices.end(), upper(*chosen)) == choices.end()) {
              throw ConfigError(name, printed(value), "String must be one of (case insensitive): " + joined(choices));
            }
          },
          std::move(text)};
}

namespace {

ConfigValidator list_validator(std::vector<std::string> choices, bool may_be_empty, bool may_be_null) {
  std::string text = choices.empty() ? "" : "[" + joined(choices) + "]";
  const ConfigValidator item = choices.empty() ? ConfigValidator{} : one_of(choices);
  const std::string allowed = choices.empty() ? "any non-empty value" : text;
  return {[=](std::string_view name, const ConfigDatum& value) {
            const std::string subject = "Configuration '" + std::string(name) + "'";
            const auto* items = std::get_if<std::vector<std::string>>(&value);
            if (items == nullptr) {
              if (may_be_null) return;
              throw ConfigError(subject + " values must not be null.");
            }
            if (items->empty() && !may_be_empty)
              throw ConfigError(subject + " must not be empty. Valid values include: " + allowed);
            if (std::set<std::string>(items->begin(), items->end()).size() != items->size()) {
              throw ConfigError(subject + " values must not be duplicated.");
            }
            for (const std::string& one : *items) {
              if (one.empty()) throw ConfigError(subject + " values must not be empty.");
              if (item) item.check(name, one);
            }
          },
          std::move(text)};
}

}  // namespace

ConfigValidator list_of(std::vector<std::string> choices, bool may_be_empty) {
  return list_validator(std::move(choices), may_be_empty, false);
}

ConfigValidator distinct_list(bool may_be_empty, bool may_be_null) { return list_validator({}, may_be_empty, may_be_null); }

ConfigValidator non_empty_list() {
  return {[](std::string_view name, const ConfigDatum& value) {
            const auto* items = std::get_if<std::vector<std::string>>(&value);
            if (items == nullptr || items->empty()) throw ConfigError(name, printed(value), "Empty list");
          },
          "non-empty list"};
}

ConfigValidator non_empty_string() {
  return {[](std::string_view name, const ConfigDatum& value) {
            const std::string* text = text_of(value);
            if (text != nullptr && text->empty()) throw ConfigError(name, "", "String must be non-empty");
          },
          "non-empty string"};
}

ConfigValidator non_empty_string_without_control_characters() {
  return {
      [](std::string_view name, const ConfigDatum& value) {
        const std::string* text = text_of(value);
        if (text == nullptr) return;  // A missing name is found when the required settings are checked.
        if (text->empty()) throw ConfigError(name, "", "String may not be empty");
        std::string found;
        for (std::size_t i = 0; i < text->size(); ++i) {
          unsigned code = static_cast<unsigned char>((*text)[i]);
          // The other ISO control characters, U+0080 to U+009F, are C2 80 to C2 9F in UTF-8.
          const bool upper_control = code == 0xc2 && i + 1 < text->size() && static_cast<unsigned char>((*text)[i + 1]) < 0xa0;
          if (upper_control) code = static_cast<unsigned char>((*text)[++i]);
          if (upper_control || is_control((*text)[i])) found.append(found.empty() ? "" : ", ").append(std::to_string(code));
        }
        if (!found.empty()) {
          throw ConfigError(name, *text, "String may not contain control sequences but had the following ASCII chars: " + found);
        }
      },
      "non-empty string without ISO control characters"};
}

ConfigValidator non_null() {
  return {[](std::string_view name, const ConfigDatum& value) {
            if (std::holds_alternative<std::monostate>(value)) throw ConfigError(name, "null", "entry must be non null");
          },
          "non-null string"};
}

ConfigValidator all_of(std::vector<ConfigValidator> validators) {
  std::string text;
  for (const ConfigValidator& validator : validators) {
    text.append(text.empty() || validator.text.empty() ? "" : ", ").append(validator.text);
  }
  return {[validators = std::move(validators)](std::string_view name, const ConfigDatum& value) {
            for (const ConfigValidator& validator : validators) validator.check(name, value);
          },
          std::move(text)};
}

ConfigValidator check(std::function<void(std::string_view, const ConfigDatum&)> check, std::string text) {
  return {std::move(check), std::move(text)};
}

}  // namespace fencepost::validators
