#include "kafka/client_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace fencepost::kafka {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Translated translated(ClientKind kind, const Properties& java, Delivery delivery = Delivery::AtLeastOnce) {
  auto result = translate(kind, java, delivery);
  EXPECT_TRUE(result) << result.error().message();
  return result.value_or(Translated{});
}

std::string refusal(ClientKind kind, const Properties& java, Delivery delivery = Delivery::AtLeastOnce) {
  const auto result = translate(kind, java, delivery);
  return result ? "accepted" : result.error().message();
}

TEST(ClientSettings, GivesJavaNamesTheirLibrdkafkaNames) {
  const auto t = translated(ClientKind::Producer, {{"bootstrap.servers", "a:1,b:2"},
                                                   {"linger.ms", "7"},
                                                   {"batch.size", "0"},
                                                   {"buffer.memory", "1048576"},
                                                   {"max.request.size", "2000000"},
                                                   {"delivery.timeout.ms", "2147483647"},
                                                   {"request.timeout.ms", "20000"},
                                                   {"compression.type", "zstd"},
                                                   {"compression.zstd.level", "5"},
                                                   {"metadata.max.age.ms", "9000"},
                                                   {"connections.max.idle.ms", "-1"}});
  EXPECT_EQ(t.get("bootstrap.servers"), "a:1,b:2");
  EXPECT_EQ(t.get("linger.ms"), "7");
  EXPECT_EQ(t.get("batch.size"), "1");
  EXPECT_EQ(t.get("queue.buffering.max.kbytes"), "1024");
  EXPECT_EQ(t.get("message.max.bytes"), "2000000");
  EXPECT_EQ(t.get("message.timeout.ms"), "2147483647");
  EXPECT_EQ(t.get("socket.timeout.ms"), "20000");
  EXPECT_EQ(t.get("request.timeout.ms"), "20000");
  EXPECT_EQ(t.get("compression.level"), "5");
  EXPECT_EQ(t.get("topic.metadata.refresh.interval.ms"), "9000");
  EXPECT_EQ(t.get("connections.max.idle.ms"), "0");
  EXPECT_EQ(t.get("partitioner"), "murmur2_random");
  EXPECT_EQ(t.max_request_bytes, 2'000'000U);
}

TEST(ClientSettings, RecordsOfATransactionLingerForFullBatches) {
  const auto linger = [](const Properties& java, Delivery delivery) {
    return translate(ClientKind::Producer, java, delivery)->get("linger.ms");
  };
  EXPECT_EQ(linger({}, Delivery::AtLeastOnce), "5");
  EXPECT_EQ(linger({}, Delivery::ExactlyOnce), "200");
  EXPECT_EQ(linger({{"linger.ms", "5"}}, Delivery::ExactlyOnce), "5");
  EXPECT_EQ(linger({{"delivery.timeout.ms", "150"}, {"request.timeout.ms", "100"}}, Delivery::ExactlyOnce), "149");
}

TEST(ClientSettings, NamesEachSettingWithoutCounterpartInOneWarning) {
  const auto t = translated(ClientKind::Producer, {{"interceptor.classes", "x.Y"}, {"no.such.setting", "1"}, {"linger.ms", "1"}});
  EXPECT_THAT(t.warnings, ElementsAre(HasSubstr("'interceptor.classes'"), HasSubstr("'no.such.setting'")));
}

TEST(ClientSettings, ReadsUncommittedByDefaultAsJavaDoes) {
  EXPECT_EQ(translated(ClientKind::Consumer, {}).get("isolation.level"), "read_uncommitted");
  EXPECT_EQ(translated(ClientKind::Consumer, {{"isolation.level", "READ_COMMITTED"}}).get("isolation.level"), "read_committed");
}

TEST(ClientSettings, TranslatesWhereAConsumerBegins) {
  EXPECT_EQ(translated(ClientKind::Consumer, {{"auto.offset.reset", "none"}}).get("auto.offset.reset"), "error");
  EXPECT_EQ(translated(ClientKind::Consumer, {{"auto.offset.reset", "Earliest"}}).get("auto.offset.reset"), "earliest");
  EXPECT_THAT(refusal(ClientKind::Consumer, {{"auto.offset.reset", "by_duration:PT1H"}}), HasSubstr("earliest, latest or none"));
}

