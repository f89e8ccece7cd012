#include "config/worker_config.h"

#include <gtest/gtest.h>

namespace fencepost::config {
namespace {

Properties minimal() {
  return {{"bootstrap.servers", "a:9092, b:9092"},
          {"group.id", "demo"},
          {"key.converter", "org.apache.kafka.connect.json.JsonConverter"},
          {"key.converter.schemas.enable", "false"},
          {"value.converter", "org.apache.kafka.connect.json.JsonConverter"},
          {"config.storage.topic", "configs"},
          {"offset.storage.topic", "offsets"},
          {"status.storage.topic", "statuses"}};
}

Properties with(std::string_view name, std::string_view value) {
  Properties properties = minimal();
  properties.set(name, std::string(value));
  return properties;
}

std::string fault_of(const Properties& properties) {
  const auto config = make_worker_config(properties);
  return config ? "" : config.error().message();
}

TEST(WorkerConfig, HasJavasDefaults) {
  const WorkerConfig config = make_worker_config(minimal()).value();
  EXPECT_EQ(config.bootstrap_servers, (std::vector<std::string>{"a:9092", "b:9092"}));
  EXPECT_EQ(config.client_id, "connect-demo");
  EXPECT_EQ(config.exactly_once, ExactlyOnceSource::Disabled);
  EXPECT_EQ(config.protocol, ConnectProtocol::Sessioned);
  EXPECT_EQ(config.session_timeout, milliseconds(10'000));
  EXPECT_EQ(config.config_topic.partitions, 1);
  EXPECT_EQ(config.offset_topic.partitions, 25);
  EXPECT_EQ(config.status_topic.partitions, 5);
  EXPECT_EQ(config.offset_topic.replication_factor, 3);
  EXPECT_EQ(config.listeners, (std::vector<Listener>{{.port = 8083}}));
  EXPECT_FALSE(config.admin_listeners.has_value());
  EXPECT_EQ(config.key_converter.settings, (Properties{{"schemas.enable", "false"}}));
  EXPECT_EQ(config.leader_transactional_id(), "connect-cluster-demo");
}

TEST(WorkerConfig, NamesEverythingThatIsMissing) {
  const std::string fault = fault_of({});
  for (const char* name : {"bootstrap.servers", "group.id", "key.converter", "value.converter", "config.storage.topic",
                           "offset.storage.topic", "status.storage.topic"}) {
    EXPECT_NE(fault.find("Missing required configuration \"" + std::string(name) + "\" which has no default value."),
              std::string::npos)
        << name;
  }
}

TEST(WorkerConfig, ReadsEnumerationsInAnyCaseThatJavaTakes) {
  EXPECT_EQ(make_worker_config(with("exactly.once.source.support", "ENABLED")).value().exactly_once, ExactlyOnceSource::Enabled);
  EXPECT_EQ(make_worker_config(with("exactly.once.source.support", "preparing")).value().exactly_once,
            ExactlyOnceSource::Preparing);
  EXPECT_EQ(fault_of(with("exactly.once.source.support", "on")),
            "Invalid value on for configuration exactly.once.source.support: String must be one of (case insensitive): DISABLED, "
            "ENABLED, PREPARING");
  EXPECT_EQ(make_worker_config(with("connect.protocol", "eager")).value().protocol, ConnectProtocol::Eager);
  EXPECT_EQ(make_worker_config(with("connector.client.config.override.policy",
                                    "org.apache.kafka.connect.connector.policy.PrincipalConnectorClientConfigOverridePolicy"))
                .value()
                .override_policy,
            OverridePolicy::Principal);
}

TEST(WorkerConfig, WantsAHeartbeatWithinTheSession) {
  EXPECT_NE(fault_of(with("heartbeat.interval.ms", "10000")).find("it must be lower than session.timeout.ms (10000)"),
            std::string::npos);
}

TEST(WorkerConfig, WantsTheSigningAlgorithmAmongTheAcceptedOnes) {
  EXPECT_NE(fault_of(with("inter.worker.signature.algorithm", "HmacSHA512")).find("inter.worker.verification.algorithms"),
            std::string::npos);
  EXPECT_NE(fault_of(with("inter.worker.signature.algorithm", "Md5")).find("use one of HmacSHA1"), std::string::npos);
}

TEST(WorkerConfig, WantsAnAdvertisedListenerThatExists) {
  EXPECT_NE(fault_of(with("rest.advertised.listener", "https")).find("no such listener"), std::string::npos);
  Properties two = with("listeners", "http://:8083,https://0.0.0.0:8443");
  two.set("rest.advertised.listener", "https");
  EXPECT_EQ(make_worker_config(two).value().advertised_listener, 1U);
}

TEST(WorkerConfig, KeepsTopicSettingsButNotTheCleanupPolicy) {
  Properties properties = with("config.storage.min.insync.replicas", "2");
  properties.set("config.storage.cleanup.policy", "delete");
  properties.set("config.storage.replication.factor", "-1");
  const InternalTopic topic = make_worker_config(properties).value().config_topic;
  EXPECT_EQ(topic.settings, (Properties{{"min.insync.replicas", "2"}}));
  EXPECT_EQ(topic.replication_factor, -1);
}

TEST(WorkerConfig, NamesTheListenerThatIsWrong) {
  EXPECT_NE(fault_of(with("listeners", "ftp://:21")).find("'ftp://:21' is not of the form"), std::string::npos);
  EXPECT_NE(fault_of(with("listeners", "http://:99999")).find("port 99999 is out of range; use 0 to 65535"), std::string::npos);
  EXPECT_NE(fault_of(with("listeners", "")), "");
}

// Jackson stops at a text of 20 million characters; a body that holds one must be read, so that the answer is Java's.
TEST(WorkerConfig, ReadsBodiesThatHoldATextLongerThanJacksonReadsButHasABound) {
  const std::size_t limit = make_worker_config(minimal()).value().rest_request_bytes_max;
  EXPECT_GT(limit, 25U << 20);
  EXPECT_LE(limit, 32U << 20);
}

TEST(Listener, ReadsAndWritesAddresses) {
  EXPECT_EQ(parse_listener("https://[::1]:8443").value(), (Listener{.tls = true, .host = "::1", .port = 8443}));
  EXPECT_EQ(parse_listener("HTTP://h:0/").value(), (Listener{.host = "h"}));
  EXPECT_EQ((Listener{.tls = true, .host = "::1", .port = 8443}).url(), "https://[::1]:8443/");
  for (const char* text :
       {"", "http", "http://", "http://h", "http://h:", "http://h:x", "http://h:-1", "http://a/b:1", "x://h:1"}) {
    EXPECT_FALSE(parse_listener(text)) << text;
  }
}

TEST(ResponseHeaders, ReadRulesWithCommasInQuotes) {
  using Action = ResponseHeader::Action;
  EXPECT_EQ(parse_response_headers("set X-Frame-Options: DENY, \"add Cache-Control: no-cache, no-store\"").value(),
            (std::vector<ResponseHeader>{{Action::Set, "X-Frame-Options", "DENY"},
                                         {Action::Add, "Cache-Control", "no-cache, no-store"}}));
  EXPECT_FALSE(parse_response_headers("remove X: y"));
  EXPECT_FALSE(parse_response_headers("set X"));
  EXPECT_TRUE(parse_response_headers(" ").value().empty());
}

}  // namespace
}  // namespace fencepost::config
