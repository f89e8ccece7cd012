#include "plugin/connector_validation.h"

#include <gtest/gtest.h>

#include "fake_plugins.h"
#include "vectors.h"

namespace fencepost::plugin {
namespace {

using Texts = std::vector<std::string>;
using fencepost::testing::Json;

config::WorkerConfig worker(const char* exactly_once = "enabled", const char* policy = "All") {
  return config::make_worker_config({{"bootstrap.servers", "a:9092"},
                                     {"group.id", "demo"},
                                     {"key.converter", "JsonConverter"},
                                     {"value.converter", "JsonConverter"},
                                     {"config.storage.topic", "c"},
                                     {"offset.storage.topic", "o"},
                                     {"status.storage.topic", "s"},
                                     {"connector.client.config.override.policy", policy},
                                     {"exactly.once.source.support", exactly_once}})
      .value();
}

Properties source(Properties more = {}) {
  Properties config{{"name", "v"}, {"connector.class", "FileStreamSource"}, {"topic", "t"}, {"file", "x"}};
  for (const auto& [name, value] : more) config.set(name, value);
  return config;
}

Properties sink(Properties more = {}) {
  Properties config{{"name", "v"}, {"connector.class", "FileStreamSink"}};
  for (const auto& [name, value] : more) config.set(name, value);
  return config;
}

ConfigInfos validate(const Properties& config, const config::WorkerConfig& settings = worker()) {
  return validate_connector(testing::fake_plugins(), settings, config).value();
}

std::map<std::string, Texts> errors(const ConfigInfos& infos) {
  std::map<std::string, Texts> out;
  for (const ConfigInfo& info : infos.configs) {
    if (!info.value.errors.empty()) out[info.value.name] = info.value.errors;
  }
  return out;
}

std::optional<std::string> shown(const ConfigInfos& infos, const std::string& name) {
  for (const ConfigInfo& info : infos.configs) {
    if (info.value.name == name) return to_text(info.value.value);
  }
  return "not there";
}

TEST(ValidateConnector, ShowsEverySettingOnceInConnectsOrder) {
  for (const Json& wanted : fencepost::testing::vectors("live_validate.json")) {
    if (wanted["about"] != "good" && wanted["about"] != "sink, good") continue;
    const ConfigInfos infos = validate(wanted["about"] == "good" ? source() : sink({{"topics", "t"}}));
    EXPECT_TRUE(errors(infos).empty());
    std::vector<std::string> names;
    for (const ConfigInfo& info : infos.configs) names.push_back(info.value.name);
    EXPECT_EQ(names, wanted["names_in_order"].get<Texts>());
    EXPECT_EQ(infos.groups, wanted["groups"].get<Texts>());
  }
}

TEST(ValidateConnector, ShowsTheWorkersConvertersByTheirClass) {
  EXPECT_EQ(shown(validate(source()), "value.converter"), "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_EQ(shown(validate(source({{"value.converter", "Json"}})), "value.converter"),
            "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_EQ(shown(validate(source()), "value.converter.schemas.enable"), "not there");
  EXPECT_EQ(shown(validate(source({{"value.converter", "Json"}})), "value.converter.schemas.enable"), "true");
}

/// The cases of a real worker whose plugins the fakes stand for.
TEST(ValidateConnector, FindsTheErrorsThatARealWorkerFinds) {
  const std::set<std::string> cases = {"the topic is missing",
                                       "wrong common values",
                                       "exactly once required, which this connector gives",
                                       "exactly once required, boundary connector",
                                       "bad boundary and support",
                                       "own offsets topic, empty",
                                       "transform without type",
                                       "transform with an unknown type",
                                       "transform alias twice",
                                       "sink without topics",
                                       "sink with topics and regex",
                                       "sink whose dead letters go to its own topic",
                                       "sink: wrong dead letter settings",
                                       "sink named like a reserved group",
                                       "producer overrides, good and bad"};
  std::size_t seen = 0;
  for (const Json& wanted : fencepost::testing::vectors("live_validate.json")) {
    if (!cases.contains(wanted["about"].get<std::string>())) continue;
    ++seen;
    Properties config;
    for (const auto& [name, value] : wanted["config"].items()) config.set(name, value.get<std::string>());
    if (wanted["about"] == "transform alias twice")
      config.set("transforms.a.type", "org.apache.kafka.connect.transforms.Cast$Value");
    std::map<std::string, Texts> found = errors(validate(config));
    if (wanted["about"] == "transform alias twice") std::erase_if(found, [](const auto& e) { return e.first != "transforms"; });
    std::map<std::string, Texts> expected;
    for (const Json& value : wanted["values"]) {
      if (!value["errors"].empty()) expected[value["name"]] = value["errors"].get<Texts>();
    }
    EXPECT_EQ(found, expected) << wanted["about"];
  }
  EXPECT_EQ(seen, cases.size());
}

TEST(ValidateConnector, GivesATransformAGroupAndChecksItsSettings) {
  const ConfigInfos infos =
      validate(source({{"transforms", " x "}, {"transforms.x.type", "RegexRouter"}, {"transforms.x.regex", ""}}));
  EXPECT_EQ(infos.groups.back(), "Transforms: x");
  EXPECT_EQ(errors(infos),
            (std::map<std::string, Texts>{
                {"transforms.x.regex", {"Invalid value  for configuration regex: String must be non-empty"}},
                {"transforms.x.replacement", {"Missing required configuration \"replacement\" which has no default value."}}}));
  EXPECT_EQ(shown(infos, "transforms.x.negate"), "false");
}

TEST(ValidateConnector, WantsAPredicateToNegate) {
  const auto found = errors(validate(source({{"transforms", "x"},
                                             {"transforms.x.type", "RegexRouter"},
                                             {"transforms.x.regex", "a"},
                                             {"transforms.x.replacement", "b"},
                                             {"transforms.x.negate", "true"}})));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.begin()->first, "transforms.x.type");
}

TEST(ValidateConnector, NamesAPluginOfAnotherKind) {
  const auto found = errors(validate(source({{"value.converter", "RegexRouter"}, {"key.converter", "no.Such"}})));
  EXPECT_EQ(found.at("value.converter"),
            Texts{"Class class org.apache.kafka.connect.transforms.RegexRouter does not implement the "
                  "Converter interface"});
  EXPECT_EQ(found.at("key.converter"),
            Texts{"Invalid value no.Such for configuration key.converter: Class no.Such could not be found."});
}

TEST(ValidateConnector, ChecksAConverterUnderItsOwnNames) {
  EXPECT_EQ(
      errors(validate(source({{"value.converter", "Json"}, {"value.converter.schemas.enable", "x"}}))),
      (std::map<std::string, Texts>{{"value.converter.schemas.enable",
                                     {"Invalid value x for configuration schemas.enable: Expected value to be either true or "
                                      "false"}}}));
}

TEST(ValidateConnector, RefusesExactlyOnceOnAWorkerWithoutIt) {
  EXPECT_EQ(errors(validate(source({{"exactly.once.support", "Required"}}), worker("preparing"))),
            (std::map<std::string, Texts>{
                {"exactly.once.support", {"This worker does not have exactly-once source support enabled."}}}));
}

TEST(ValidateConnector, HoldsOverridesToThePolicy) {
  const Properties config = source({{"producer.override.linger.ms", "7"}, {"producer.override.sasl.mechanism", "PLAIN"}});
  EXPECT_TRUE(errors(validate(config, worker("disabled", "All"))).empty());
  EXPECT_EQ(errors(validate(config, worker("disabled", "None"))).size(), 2U);
  EXPECT_EQ(errors(validate(config, worker("disabled", "Principal"))).size(), 1U);
}

TEST(ValidateConnector, NeverShowsASecretOverride) {
  const ConfigInfos infos =
      validate(source({{"producer.override.sasl.jaas.config", "s3cret"}, {"producer.override.ssl.key.password", "s3cret"}}));
  EXPECT_EQ(infos.to_json().find("s3cret"), std::string::npos);
}

TEST(ValidateConnector, RefusesANullByItsKey) {
  const auto found = errors(validate(source({{"what.key", std::nullopt}})));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found.at("what.key").front().find("Null value"), std::string::npos);
  EXPECT_NE(found.at("what.key").front().find("what.key"), std::string::npos);
}

TEST(ValidateConnector, NeedsAConnectorClass) {
  const auto none = validate_connector(testing::fake_plugins(), worker(), {{"name", "x"}, {"password", "s3cret"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "Connector config {name, password} contains no connector type");
  EXPECT_FALSE(validate_connector(testing::fake_plugins(), worker(), {{"connector.class", "nope"}}));
}

TEST(ValidateConnector, WantsAnExpressionThatIsOneAndLeavesTheDeadLettersOut) {
  const auto bad = errors(validate(sink({{"topics.regex", "("}})));
  ASSERT_EQ(bad.size(), 1U);
  EXPECT_TRUE(bad.at("topics.regex").front().starts_with("Invalid value ( for configuration topics.regex: Invalid regex: "));
  const auto own = errors(validate(sink({{"topics.regex", "d.*"}, {"errors.deadletterqueue.topic.name", "dead"}})));
  EXPECT_EQ(own, (std::map<std::string, Texts>{{"topics.regex",
                                                {"The DLQ topic 'dead' may not be included in the regex matching the topics "
                                                 "('topics.regex=d.*') consumed by the connector"}}}));
  EXPECT_TRUE(errors(validate(sink({{"topics.regex", "d"}, {"errors.deadletterqueue.topic.name", "dead"}}))).empty());
}

TEST(ConfigInfos, RefuseWithEveryErrorAndTheEndpoint) {
  EXPECT_EQ(validate(source()).refusal(), std::nullopt);
  EXPECT_EQ(
      validate(source({{"tasks.max", "0"}})).refusal(),
      "Connector configuration is invalid and contains the following 1 error(s):\nInvalid value 0 for configuration tasks.max: "
      "Value must be at least 1\nYou can also find the above list of errors at the endpoint "
      "`/connector-plugins/{connectorType}/config/validate`");
}

TEST(ConfigInfos, WriteWhatTheRestApiShows) {
  const Json json = Json::parse(validate(source({{"tasks.max", "x"}})).to_json());
  EXPECT_EQ(json["name"], "FileStreamSource");
  EXPECT_EQ(json["error_count"], 2);
  for (const Json& config : json["configs"]) {
    EXPECT_EQ(config["definition"]["name"], config["value"]["name"]);
    EXPECT_EQ(config["definition"].size(), 11U);
    EXPECT_EQ(config["value"].size(), 5U);
    EXPECT_FALSE(config["definition"]["documentation"].get<std::string>().empty()) << config["value"]["name"];
  }
}

TEST(PluginSettings, ListTheFrameworksOfAConnectorAndThePluginsOwn) {
  const Json settings = Json::parse(plugin_settings_json(testing::fake_plugins(), "FileStreamSource").value());
  EXPECT_EQ(settings.size(), 27U);
  EXPECT_EQ(Json::parse(plugin_settings_json(testing::fake_plugins(), "RegexRouter").value()).size(), 2U);
  EXPECT_EQ(plugin_settings_json(testing::fake_plugins(), "nope").error().kind(), ErrorKind::NotFound);
}

}  // namespace
}  // namespace fencepost::plugin
