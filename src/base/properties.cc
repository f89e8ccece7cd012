#include "base/properties.h"

#include <algorithm>

namespace fencepost {

Properties::Properties(std::initializer_list<Entry> entries) {
  for (const auto& [key, value] : entries) set(key, value);
}

void Properties::set(std::string_view key, Value value) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == key; });
  if (at != entries_.end()) {
    at->second = std::move(value);
  } else {
    entries_.emplace_back(std::string(key), std::move(value));
  }
}

bool Properties::erase(std::string_view key) {
  return std::erase_if(entries_, [&](const Entry& e) { return e.first == key; }) > 0;
}

const Properties::Value* Properties::find(std::string_view key) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == key; });
  return at == entries_.end() ? nullptr : &at->second;
}

std::optional<std::string> Properties::get(std::string_view key) const {
  const Value* value = find(key);
  return value == nullptr ? std::nullopt : *value;
}

std::string Properties::get_or(std::string_view key, std::string_view fallback) const {
  return get(key).value_or(std::string(fallback));
}

Properties Properties::with_prefix(std::string_view prefix) const {
  Properties out;
  for (const auto& [key, value] : entries_) {
    if (key.size() > prefix.size() && key.starts_with(prefix)) out.entries_.emplace_back(key.substr(prefix.size()), value);
  }
  return out;
}

bool operator==(const Properties& a, const Properties& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Properties::Entry& e) {
           const auto* other = b.find(e.first);
           return other != nullptr && *other == e.second;
         });
}

}  // namespace fencepost
