#include "net/settings.h"

#include <gtest/gtest.h>

#include "net/backoff.h"

namespace fencepost::net {
namespace {

TEST(NetSettings, ComeFromLibrdkafkasNames) {
  const auto settings = settings_from({{"bootstrap.servers", "a:1"},
                                       {"security.protocol", "SASL_SSL"},
                                       {"sasl.mechanism", "SCRAM-SHA-512"},
                                       {"sasl.username", "u"},
                                       {"sasl.password", "p"},
                                       {"ssl.endpoint.identification.algorithm", "none"},
                                       {"ssl.ca.location", "/ca.pem"},
                                       {"reconnect.backoff.max.ms", "7000"},
                                       {"queue.buffering.max.messages", "1"}});
  ASSERT_TRUE(settings.has_value()) << settings.error().message();
  EXPECT_EQ(settings->security, SecurityProtocol::SaslSsl);
  EXPECT_EQ(settings->sasl.mechanism, "SCRAM-SHA-512");
  EXPECT_FALSE(settings->tls.verify_hostname);
  EXPECT_TRUE(settings->tls.verify_peer);
  EXPECT_EQ(settings->reconnect_backoff_max, Duration(7000));
  EXPECT_FALSE(settings_from({{"bootstrap.servers", "a:1"}, {"security.protocol", "TLS"}}).has_value());
  EXPECT_FALSE(settings_from({{"bootstrap.servers", "a:1"}, {"retry.backoff.ms", "-1"}}).has_value());
}

TEST(NetBackoff, DoublesUpToItsBoundAndStartsAnewAfterSuccess) {
  Backoff backoff(Duration(50), Duration(1000));
  EXPECT_EQ(backoff.next(0.5), Duration(50));
  EXPECT_EQ(backoff.next(0.5), Duration(100));
  for (int i = 0; i < 100; ++i) EXPECT_LE(backoff.next(0.999), Duration(1200));
  EXPECT_GE(backoff.next(0.0), Duration(800));
  backoff.reset();
  EXPECT_EQ(backoff.next(0.5), Duration(50));
}

}  // namespace
}  // namespace fencepost::net
