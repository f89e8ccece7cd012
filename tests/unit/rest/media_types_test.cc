#include "rest/media_types.h"

#include <gtest/gtest.h>

namespace fencepost::rest {
namespace {

TEST(ContentType, OfJsonIsReadWithoutRegardToCaseAndParameters) {
  for (const char* type :
       {"application/json", "APPLICATION/JSON", "application/json;charset=utf-8", "application/json; charset=\"UTF-8\"; x=y"}) {
    EXPECT_TRUE(is_json(type) && may_consume_json(type)) << type;
  }
  for (const char* type : {"application/xml", "text/json", "*/*", "application/*", "application/vnd.api+json",
                           "application/octet-stream", "json", ""}) {
    EXPECT_FALSE(is_json(type)) << type;
  }
  EXPECT_FALSE(is_json(std::nullopt));
  EXPECT_TRUE(may_consume_json(std::nullopt));
  EXPECT_TRUE(may_consume_json("application/*"));
  EXPECT_FALSE(may_consume_json("text/plain"));
}

TEST(Accept, TakesJsonByNameOrWildcardUnlessItsQualityIsZero) {
  for (const char* accept : {"", "*/*", "*", "application/*", "application/json; q=0.5", "text/html, application/json;q=0.2",
                             "text/html, */*;q=0.1"}) {
    EXPECT_TRUE(accepts_json(accept)) << accept;
  }
  for (const char* accept :
       {"text/html", "application/vnd+json", "image/*", "text/plain;q=0.5, text/html", "application/json;q=0"}) {
    EXPECT_FALSE(accepts_json(accept)) << accept;
  }
}

}  // namespace
}  // namespace fencepost::rest
