#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "builtin/predicates/predicates.h"
#include "builtin/transforms/filter.h"
#include "builtin/transforms/insert_field.h"
#include "builtin/transforms/regex_router.h"
#include "fencepost/plugin.h"
#include "neutral_values.h"
#include "vectors.h"

namespace fencepost::builtin {
namespace {

using testing::Json;

const std::string kPackage = "org.apache.kafka.connect.transforms.";

std::map<std::string, Factory<Transformation>> transformations() {
  return {{kPackage + "Filter", [] { return std::make_unique<Filter>(); }},
          {kPackage + "InsertField$Key", [] { return std::make_unique<InsertField>(RecordPart::Key); }},
          {kPackage + "InsertField$Value", [] { return std::make_unique<InsertField>(RecordPart::Value); }},
          {kPackage + "RegexRouter", [] { return std::make_unique<RegexRouter>(); }}};
}

std::map<std::string, Factory<Predicate>> predicates() {
  return {{kPackage + "predicates.HasHeaderKey", [] { return std::make_unique<HasHeaderKey>(); }},
          {kPackage + "predicates.RecordIsTombstone", [] { return std::make_unique<RecordIsTombstone>(); }},
          {kPackage + "predicates.TopicNameMatches", [] { return std::make_unique<TopicNameMatches>(); }}};
}

ConfigMap config_of(const Json& settings) {
  ConfigMap config;
  for (const auto& [name, value] : settings.items()) config.emplace(name, value.get<std::string>());
  return config;
}

/// The record that Java was given: one of a sink, at offset 41.
ConnectRecord record_of(const Json& json) {
  ConnectRecord record;
  record.topic = json["topic"].get<std::string>();
  record.kafka_partition = json["partition"].get<std::int32_t>();
  record.key_schema = testing::neutral_schema(json["key_schema"]);
  record.key = testing::neutral_value(json["key"], record.key_schema);
  record.value_schema = testing::neutral_schema(json["value_schema"]);
  record.value = testing::neutral_value(json["value"], record.value_schema);
  record.timestamp_ms = json["timestamp"].get<std::int64_t>();
  for (const Json& header : json["headers"]) {
    const SchemaPtr schema = testing::neutral_schema(header[1]);
    record.headers.add(header[0].get<std::string>(), schema, testing::neutral_value(header[2], schema));
  }
  record.kafka_offset = 41;
  return record;
}

std::map<std::string, Json> inputs() {
  std::map<std::string, Json> out;
  for (const Json& c : testing::vectors("transforms.json")) {
    if (c["kind"] == "input") out.emplace(c["name"], c["record"]);
  }
  return out;
}

std::string about(const Json& c) { return c["about"].get<std::string>() + " with " + c["config"].dump(); }

/// What a Java message says up to the part that is Java's own: an object's address, the regular expression's parser.
std::string facts_of(const std::string& message) {
  std::string text = message;
  for (const char* end : {"org.apache.kafka.connect.transforms.InsertField$InsertionSpec", "Unclosed group"}) {
    text = text.substr(0, text.find(end));
  }
  return text;
}

template <class Plugin>
bool configures(Plugin& plugin, const Json& c) {
  if (!c.contains("configure_error")) {
    plugin.configure(config_of(c["config"]));
    return true;
  }
  try {
    plugin.configure(config_of(c["config"]));
    ADD_FAILURE() << about(c) << " was accepted";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(facts_of(c["message"])), std::string::npos) << about(c) << ": " << error.what();
  }
  return false;
}

void check_transformation(Transformation& transformation, const Json& c, const Json& input) {
  if (!configures(transformation, c)) return;
  // Twice: the second time the schema and the topic are known.
  for (int round = 0; round < 2; ++round) {
    ConnectRecord record = record_of(input);
    if (c.contains("error")) {
      try {
        (void)transformation.apply(record);
        ADD_FAILURE() << about(c) << " passed";
      } catch (const ConnectError& error) {
        // A doubled field is named in our own words.
        const std::string text = c["message"].get<std::string>();
        const std::string fact = text.starts_with("Cannot create field") ? text.substr(text.rfind(' ') + 1) : text;
        EXPECT_NE(std::string(error.what()).find(fact), std::string::npos) << about(c) << ": " << error.what();
      }
      continue;
    }
    ASSERT_EQ(transformation.apply(record), !c.contains("dropped")) << about(c);
    if (c.contains("dropped")) continue;
    Json changed = input;
    for (const auto& [name, value] : c["changed"].items()) changed[name] = value;
    const ConnectRecord wanted = record_of(changed);
    EXPECT_EQ(record.topic, wanted.topic) << about(c);
    EXPECT_EQ(record.kafka_partition, wanted.kafka_partition) << about(c);
    EXPECT_TRUE(same_schema(record.key_schema, wanted.key_schema)) << about(c);
    EXPECT_TRUE(record.key == wanted.key) << about(c) << ": " << record.key.to_display();
    EXPECT_TRUE(same_schema(record.value_schema, wanted.value_schema)) << about(c);
    EXPECT_TRUE(record.value == wanted.value) << about(c) << ": " << record.value.to_display();
    EXPECT_EQ(record.timestamp_ms, wanted.timestamp_ms) << about(c);
    EXPECT_TRUE(record.headers == wanted.headers) << about(c);
  }
}

TEST(Transforms, DoWithRecordsWhatConnectDoes) {
  const auto known = transformations();
  const auto records = inputs();
  std::set<std::string> seen;
  for (const Json& c : testing::vectors("transforms.json")) {
    if (c["kind"] != "transform" || !known.contains(c["class"])) continue;
    const auto input = records.find(c["input"].get<std::string>());
    if (input == records.end()) continue;  // a source record: see the test below
    const auto transformation = known.at(c["class"])();
    check_transformation(*transformation, c, input->second);
    seen.insert(c["class"].get<std::string>());
  }
  EXPECT_EQ(seen.size(), known.size());
}

TEST(Predicates, AnswerWhatConnectAnswers) {
  const auto known = predicates();
  const auto records = inputs();
  std::set<std::string> seen;
  for (const Json& c : testing::vectors("transforms.json")) {
    if (c["kind"] != "predicate" || !known.contains(c["class"])) continue;
    const auto predicate = known.at(c["class"])();
    seen.insert(c["class"].get<std::string>());
    if (!configures(*predicate, c)) continue;
    EXPECT_EQ(predicate->test(record_of(records.at(c["input"]))), c["result"].get<bool>()) << about(c);
  }
  EXPECT_EQ(seen.size(), known.size());
}

void expect_same_settings(const ConfigDef& def, const Json& owner) {
  const std::string name = owner["owner"].get<std::string>();
  ASSERT_EQ(def.keys().size(), owner["keys"].size()) << name;
  for (const Json& java : owner["keys"]) {
    const std::string setting = java["name"].get<std::string>();
    const ConfigKey* ours = def.find(setting);
    ASSERT_NE(ours, nullptr) << name << " " << setting;
    EXPECT_EQ(to_string(ours->type), java["type"].get<std::string>()) << name << " " << setting;
    EXPECT_EQ(to_string(ours->importance), java["importance"].get<std::string>()) << name << " " << setting;
    EXPECT_EQ(ours->required(), java["required"].get<bool>()) << name << " " << setting;
    if (!java["default"].is_null()) {
      EXPECT_EQ(to_text(*ours->default_value), java["default"].get<std::string>()) << name << " " << setting;
    }
    EXPECT_EQ(ours->validator.text, java.value("valid_values", "")) << name << " " << setting;
    EXPECT_FALSE(ours->documentation.empty()) << name << " " << setting;
  }
}

TEST(Transforms, HaveTheSettingsOfConnect) {
  const auto transforms = transformations();
  const auto tests = predicates();
  std::size_t seen = 0;
  for (const Json& owner : testing::vectors("configdefs.json")) {
    const std::string name = owner["owner"].get<std::string>();
    if (transforms.contains(name)) {
      expect_same_settings(transforms.at(name)()->config_def(), owner);
    } else if (tests.contains(name)) {
      expect_same_settings(tests.at(name)()->config_def(), owner);
    } else {
      continue;
    }
    ++seen;
  }
  EXPECT_EQ(seen, transforms.size() + tests.size());
}

TEST(InsertField, RefusesTheOffsetOfASourceRecord) {
  InsertField insert(RecordPart::Value);
  insert.configure({{"offset.field", "of"}});
  SourceRecord record;
  record.topic = "t";
  record.value = ValueMap{{Value("a"), Value(std::int32_t{1})}};
  try {
    (void)insert.apply(record);
    FAIL() << "passed";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "Only SinkRecord supported for [field insertion], found: org.apache.kafka.connect.source.SourceRecord");
  }
}