TEST(ClientSettings, HandsBackWhatOurOwnCodeCarriesOut) {
  const auto consumer = translated(ClientKind::Consumer, {{"max.poll.records", "17"}, {"default.api.timeout.ms", "5"}});
  EXPECT_EQ(consumer.max_poll_records, 17U);
  EXPECT_EQ(consumer.default_api_timeout, Duration(5));
  EXPECT_EQ(translated(ClientKind::Producer, {{"max.block.ms", "250"}}).max_block, Duration(250));
  EXPECT_EQ(translated(ClientKind::Producer, {}).max_block, Duration(60'000));
  EXPECT_EQ(translated(ClientKind::Producer, {{"max.block.ms", "9223372036854775807"}}).max_block, std::nullopt);
}

TEST(ClientSettings, RefusesWhatWouldWeakenExactlyOnce) {
  const Properties base{{"transactional.id", "g-c-0"}};
  const auto with = [&](const char* name, const char* value) {
    Properties p = base;
    p.set(name, value);
    return refusal(ClientKind::Producer, p, Delivery::ExactlyOnce);
  };
  EXPECT_THAT(with("enable.idempotence", "false"), HasSubstr("enable.idempotence: 'false' would weaken exactly-once"));
  EXPECT_THAT(with("acks", "1"), HasSubstr("acks: '1' would weaken"));
  EXPECT_THAT(with("max.in.flight.requests.per.connection", "6"), HasSubstr("5 or less"));
  EXPECT_THAT(with("retries", "0"), HasSubstr("more than 0"));
  EXPECT_EQ(with("acks", "all"), "accepted");
}

TEST(ClientSettings, ObeysWeakerAcknowledgementsWhereNothingWasPromised) {
  const auto t = translated(ClientKind::Producer, {{"acks", "1"}});
  EXPECT_EQ(t.get("acks"), "1");
  EXPECT_EQ(t.get("enable.idempotence"), "false");
  EXPECT_EQ(translated(ClientKind::Producer, {}).get("enable.idempotence"), "true");
}

TEST(ClientSettings, KeepsDeliveriesShorterThanTheirTransaction) {
  const auto t =
      translated(ClientKind::Producer,
                 {{"transactional.id", "x"}, {"transaction.timeout.ms", "10000"}, {"delivery.timeout.ms", "2147483647"}},
                 Delivery::ExactlyOnce);
  EXPECT_EQ(t.get("message.timeout.ms"), "9999");
  EXPECT_EQ(t.get("socket.timeout.ms"), "9900");
  EXPECT_EQ(t.transaction_timeout, Duration(10'000));
}

TEST(ClientSettings, TakesUserAndPasswordFromTheJaasText) {
  const auto t =
      translated(ClientKind::Admin,
                 {{"security.protocol", "SASL_PLAINTEXT"},
                  {"sasl.mechanism", "SCRAM-SHA-512"},
                  {"sasl.jaas.config",
                   "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"al=ice\" password='p\\'w;\"';"}});
  EXPECT_EQ(t.get("security.protocol"), "sasl_plaintext");
  EXPECT_EQ(t.get("sasl.username"), "al=ice");
  EXPECT_EQ(t.get("sasl.password"), "p'w;\"");
}

TEST(ClientSettings, TakesKerberosNamesFromTheJaasText) {
  const auto t = translated(ClientKind::Admin,
                            {{"security.protocol", "SASL_SSL"},
                             {"sasl.jaas.config",
                              "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true keyTab=\"/etc/k.tab\" "
                              "principal=\"c@EX.ORG\" serviceName=\"kafka\";"}});
  EXPECT_EQ(t.get("sasl.kerberos.principal"), "c@EX.ORG");
  EXPECT_EQ(t.get("sasl.kerberos.keytab"), "/etc/k.tab");
  EXPECT_EQ(t.get("sasl.kerberos.service.name"), "kafka");
}

TEST(ClientSettings, NeverRepeatsAPasswordInAMessage) {
  for (const char* jaas :
       {"x.PlainLoginModule required username=\"u\" password=\"s3cret\"", "x.PlainLoginModule required password=s3cret;",
        "x.PlainLoginModule required username=\"u\" password=\"s3cret;", "s3cret", "x.ScramLoginModule required s3cret;"}) {
    const auto text =
        refusal(ClientKind::Admin, {{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", "PLAIN"}, {"sasl.jaas.config", jaas}});
    EXPECT_THAT(text, HasSubstr("sasl.jaas.config")) << jaas;
    EXPECT_THAT(text, Not(HasSubstr("s3cret"))) << jaas;
  }
}

TEST(ClientSettings, RefusesALoginModuleThatDoesNotFitTheMechanism) {
  EXPECT_THAT(refusal(ClientKind::Admin, {{"security.protocol", "SASL_SSL"},
                                          {"sasl.mechanism", "SCRAM-SHA-256"},
                                          {"sasl.jaas.config", "a.b.PlainLoginModule required username=\"u\" password=\"p\";"}}),
              HasSubstr("use ScramLoginModule"));
}

TEST(ClientSettings, SaysHowToConvertAJksStore) {
  const std::string path = testing::TempDir() + "trust.jks";
  std::ofstream(path, std::ios::binary) << "\xFE\xED\xFE\xED" << std::string(20, '\0');
  EXPECT_THAT(refusal(ClientKind::Admin, {{"ssl.truststore.location", path}}), HasSubstr("keytool -importkeystore"));
  EXPECT_THAT(refusal(ClientKind::Admin, {{"ssl.keystore.location", path}}), HasSubstr("-deststoretype PKCS12"));
}

TEST(ClientSettings, NamesAStoreThatCannotBeRead) {
  EXPECT_THAT(refusal(ClientKind::Admin, {{"ssl.truststore.location", "/no/such/file"}}),
              HasSubstr("ssl.truststore.location: cannot read '/no/such/file'"));
}

TEST(ClientSettings, MapsCipherSuitesAndHostNameChecks) {
  const auto t = translated(ClientKind::Admin,
                            {{"ssl.cipher.suites", "TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,NO_SUCH"},
                             {"ssl.endpoint.identification.algorithm", ""}});
  EXPECT_EQ(t.get("ssl.cipher.suites"), "ECDHE-RSA-AES256-GCM-SHA384");
  EXPECT_EQ(t.get("ssl.endpoint.identification.algorithm"), "none");
  EXPECT_THAT(t.warnings, ElementsAre(HasSubstr("'NO_SUCH'")));
}

TEST(ClientSettings, NamesSettingAndValueOfABadNumber) {
  EXPECT_EQ(refusal(ClientKind::Producer, {{"linger.ms", "soon"}}), "linger.ms: 'soon' is not possible; use a whole number");
  EXPECT_THAT(translated(ClientKind::Producer, {{"linger.ms", "1000000"}}).warnings, ElementsAre(HasSubstr("900000 is used")));
}

TEST(ClientSettings, RefusesABootstrapListThatNamesNoBroker) {
  EXPECT_EQ(refusal(ClientKind::Admin, {{"bootstrap.servers", "not an address"}}),
            "bootstrap.servers: 'not an address' has no port; use host:port");
}

TEST(ClientSettings, MapsAssignorsWithoutMixingProtocols) {
  const auto strategy = [](const char* classes) {
    return translated(ClientKind::Consumer, {{"partition.assignment.strategy", classes}}).get("partition.assignment.strategy");
  };
  EXPECT_EQ(
      strategy("org.apache.kafka.clients.consumer.RangeAssignor, org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
      "range");
  EXPECT_EQ(strategy("org.apache.kafka.clients.consumer.CooperativeStickyAssignor"), "cooperative-sticky");
}

TEST(ClientSettings, MergesTaskClientsAsConnectDoes) {
  const Properties worker{{"bootstrap.servers", "b:1"}, {"security.protocol", "SSL"}, {"producer.linger.ms", "1"},
                          {"producer.acks", "1"},       {"consumer.linger.ms", "9"},  {"group.id", "workers"}};
  const auto merged = task_client_properties(ClientKind::Producer, worker, {{"acks", "all"}, {"x", "y"}}, {{"acks", "-1"}});
  EXPECT_EQ(merged, (Properties{{"bootstrap.servers", "b:1"}, {"linger.ms", "1"}, {"acks", "-1"}, {"x", "y"}}));
}

TEST(ClientSettings, GivesInternalClientsTheWorkersOwnSecurity) {
  const Properties worker{{"bootstrap.servers", "b:1"}, {"security.protocol", "SSL"}, {"group.id", "workers"},
                          {"session.timeout.ms", "1"},  {"key.converter", "c"},       {"retry.backoff.ms", "5"}};
  EXPECT_EQ(internal_client_properties(ClientKind::Consumer, worker),
            (Properties{{"bootstrap.servers", "b:1"}, {"security.protocol", "SSL"}, {"retry.backoff.ms", "5"}}));
}

TEST(ClientSettings, SourceProducersKeepOrderAndNeverGiveUp) {
  const auto plain = translated(ClientKind::Producer, source_producer_defaults(Delivery::AtLeastOnce));
  EXPECT_EQ(plain.get("max.in.flight.requests.per.connection"), "1");
  EXPECT_EQ(plain.get("message.timeout.ms"), "2147483647");
  EXPECT_THAT(plain.warnings, IsEmpty());
}

}  // namespace
}  // namespace fencepost::kafka
