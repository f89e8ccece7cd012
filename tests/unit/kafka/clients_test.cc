#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kafka/consumer.h"
#include "kafka/producer.h"

namespace fencepost::kafka {
namespace {

// What Java's clients accept must make a client here too: librdkafka checks its settings against each other in ways of its own.
TEST(Clients, AreMadeFromWhateverJavasConsumersAccept) {
  for (const Properties& java : std::vector<Properties>{
           {{"fetch.max.bytes", "5000"}},
           {{"fetch.max.bytes", "2147483647"}},
           {{"max.partition.fetch.bytes", "2147483647"}},
           {{"request.timeout.ms", "1000"}},
           {{"fetch.max.wait.ms", "60000"}},
           {{"fetch.max.wait.ms", "60000"}, {"request.timeout.ms", "30000"}},
           {{"group.id", "g"}, {"session.timeout.ms", "600000"}},
           {{"group.id", "g"}, {"max.poll.interval.ms", "1000"}},
           {{"group.id", "g"}, {"max.poll.interval.ms", "2147483647"}},
           {{"group.id", "g"}, {"heartbeat.interval.ms", "60000"}},
           {{"group.id", "g"}, {"group.protocol", "CONSUMER"}, {"session.timeout.ms", "10000"}},
           {{"reconnect.backoff.ms", "5000"}},
           {{"reconnect.backoff.max.ms", "10"}},
           {{"retry.backoff.ms", "5000"}},
           {{"retry.backoff.max.ms", "1"}},
           {{"client.dns.lookup", "resolve_canonical_bootstrap_servers_only"}},
           {{"receive.buffer.bytes", "-1"}, {"send.buffer.bytes", "-1"}},
           {{"security.protocol", "SSL"}},
       }) {
    const auto settings = translate(ClientKind::Consumer, java);
    ASSERT_TRUE(settings) << settings.error().message();
    const auto made = java.contains("group.id") ? GroupConsumer::create(*settings, Log(), {}).map([](auto&&) {})
                                                : AssignedConsumer::create(*settings, Log()).map([](auto&&) {});
    EXPECT_TRUE(made) << java.begin()->first << ": " << made.error().message();
  }
}

TEST(Clients, AreMadeFromWhateverJavasProducersAccept) {
  for (const Properties& java : std::vector<Properties>{
           {{"linger.ms", "500"}, {"delivery.timeout.ms", "400"}},
           {{"linger.ms", "900000"}},
           {{"batch.size", "0"}},
           {{"batch.size", "2147483647"}},
           {{"max.request.size", "100"}},
           {{"max.request.size", "2147483647"}},
           {{"buffer.memory", "9223372036854775807"}},
           {{"buffer.memory", "1000"}},
           {{"acks", "0"}},
           {{"acks", "1"}, {"retries", "0"}},
           {{"retries", "0"}},
           {{"max.in.flight.requests.per.connection", "100"}},
           {{"compression.type", "gzip"}, {"compression.gzip.level", "9"}},
           {{"transactional.id", "t"}, {"transaction.timeout.ms", "1000"}},
           {{"transactional.id", "t"}, {"transaction.timeout.ms", "900000"}, {"request.timeout.ms", "600000"}},
           {{"transactional.id", "t"}, {"linger.ms", "60000"}, {"transaction.timeout.ms", "10000"}},
           {{"request.timeout.ms", "2147483647"}},
           {{"metadata.max.age.ms", "1"}},
           {{"connections.max.idle.ms", "9223372036854775807"}},
       }) {
    const auto settings = translate(ClientKind::Producer, java);
    ASSERT_TRUE(settings) << settings.error().message();
    const auto made = Producer::create(*settings, Log(), {}).map([](auto&&) {});
    EXPECT_TRUE(made) << java.begin()->first << ": " << made.error().message();
  }
}

}  // namespace
}  // namespace fencepost::kafka
