#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace fencepost {

/// What a plugin throws when something goes wrong. It fails the connector or the task that threw it, stands as the trace in
/// its status, and touches no other.
class ConnectError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The same call may succeed later without anybody changing anything: the runtime makes it again after a back-off.
class RetriableError : public ConnectError {
 public:
  using ConnectError::ConnectError;
};

/// A value does not follow its schema, or bytes do not follow their format. Subject to errors.tolerance.
class DataError : public ConnectError {
 public:
  using ConnectError::ConnectError;
};

/// What the user configured is wrong. The text names the setting and the value as Kafka Connect does:
/// "Invalid value x for configuration tasks.max: Not a number of type INT".
class ConfigError : public ConnectError {
 public:
  using ConnectError::ConnectError;
  /// Without a reason the text ends after the name: "Invalid value x for configuration tasks.max".
  ConfigError(std::string_view name, std::string_view value, std::string_view reason = {});
};

}  // namespace fencepost
