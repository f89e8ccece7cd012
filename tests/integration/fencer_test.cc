#include "fencer/fencer.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "broker_under_test.h"

namespace fencepost::fencer {
namespace {

using namespace std::chrono_literals;

class Shell {
 public:
  explicit Shell(const net::Settings& network) {
    cluster_ = net::Cluster::create(loop_, network, Log{}).value();
    fencer_ = std::make_unique<Fencer>(*cluster_, Log{});
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Shell() {
    loop_.stop();
    thread_.join();
    fencer_.reset();
    cluster_.reset();
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  Fenced fence(const std::vector<std::string>& ids) {
    std::promise<Fenced> promise;
    const auto start = std::chrono::steady_clock::now();
    fencer_->fence({.transactional_ids = ids}, [&](Fenced fenced) { promise.set_value(std::move(fenced)); });
    auto fenced = promise.get_future().get();
    const auto took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start);
    std::printf("fenced %zu ids in %lld ms\n", ids.size(), static_cast<long long>(took.count()));
    return fenced;
  }

  std::vector<ListedTransaction> list() {
    std::promise<std::vector<ListedTransaction>> promise;
    fencer_->list_transactions(10s, [&](auto found) { promise.set_value(found.value()); });
    return promise.get_future().get();
  }
  Fencer::Described describe(const std::vector<std::string>& ids) {
    std::promise<Fencer::Described> promise;
    fencer_->describe_transactions(ids, 10s, [&](auto found) { promise.set_value(std::move(found)); });
    return promise.get_future().get();
  }

 private:
  net::Loop loop_;
  std::unique_ptr<net::Cluster> cluster_;
  std::unique_ptr<Fencer> fencer_;
  std::thread thread_;
};

TEST(FencerOnARealBroker, FencesAThousandIdsAndEachTimeTheEpochGrows) {
  FENCEPOST_NEEDS_BROKER(network);
  Shell shell(network);
  const std::string prefix = testing::unique_name("fence");
  std::vector<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(prefix + "-" + std::to_string(i));
  const Fenced first = shell.fence(ids);
  ASSERT_EQ(first_failure(first), std::nullopt) << first_failure(first)->message();
  const Fenced second = shell.fence(ids);
  ASSERT_EQ(first_failure(second), std::nullopt) << first_failure(second)->message();
  for (const std::string& id : ids) {
    EXPECT_EQ(second.at(id)->producer_id, first.at(id)->producer_id);
    EXPECT_GT(second.at(id)->epoch, first.at(id)->epoch);
  }
  shell.fence({ids[0]});
  EXPECT_GE(shell.list().size(), 1000U);
  const auto details = shell.describe({ids[0], prefix + "-unknown"});
  ASSERT_TRUE(details.at(ids[0]).has_value()) << details.at(ids[0]).error().message();
  EXPECT_EQ(details.at(ids[0])->state, "Empty");
  EXPECT_EQ(details.at(prefix + "-unknown").error().kind(), ErrorKind::NotFound);
}

}  // namespace
}  // namespace fencepost::fencer
