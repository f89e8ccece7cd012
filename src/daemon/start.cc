#include "daemon/start.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "daemon/translate_settings.h"
#include "kafka/admin.h"

namespace fencepost::daemon {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

// As long as Java's client asks for the cluster (default.api.timeout.ms) and Java's stores for their topics.
constexpr auto kClusterTimeout = 60s;
constexpr auto kStoresTimeout = 60s;
constexpr auto kAskAgain = 500ms;  // so that a stop is not kept waiting

}  // namespace

Start::Start(const config::WorkerConfig& config, Stores& stores, EventBox& events, std::function<void(std::string)> cluster_found,
             Log log)
    : config_(config), stores_(stores), events_(events), cluster_found_(std::move(cluster_found)), log_(std::move(log)) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    const auto outcome = run(stop);
    if (outcome) return void(events_.put(herder::StoresRead{}));
    {
      const std::lock_guard lock(mutex_);
      failure_ = outcome.error();
    }
    events_.put(herder::StartFailed{outcome.error().message()});
  });
}

Start::~Start() {
  thread_.request_stop();
  stores_.stop();
  thread_.join();
}

Result<void> Start::run(const std::stop_token& stop) {
  FENCEPOST_TRY(std::string cluster_id, ask_cluster_id(stop));
  cluster_found_(std::move(cluster_id));
  return stores_.start(kStoresTimeout);
}

Result<std::string> Start::ask_cluster_id(const std::stop_token& stop) {
  const std::string brokers = fmt::format("{}", fmt::join(config_.bootstrap_servers, ","));
  events_.put(herder::StartStepTaken{"cluster", "asking for the id of the Kafka cluster",
                                     fmt::format("a broker at {} (bootstrap.servers)", brokers)});
  FENCEPOST_TRY(const kafka::Translated settings, worker_client(config_, kafka::ClientKind::Admin, "start"));
  for (const std::string& warning : settings.warnings) log_.warn(warning);
  FENCEPOST_TRY(const auto admin, kafka::Admin::create(settings, log_));
  const auto deadline = SteadyClock::now() + kClusterTimeout;
  auto id = admin->cluster_id(kAskAgain);
  while (!id && !stop.stop_requested() && SteadyClock::now() < deadline) id = admin->cluster_id(kAskAgain);
  if (!id) {
    return Failure(std::move(id).error().while_doing(fmt::format(
        "cannot reach a Kafka broker at {} (bootstrap.servers) within {} s; check the address and that the broker runs", brokers,
        std::chrono::seconds(kClusterTimeout).count())));
  }
  events_.put(herder::StartStepTaken{"cluster", {}, {}});
  return id;
}

}  // namespace fencepost::daemon
