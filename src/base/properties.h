#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fencepost {

/// Settings by name in the order in which they were given: the config of a connector or a task. A value may be null
/// (JSON null), which is not the same as absent. Equality does not regard the order, as for Java's maps.
class Properties {
 public:
  using Value = std::optional<std::string>;
  using Entry = std::pair<std::string, Value>;

  Properties() = default;
  Properties(std::initializer_list<Entry> entries);

  /// Replaces the value of a known key in place; appends a new one.
  void set(std::string_view key, Value value);
  /// Returns whether there was one.
  bool erase(std::string_view key);

  [[nodiscard]] bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// The entry's value, null pointer where the key is absent.
  [[nodiscard]] const Value* find(std::string_view key) const;
  /// The text of a value that is present and not null.
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const;
  [[nodiscard]] std::string get_or(std::string_view key, std::string_view fallback) const;
  /// All keys that begin with a prefix, the prefix taken off.
  [[nodiscard]] Properties with_prefix(std::string_view prefix) const;

  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  friend bool operator==(const Properties& a, const Properties& b);

 private:
  std::vector<Entry> entries_;
};

}  // namespace fencepost
