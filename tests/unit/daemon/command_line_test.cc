#include "daemon/command_line.h"

#include <gtest/gtest.h>

namespace fencepost::daemon {
namespace {

Result<Command> parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "fencepost");
  return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

TEST(CommandLine, RunsAWorkerWithOverridesInTheirOrder) {
  const auto command = parse({"--override", "a=1", "w.properties", "--override", "b=x=y"});
  ASSERT_TRUE(command.has_value()) << command.error().message();
  const auto& run = std::get<RunWorker>(*command);
  EXPECT_EQ(run.properties_file, "w.properties");
  EXPECT_EQ(run.overrides, (Overrides{{"a", "1"}, {"b", "x=y"}}));
}

TEST(CommandLine, ChecksAFileWithoutRunningIt) {
  const auto command = parse({"check", "w.properties"});
  ASSERT_TRUE(command.has_value()) << command.error().message();
  EXPECT_EQ(std::get<CheckSettings>(*command).properties_file, "w.properties");
}

TEST(CommandLine, ShowsVersionAndHelp) {
  EXPECT_NE(std::get<ShowText>(*parse({"--version"})).text.find("fencepost 0."), std::string::npos);
  EXPECT_NE(std::get<ShowText>(*parse({"--help"})).text.find("WORKER.properties"), std::string::npos);
}

TEST(CommandLine, NamesWhatIsWrong) {
  EXPECT_NE(parse({}).error().message().find("no properties file"), std::string::npos);
  EXPECT_NE(parse({"--override", "nonsense", "f"}).error().message().find("'nonsense'"), std::string::npos);
  EXPECT_NE(parse({"--bogus", "f"}).error().message().find("--bogus"), std::string::npos);
}

}  // namespace
}  // namespace fencepost::daemon
