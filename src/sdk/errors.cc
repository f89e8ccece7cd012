#include "fencepost/errors.h"

namespace fencepost {

namespace {
std::string describe(std::string_view name, std::string_view value, std::string_view reason) {
  std::string text = "Invalid value ";
  text.append(value).append(" for configuration ").append(name);
  if (!reason.empty()) text.append(": ").append(reason);
  return text;
}
}  // namespace

ConfigError::ConfigError(std::string_view name, std::string_view value, std::string_view reason)
    : ConnectError(describe(name, value, reason)) {}

}  // namespace fencepost