// Source records often have neither: their producer chooses the partition, and the time of production.
TEST(InsertField, LeavesOutAPartitionAndATimestampThatTheRecordDoesNotHave) {
  InsertField insert(RecordPart::Value);
  insert.configure({{"partition.field", "p"}, {"timestamp.field", "ts"}, {"topic.field", "t"}});
  SourceRecord map;
  map.topic = "orders";
  map.value = ValueMap{};
  ASSERT_TRUE(insert.apply(map));
  EXPECT_TRUE(map.value == Value(ValueMap{{Value("t"), Value("orders")}}));

  SourceRecord record;
  record.topic = "orders";
  record.value_schema = SchemaBuilder::structure().field("a", Schema::int32()).build();
  record.value = Struct(record.value_schema).put("a", std::int32_t{1});
  ASSERT_TRUE(insert.apply(record));
  EXPECT_EQ(record.value.as_struct().get("t").as_string(), "orders");
  EXPECT_TRUE(record.value.as_struct().get("p").is_null());
  EXPECT_TRUE(record.value.as_struct().get("ts").is_null());
}

TEST(InsertField, PutsAFieldIntoTheKeyOfATombstoneAndLeavesANullValueAlone) {
  InsertField into_key(RecordPart::Key);
  InsertField into_value(RecordPart::Value);
  into_key.configure({{"static.field", "s"}, {"static.value", "x"}});
  into_value.configure({{"static.field", "s"}, {"static.value", "x"}});
  SourceRecord record;
  record.topic = "t";
  record.key = ValueMap{};
  ASSERT_TRUE(into_key.apply(record));
  ASSERT_TRUE(into_value.apply(record));
  EXPECT_TRUE(record.key == Value(ValueMap{{Value("s"), Value("x")}}));
  EXPECT_TRUE(record.value.is_null());
}

