#include "net/sasl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fencepost::net {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

SaslSettings bob(const std::string& mechanism) { return {.mechanism = mechanism, .username = "bob", .password = "hunter2"}; }

TEST(Sasl, PlainSendsNameAndPasswordWithoutAnAuthorizationId) {
  const auto exchange = make_sasl_exchange(bob("PLAIN"), "broker");
  ASSERT_TRUE(exchange.has_value()) << exchange.error().message();
  EXPECT_EQ((*exchange)->start().value(), std::string("\0bob\0hunter2", 12));
  EXPECT_TRUE((*exchange)->complete());
}

TEST(Sasl, ScramNeverSendsThePasswordAndRefusesAServerThatDoesNotKnowIt) {
  const auto exchange = make_sasl_exchange(bob("SCRAM-SHA-512"), "broker");
  ASSERT_TRUE(exchange.has_value()) << exchange.error().message();
  const std::string first = (*exchange)->start().value();
  EXPECT_THAT(first, StartsWith("n,,n=bob,r="));
  const std::string nonce = first.substr(first.find("r=") + 2);
  const auto final_message = (*exchange)->step("r=" + nonce + "more,s=c2FsdHNhbHRzYWx0,i=4096");
  ASSERT_TRUE(final_message.has_value()) << final_message.error().message();
  EXPECT_THAT(*final_message, testing::Not(HasSubstr("hunter2")));
  const auto forged = (*exchange)->step("v=bm90IHRoZSBzaWduYXR1cmU=");
  ASSERT_FALSE(forged.has_value());
  EXPECT_EQ(forged.error().kind(), ErrorKind::Forbidden);
}

TEST(Sasl, ANonceThatIsNotOursIsRefused) {
  const auto exchange = make_sasl_exchange(bob("SCRAM-SHA-256"), "broker");
  ASSERT_TRUE(exchange.has_value()) << exchange.error().message();
  ASSERT_TRUE((*exchange)->start().has_value());
  EXPECT_FALSE((*exchange)->step("r=somebody else's,s=c2FsdA==,i=4096").has_value());
}

TEST(Sasl, WhatIsMissingOrUnknownIsNamed) {
  EXPECT_THAT(make_sasl_exchange(bob("OAUTHBEARER"), "broker").error().message(), HasSubstr("use PLAIN"));
  SaslSettings nobody = bob("PLAIN");
  nobody.password.clear();
  const auto error = make_sasl_exchange(nobody, "broker").error();
  EXPECT_EQ(error.kind(), ErrorKind::InvalidConfig);
  EXPECT_THAT(error.message(), HasSubstr("password"));
}

}  // namespace
}  // namespace fencepost::net
