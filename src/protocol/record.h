#pragma once

#include <optional>
#include <string>

namespace fencepost::protocol {

/// A record of an internal topic, to be written. No value: a tombstone, which removes the key.
struct Record {
  std::string key;
  std::optional<std::string> value;

  friend bool operator==(const Record&, const Record&) = default;
};

}  // namespace fencepost::protocol
