#include "daemon/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "daemon/version.h"

namespace fencepost::daemon {
namespace {

Result<Overrides> parse_overrides(const std::vector<std::string>& texts) {
  Overrides out;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return failure(ErrorKind::InvalidConfig, fmt::format("--override '{}' is no setting; write it as key=value", text));
    }
    out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

struct Arguments {
  std::string file;
  std::vector<std::string> overrides;
};

void add_arguments(CLI::App& app, Arguments& into) {
  app.add_option("file", into.file, "the worker's properties file, as for Java Connect's connect-distributed")
      ->type_name("WORKER.properties");
  app.add_option("--override", into.overrides, "a setting that replaces the file's; may be given more than once")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

}  // namespace

Result<Command> parse_command_line(int argc, const char* const* argv) {
  CLI::App app{"fencepost: a distributed worker, compatible with Kafka Connect, whose source connectors deliver exactly once"};
  app.set_version_flag("--version", std::string(kVersion));
  Arguments to_run;
  Arguments to_check;
  add_arguments(app, to_run);
  CLI::App* check = app.add_subcommand("check", "read and check a properties file, and end");
  add_arguments(*check, to_check);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Command(ShowText{app.help()});
  } catch (const CLI::CallForVersion&) {
    return Command(ShowText{fmt::format("fencepost {} (Kafka Connect {})\n", kVersion, kConnectVersion)});
  } catch (const CLI::ParseError& e) {
    return failure(ErrorKind::InvalidConfig, fmt::format("{}; see fencepost --help", e.what()));
  }
  const Arguments& given = check->parsed() ? to_check : to_run;
  if (given.file.empty()) return failure(ErrorKind::InvalidConfig, "no properties file given; see fencepost --help");
  FENCEPOST_TRY(Overrides overrides, parse_overrides(given.overrides));
  if (check->parsed()) return Command(CheckSettings{given.file, std::move(overrides)});
  return Command(RunWorker{given.file, std::move(overrides)});
}

}  // namespace fencepost::daemon
