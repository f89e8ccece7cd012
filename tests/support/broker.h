#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <utility>

#include "kafka/client_settings.h"

namespace fencepost::test {

/// Where the broker of the integration tests is, or nothing.
inline std::string bootstrap() {
  const char* servers = std::getenv("FENCEPOST_TEST_BOOTSTRAP");
  return servers == nullptr ? "" : servers;
}

/// Names that no other test and no other run uses.
inline std::string fresh_name(const char* what) {
  static std::atomic<int> count = 0;
  return fmt::format("{}-{}-{}-{}", what, ::getpid(), std::chrono::system_clock::now().time_since_epoch().count(), ++count);
}

inline kafka::Translated settings(kafka::ClientKind kind, Properties extra = {},
                                  kafka::Delivery delivery = kafka::Delivery::AtLeastOnce) {
  extra.set("bootstrap.servers", bootstrap());
  return kafka::translate(kind, extra, delivery).value();
}

/// Whether the condition comes true within ten seconds; asked again and again.
template <class Condition>
bool eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    if (condition()) return true;
    // A cluster tells nobody when it is done.
    std::promise<void>().get_future().wait_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Skips its tests where FENCEPOST_TEST_BOOTSTRAP names no broker.
class BrokerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (bootstrap().empty()) GTEST_SKIP() << "FENCEPOST_TEST_BOOTSTRAP names no broker";
  }
};

}  // namespace fencepost::test
