#include "store/write_round.h"

#include <gtest/gtest.h>

#include "store/config_log.h"

namespace fencepost::store {
namespace {

TEST(WriteRound, AnswersOnceWhenTheLastRecordIsWritten) {
  int answers = 0;
  const auto round = WriteRound::begin(2, [&](const std::optional<Error>& error) {
    ++answers;
    EXPECT_EQ(error, std::nullopt);
  });
  round->written(5);
  EXPECT_EQ(answers, 0);
  round->written(6);
  EXPECT_EQ(answers, 1);
}

TEST(WriteRound, TellsTheFirstErrorAfterAllAreDone) {
  std::optional<Error> told;
  const auto round = WriteRound::begin(3, [&](std::optional<Error> error) { told = std::move(error); });
  round->written(failure(ErrorKind::Timeout, "first"));
  round->written(failure(ErrorKind::Failed, "second"));
  EXPECT_EQ(told, std::nullopt);
  round->written(7);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->message(), "first");
}

TEST(WriteRound, AnswersAtOnceWithoutRecords) {
  int answers = 0;
  (void)WriteRound::begin(0, [&](const std::optional<Error>&) { ++answers; });
  EXPECT_EQ(answers, 1);
}

TEST(TopicRecords, KeepTheDifferenceBetweenNullAndEmpty) {
  const std::vector<kafka::LogRecord> read = {{.partition = 1, .offset = 2, .timestamp_ms = 3, .key = "k", .value = ""},
                                              {.partition = 0, .offset = 9, .timestamp_ms = 4}};
  const auto records = to_topic_records(read);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0],
            (herder::TopicRecord{.partition = 1, .offset = LogPosition(2), .timestamp_ms = 3, .key = "k", .value = ""}));
  EXPECT_EQ(records[1].key, std::nullopt);
  EXPECT_EQ(records[1].value, std::nullopt);
}

}  // namespace
}  // namespace fencepost::store
