#include "daemon/main.h"

#include <cstdio>

#include "base/log_control.h"
#include "config/worker_settings.h"
#include "daemon/command_line.h"
#include "daemon/memory.h"
#include "daemon/plugins.h"
#include "daemon/settings_file.h"
#include "daemon/worker_process.h"

namespace fencepost::daemon {
namespace {

constexpr int kWrongSettings = 2;

int complain(const Error& error) {
  std::fprintf(stderr, "fencepost: %s\n", error.message().c_str());
  return kWrongSettings;
}

LogLevel log_level(std::string_view name) {
  if (name == "trace") return LogLevel::Trace;
  if (name == "debug") return LogLevel::Debug;
  if (name == "warn") return LogLevel::Warn;
  if (name == "error") return LogLevel::Error;
  return LogLevel::Info;
}

int carry_out(const ShowText& command) {
  std::fputs(command.text.c_str(), stdout);
  return 0;
}

int carry_out(const CheckSettings& command) {
  const auto config = read_settings(command.properties_file, command.overrides);
  if (!config) return complain(config.error());
  for (const std::string& name : config::unknown_worker_settings(config->originals)) {
    std::fprintf(stderr, "fencepost: the setting '%s' is not known and has no effect\n", name.c_str());
  }
  const auto plugins = find_plugins(*config, make_console_log(LogLevel::Warn, LogFormat::Text));
  if (!plugins) return complain(plugins.error());
  std::printf("%s is fine\n", command.properties_file.c_str());
  return 0;
}

int carry_out(const RunWorker& command) {
  bound_heap();
  const auto config = read_settings(command.properties_file, command.overrides);
  if (!config) return complain(config.error());
  const auto format = config->log_format == config::WorkerLogFormat::Json ? LogFormat::Json : LogFormat::Text;
  return run_worker(*config, make_adjustable_console_log(log_level(config->log_level), format));
}

}  // namespace

int run(int argc, const char* const* argv) {
  const auto command = parse_command_line(argc, argv);
  if (!command) return complain(command.error());
  return std::visit([](const auto& c) { return carry_out(c); }, *command);
}

}  // namespace fencepost::daemon
