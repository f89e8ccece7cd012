#include "runtime/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace fencepost::runtime {
namespace {

using namespace std::chrono_literals;

class Counted final : public Job {
 public:
  explicit Counted(Steady::duration pause) : pause_(pause) {}
  Steady::time_point turn() override {
    ++turns;
    return pause_ == Steady::duration::max() ? Steady::time_point::max() : Steady::now() + pause_;
  }
  std::atomic<int> turns = 0;

 private:
  Steady::duration pause_;
};

bool soon(const std::function<bool()>& holds, Steady::duration within = 5s) {
  const auto end = Steady::now() + within;
  while (!holds()) {
    if (Steady::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

TEST(Scheduler, GivesATurnToAJobThatIsWoken) {
  Scheduler scheduler(1);
  const auto job = std::make_shared<Counted>(Steady::duration::max());
  scheduler.wake(job);
  EXPECT_TRUE(soon([&] { return job->turns == 1; }));
}

TEST(Scheduler, ComesBackWhenAJobSaidSo) {
  Scheduler scheduler(1);
  const auto job = std::make_shared<Counted>(5ms);
  scheduler.wake(job);
  EXPECT_TRUE(soon([&] { return job->turns >= 3; }));
}

TEST(Scheduler, ServesOthersWhileTurnsBlock) {
  Scheduler scheduler(1);
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  for (int i = 0; i < 5; ++i) scheduler.run([open] { open.wait(); });
  const auto job = std::make_shared<Counted>(Steady::duration::max());
  scheduler.wake(job);
  EXPECT_TRUE(soon([&] { return job->turns == 1; }));
  gate.set_value();
}

TEST(Scheduler, ServesManyIdleJobsWithFewThreads) {
  Scheduler scheduler(2);
  std::vector<std::shared_ptr<Counted>> jobs;
  for (int i = 0; i < 200; ++i) {
    jobs.push_back(std::make_shared<Counted>(20ms));
    scheduler.wake(jobs.back());
  }
  EXPECT_TRUE(soon([&] { return std::all_of(jobs.begin(), jobs.end(), [](const auto& job) { return job->turns >= 3; }); }));
  EXPECT_LE(scheduler.threads(), 8U);
}

TEST(Scheduler, LetsThreadsBeyondNeedGoThoughManyJobsTakeShortTurns) {
  Scheduler scheduler(2);
  std::promise<void> gate;
  const auto open = gate.get_future().share();
  std::atomic<int> blocked = 0;
  for (int i = 0; i < 30; ++i) {
    scheduler.run([open, &blocked] {
      ++blocked;
      open.wait();
    });
  }
  EXPECT_TRUE(soon([&] { return blocked == 30; }));
  std::vector<std::shared_ptr<Counted>> jobs;
  for (int i = 0; i < 100; ++i) {
    jobs.push_back(std::make_shared<Counted>(20ms));
    scheduler.wake(jobs.back());
  }
  gate.set_value();
  EXPECT_TRUE(soon([&] { return scheduler.threads() <= 12; }, 30s));
}

TEST(Scheduler, SaysWhetherTurnsWereStillUnderWayWhenItStopped) {
  Scheduler scheduler(1);
  std::promise<void> gate;
  std::promise<void> entered;
  scheduler.run([&] {
    entered.set_value();
    gate.get_future().wait();
  });
  entered.get_future().wait();
  EXPECT_FALSE(scheduler.stop(Steady::now() + 10ms));
  gate.set_value();
  EXPECT_TRUE(scheduler.stop(Steady::now() + 5s));
}

}  // namespace
}  // namespace fencepost::runtime