TEST(InsertField, MakesASchemaOnceForRecordsThatShareOne) {
  InsertField insert(RecordPart::Value);
  insert.configure({{"static.field", "s"}, {"static.value", "x"}});
  const auto transformed = [&](const SchemaPtr& schema) {
    SourceRecord record;
    record.topic = "t";
    record.value_schema = schema;
    record.value = Struct(schema);
    EXPECT_TRUE(insert.apply(record));
    return record.value_schema;
  };
  const SchemaPtr one = SchemaBuilder::structure().field("a", Schema::optional_int32()).build();
  const SchemaPtr equal = SchemaBuilder::structure().field("a", Schema::optional_int32()).build();
  const SchemaPtr first = transformed(one);
  EXPECT_EQ(transformed(one), first);
  EXPECT_EQ(transformed(equal), first);
  // More schemas than are kept: the first is made anew, and is the same.
  for (int i = 0; i < 20; ++i) {
    (void)transformed(SchemaBuilder::structure().field("f" + std::to_string(i), Schema::optional_int32()).build());
  }
  EXPECT_NE(transformed(one), first);
  EXPECT_TRUE(same_schema(transformed(one), first));
}

TEST(RegexRouter, AsksAgainWhenTheTopicChanges) {
  RegexRouter router;
  router.configure({{"regex", "old-(.*)"}, {"replacement", "new-$1"}});
  const auto routed = [&](const char* topic) {
    SourceRecord record;
    record.topic = topic;
    EXPECT_TRUE(router.apply(record));
    return std::string(record.topic.view());
  };
  EXPECT_EQ(routed("old-a"), "new-a");
  EXPECT_EQ(routed("old-b"), "new-b");
  EXPECT_EQ(routed("older"), "older");
  EXPECT_EQ(routed("old-a"), "new-a");
}

TEST(TopicNameMatches, AsksAgainWhenTheTopicChanges) {
  TopicNameMatches predicate;
  predicate.configure({{"pattern", "a|b"}});
  const auto answer = [&](const char* topic) {
    SourceRecord record;
    record.topic = topic;
    return predicate.test(record);
  };
  EXPECT_TRUE(answer("a"));
  EXPECT_FALSE(answer("ab"));
  EXPECT_TRUE(answer("b"));
}

}  // namespace
}  // namespace fencepost::builtin
