#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <random>
#include <string>

#include "net/settings.h"

namespace fencepost::testing {

/// How to reach the real broker of an integration test: FENCEPOST_TEST_BOOTSTRAP, plus FENCEPOST_TEST_CLIENT with further
/// settings under librdkafka's names, one "name=value" a line.
inline std::optional<net::Settings> broker_under_test() {
  const char* bootstrap = std::getenv("FENCEPOST_TEST_BOOTSTRAP");
  if (bootstrap == nullptr) return std::nullopt;
  Properties properties{{"bootstrap.servers", bootstrap}};
  const char* more = std::getenv("FENCEPOST_TEST_CLIENT");
  std::string lines = more == nullptr ? "" : more;
  while (!lines.empty()) {
    const auto end = lines.find('\n');
    const std::string line = lines.substr(0, end);
    lines = end == std::string::npos ? "" : lines.substr(end + 1);
    const auto equals = line.find('=');
    if (equals != std::string::npos) properties.set(line.substr(0, equals), line.substr(equals + 1));
  }
  return net::settings_from(properties).value();
}

inline std::string unique_name(const std::string& what) {
  return what + "-" + std::to_string(std::random_device{}()) + "-" + std::to_string(std::random_device{}());
}

}  // namespace fencepost::testing

#define FENCEPOST_NEEDS_BROKER(name)                                                                                        \
  const auto name##_found = ::fencepost::testing::broker_under_test();                                                      \
  if (!name##_found) GTEST_SKIP() << "FENCEPOST_TEST_BOOTSTRAP names no broker; give it the host:port of a Kafka 4 broker"; \
  const ::fencepost::net::Settings name = *name##_found
