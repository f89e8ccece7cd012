#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "world_run.h"

namespace fencepost::simulation {
namespace {

/// A rule, and what the judges say of a world that breaks it.
struct Breach {
  const char* name;
  Breaches breaches;
  std::string verdict;  ///< a part of it; empty: anything
};

std::ostream& operator<<(std::ostream& out, const Breach& breach) { return out << breach.name; }

class AWorldThatBreaksARule : public ::testing::TestWithParam<Breach> {};

// Judges that never fail would prove nothing.
TEST_P(AWorldThatBreaksARule, IsFoundOut) {
  constexpr std::uint64_t kSeeds = 10'000;
  Counters counters;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto wrong = run(seed, nullptr, counters, GetParam().breaches);
    if (wrong.empty()) continue;
    const auto found = std::find_if(wrong.begin() + 1, wrong.end(),
                                    [](const auto& line) { return line.find(GetParam().verdict) != std::string::npos; });
    if (found == wrong.end()) continue;
    std::cout << "  seed " << seed << ": " << *found << "\n";
    return;
  }
  ADD_FAILURE() << "no judge of the first " << kSeeds << " worlds has said '" << GetParam().verdict << "'";
}

INSTANTIATE_TEST_SUITE_P(
    Rules, AWorldThatBreaksARule,
    // Two rules keep a run that slept through the life of its successor from repeating it. Without the questions of ownership the
    // comparison of offsets alone nearly suffices; without the comparison the questions do, in all of these worlds.
    ::testing::Values(Breach{"OwnershipUnasked", {.ownership_unasked = true}, ""},
                      Breach{"Both", {.ownership_unasked = true, .offsets_uncompared = true}, " again: "},
                      Breach{"IdsUnfenced", {.ids_unfenced = true}, " again: "},
                      Breach{"TaskCountUnwritten", {.task_count_unwritten = true}, " before its fence"},
                      Breach{"CommitsWhenFenced", {.commits_when_fenced = true}, " again: "},
                      Breach{"OffsetsBeforeFence", {.offsets_before_fence = true}, " again: "},
                      Breach{"DealtTwice", {.dealt_twice = true}, " runs 2 times"},
                      Breach{"DealtToOne", {.dealt_to_one = true}, " while "}),
    [](const auto& test) { return std::string(test.param.name); });

// KIP-415 spreads connectors and tasks each for themselves; eager deals both in one round.
TEST(TheJudgeOfBalance, GoesByTheProtocolOfTheGroup) {
  const std::vector<Share> crossed{{"w0", 1, 0}, {"w1", 0, 1}};
  EXPECT_TRUE(unevenness(crossed, "sessioned").empty());
  EXPECT_TRUE(unevenness(crossed, "default").empty());
  const std::vector<Share> tasks_apart{{"w0", 1, 0}, {"w1", 0, 2}};
  EXPECT_EQ(unevenness(tasks_apart, "compatible"), std::vector<std::string>{"w1 has 2 tasks while w0 has 0"});
  EXPECT_TRUE(unevenness(tasks_apart, "default").empty());
  const std::vector<Share> sum_apart{{"w0", 1, 1}, {"w1", 0, 0}};
  EXPECT_TRUE(unevenness(sum_apart, "compatible").empty());
  EXPECT_EQ(unevenness(sum_apart, "default"), std::vector<std::string>{"w0 has 2 connectors and tasks while w1 has 0"});
  EXPECT_EQ(unevenness({{"w0", 2, 0}, {"w1", 0, 2}}, "default"), std::vector<std::string>{"w0 has 2 connectors while w1 has 0"});
}

}  // namespace
}  // namespace fencepost::simulation
