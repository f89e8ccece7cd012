#include "assignor/incremental.h"

#include <gtest/gtest.h>

#include <random>

namespace fencepost::assignor {
namespace {

TEST(Incremental, AnswersARoundWithoutWorkers) {
  Incremental assignor{Duration(300000)};
  EXPECT_TRUE(assignor.assign({Time{}, Generation(1), kNoGeneration, {}, {{"a", 2}}}).changes.empty());
}

/// Workers as they behave: they stop what is revoked, start what is new, and report it all, new first.
class Cluster {
 public:
  explicit Cluster(unsigned seed) : random_(seed), assignor_(Duration(1000)) {}

  void step() {
    switch (random_() % 6) {
      case 0:
        workers_.try_emplace(std::string(1, 'w').append(std::to_string(random_() % 6)));
        break;
      case 1:
        if (workers_.size() > 1)
          workers_.erase(std::next(workers_.begin(), static_cast<std::ptrdiff_t>(random_() % workers_.size())));
        break;
      case 2:
        configured_[std::string(1, 'c').append(std::to_string(random_() % 5))] = static_cast<std::int32_t>(random_() % 6);
        break;
      case 3:
        if (!configured_.empty()) configured_.erase(configured_.begin());
        break;
      default:
        now_ += Duration(random_() % 400);
    }
    round();
  }

  void round() {
    Round round{now_, Generation(++generation_), Generation(generation_ - 1), {}, configured_};
    if (generation_ == 1) round.last_completed_generation = kNoGeneration;
    for (const auto& [id, load] : workers_) round.workers.push_back({id, load});
    outcome_ = assignor_.assign(round);
    for (auto& [id, load] : workers_) {
      Change& change = outcome_.changes.at(id);
      Work revoked;
      revoked.connectors.insert(change.revoked.connectors.begin(), change.revoked.connectors.end());
      revoked.tasks.insert(change.revoked.tasks.begin(), change.revoked.tasks.end());
      load.take(revoked);
      load.connectors.insert(load.connectors.begin(), change.assigned.connectors.begin(), change.assigned.connectors.end());
      load.tasks.insert(load.tasks.begin(), change.assigned.tasks.begin(), change.assigned.tasks.end());
    }
  }

  /// Rounds until nothing is left to do; fails if that takes too long.
  void settle() {
    for (int i = 0; i < 60; ++i) {
      now_ += outcome_.delay;
      round();
      if (outcome_.delay == Duration::zero() && !outcome_.rebalance_again && held().tasks == all_of(configured_).tasks) return;
    }
    ADD_FAILURE() << "the cluster does not come to rest";
  }

  /// All that runs. Nothing may run twice.
  Work held() const {
    Work out;
    for (const auto& [id, load] : workers_) {
      for (const auto& connector : load.connectors) EXPECT_TRUE(out.connectors.insert(connector).second) << connector;
      for (const auto& task : load.tasks) EXPECT_TRUE(out.tasks.insert(task).second) << task.to_string();
    }
    return out;
  }

  void expect_balance() const {
    std::size_t least = SIZE_MAX;
    std::size_t most = 0;
    for (const auto& [id, load] : workers_) {
      least = std::min(least, load.tasks.size());
      most = std::max(most, load.tasks.size());
    }
    EXPECT_LE(most, least + 1);
  }

  [[nodiscard]] bool has_workers() const { return !workers_.empty(); }
  [[nodiscard]] Work configured() const { return all_of(configured_); }

 private:
  std::mt19937 random_;
  Incremental assignor_;
  std::map<std::string, Load> workers_{{"w0", {}}};
  Configured configured_;
  Time now_{Duration(1'000'000)};
  std::int32_t generation_ = 0;
  Outcome outcome_;
};

TEST(Incremental, NeverDealsTwiceAndComesToRestWithAllDealtEvenly) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Cluster cluster(seed);
    for (int i = 0; i < 40; ++i) {
      cluster.step();
      cluster.held();
    }
    cluster.settle();
    EXPECT_EQ(cluster.held().connectors, cluster.configured().connectors);
    EXPECT_EQ(cluster.held().tasks, cluster.configured().tasks);
    cluster.expect_balance();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace fencepost::assignor
