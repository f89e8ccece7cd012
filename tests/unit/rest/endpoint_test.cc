#include "rest/endpoint.h"

#include <gtest/gtest.h>

namespace fencepost::rest {
namespace {

TEST(Endpoints, AreReadWithHostEmptyHostAndIpv6) {
  const auto endpoints = parse_endpoints("listeners", {"http://127.0.0.1:8083", "HTTP://:0", "http://[::1]:80/", "https://h:1"});
  ASSERT_TRUE(endpoints);
  EXPECT_EQ(*endpoints,
            (std::vector<Endpoint>{{"http", "127.0.0.1", 8083}, {"http", "", 0}, {"http", "::1", 80}, {"https", "h", 1}}));
  EXPECT_EQ(to_string((*endpoints)[2]), "http://[::1]:80");
}

TEST(Endpoints, ThatMakeNoSenseAreRefusedByNameOfTheSettingAndTheEntry) {
  for (const char* entry : {"", "8083", "http://host", "http://host:", "http://host:99999", "http://host:-1", "http://a:b:1",
                            "http://h/x:1", "gopher://127.0.0.1:0", "http://host:1 "}) {
    const auto endpoints = parse_endpoints("listeners", {entry});
    ASSERT_FALSE(endpoints) << entry;
    EXPECT_EQ(endpoints.error().kind(), ErrorKind::InvalidConfig);
    EXPECT_NE(endpoints.error().message().find("listeners"), std::string::npos);
    EXPECT_NE(endpoints.error().message().find(entry), std::string::npos);
  }
}

}  // namespace
}  // namespace fencepost::rest
