#include "exactly_once/transaction_health.h"

#include <gtest/gtest.h>

namespace fencepost::exactly_once {
namespace {

constexpr Time kNow{Duration(1'000'000)};

CoordinatorView ongoing(Duration age) {
  return {.state = "Ongoing", .producer_id = 7, .epoch = 3, .timeout = Duration(60'000), .started = kNow - age};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(TransactionHealth, NothingHangsWhereNothingIsOpen) {
  for (const char* state : {"Empty", "CompleteCommit", "CompleteAbort", "Dead"}) {
    EXPECT_EQ(judge_transaction({.state = state}, {.worker = "w:1", .running = true}, kNow), TransactionVerdict{}) << state;
  }
}

TEST(TransactionHealth, ARunningTaskHoldsItsOwn) {
  const auto verdict = judge_transaction(ongoing(Duration(5'000)), {.worker = "w:1", .running = true, .open = true}, kNow);
  EXPECT_FALSE(verdict.hangs);
  EXPECT_TRUE(contains(verdict.holder, "w:1")) << verdict.holder;
  EXPECT_TRUE(verdict.advice.empty());
}

TEST(TransactionHealth, OneThatTheRunningTaskDoesNotKnowHangs) {
  const auto verdict = judge_transaction(ongoing(Duration(5'000)), {.worker = "w:1", .running = true, .open = false}, kNow);
  EXPECT_TRUE(verdict.hangs);
  EXPECT_TRUE(contains(verdict.holder, "producer 7 with epoch 3")) << verdict.holder;
  EXPECT_TRUE(contains(verdict.advice, "in 55 s")) << verdict.advice;
  EXPECT_TRUE(contains(verdict.advice, "abort")) << verdict.advice;
}

TEST(TransactionHealth, OneWithoutARunningTaskHangs) { EXPECT_TRUE(judge_transaction(ongoing(Duration(0)), {}, kNow).hangs); }

TEST(TransactionHealth, AWorkerThatDoesNotAnswerIsNamed) {
  const auto verdict = judge_transaction(ongoing(Duration(0)), {.worker = "w:2", .answers = false}, kNow);
  EXPECT_TRUE(verdict.hangs);
  EXPECT_TRUE(contains(verdict.holder, "w:2")) << verdict.holder;
}

TEST(TransactionHealth, OneBeyondItsTimeoutHangsWhoeverHoldsIt) {
  EXPECT_TRUE(judge_transaction(ongoing(Duration(95'000)), {.worker = "w:1", .running = true, .open = true}, kNow).hangs);
  CoordinatorView ending = ongoing(Duration(95'000));
  ending.state = "PrepareAbort";
  const auto verdict = judge_transaction(ending, {}, kNow);
  EXPECT_TRUE(verdict.hangs);
  EXPECT_TRUE(contains(verdict.advice, "brokers")) << verdict.advice;
}

TEST(TransactionHealth, OneThatTheCoordinatorEndsIsNotTheOperatorsBusiness) {
  CoordinatorView ending = ongoing(Duration(1'000));
  ending.state = "PrepareCommit";
  EXPECT_FALSE(judge_transaction(ending, {}, kNow).hangs);
}

}  // namespace
}  // namespace fencepost::exactly_once
