#include "daemon/settings_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "config/properties_text.h"

namespace fencepost::daemon {

Result<config::WorkerConfig> read_settings(const std::string& file, const Overrides& overrides) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (in) text << in.rdbuf();
  if (!in || in.bad()) {
    return failure(ErrorKind::InvalidConfig, fmt::format("cannot read the properties file {}: {}", file, std::strerror(errno)));
  }
  auto properties = config::parse_properties(text.str());
  if (!properties) return Failure(std::move(properties).error().while_doing(file));
  for (const auto& [key, value] : overrides) properties->set(key, value);
  auto config = config::make_worker_config(*properties);
  if (!config) return Failure(std::move(config).error().while_doing(file));
  return config;
}

}  // namespace fencepost::daemon
