#include "base/endpoint.h"

#include <gtest/gtest.h>

namespace fencepost {
namespace {

TEST(Endpoints, ABootstrapListMayHaveBlanksSchemesAndAddresses) {
  const auto endpoints = parse_endpoints(" a:9092 , PLAINTEXT://b:1,[::1]:65535,");
  ASSERT_TRUE(endpoints.has_value()) << endpoints.error().message();
  EXPECT_EQ(*endpoints, (std::vector<Endpoint>{{"a", 9092}, {"b", 1}, {"::1", 65535}}));
  EXPECT_EQ(endpoints->back().to_string(), "[::1]:65535");
}

TEST(Endpoints, AWrongBootstrapPartIsNamedWithTheCure) {
  for (const std::string bad :
       {"", " , ", "host", "host:", "host:0", "host:65536", "host:9x", ":9092", "host:-1", "not an address", "a b:1"}) {
    const auto endpoints = parse_endpoints(bad);
    ASSERT_FALSE(endpoints.has_value()) << bad;
    EXPECT_EQ(endpoints.error().kind(), ErrorKind::InvalidConfig);
    EXPECT_NE(endpoints.error().message().find("host:port"), std::string::npos) << endpoints.error().message();
  }
}

}  // namespace
}  // namespace fencepost
