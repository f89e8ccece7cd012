#include "daemon/logger_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fencepost::daemon {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Time kNow{std::chrono::milliseconds(5)};

std::string text_of(const LoggerLevels& levels) {
  std::string text;
  for (const auto& l : levels.all()) {
    text += l.logger + "=" + l.level + (l.last_modified_ms ? "@" + std::to_string(*l.last_modified_ms) : "") + " ";
  }
  return text;
}

TEST(LoggerLevels, BeginWithTheLevelOfTheLog) {
  EXPECT_EQ(text_of(LoggerLevels(make_adjustable_console_log(LogLevel::Warn, LogFormat::Text))), "root=WARN ");
}

TEST(LoggerLevels, HoldForTheLoggersBelowButNotForThoseOfALikeName) {
  LoggerLevels levels(make_adjustable_console_log(LogLevel::Info, LogFormat::Text));
  EXPECT_THAT(levels.set("a.b.c", "TRACE", kNow), ElementsAre("a.b.c"));
  EXPECT_THAT(levels.set("a.bx", "TRACE", kNow), ElementsAre("a.bx"));
  EXPECT_THAT(levels.set("a.b", "warn", kNow), ElementsAre("a.b", "a.b.c"));
  EXPECT_EQ(text_of(levels), "a.b=WARN@5 a.b.c=WARN@5 a.bx=TRACE@5 root=INFO ");
}

TEST(LoggerLevels, OfTheRootIsThatOfTheLogAndOfAll) {
  const AdjustableLog adjustable = make_adjustable_console_log(LogLevel::Info, LogFormat::Text);
  const Log& log = adjustable.log;
  LoggerLevels levels(adjustable);
  levels.set("a", "INFO", kNow);
  EXPECT_THAT(levels.set("root", "DEBUG", kNow), ElementsAre("a", "root"));
  EXPECT_TRUE(log.with_context("c").enabled(LogLevel::Debug));
  levels.set("root", "OFF", kNow);
  EXPECT_FALSE(log.enabled(LogLevel::Error));
}

TEST(LoggerLevels, SetAgainOrToNonsenseChangeNothing) {
  LoggerLevels levels(make_adjustable_console_log(LogLevel::Info, LogFormat::Text));
  levels.set("a", "DEBUG", kNow);
  EXPECT_THAT(levels.set("a", "debug", kNow + Duration(1)), IsEmpty());
  EXPECT_THAT(levels.set("a", "loud", kNow + Duration(1)), IsEmpty());
  EXPECT_EQ(text_of(levels), "a=DEBUG@5 root=INFO ");
}

}  // namespace
}  // namespace fencepost::daemon
