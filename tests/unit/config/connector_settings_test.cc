#include "config/connector_settings.h"

#include <gtest/gtest.h>

#include "vectors.h"

namespace fencepost::config {
namespace {

using testing::Json;

void compare(const ConfigDef& def, const std::string& owner) {
  for (const Json& java : testing::vectors("configdefs.json")) {
    if (java["owner"] != owner) continue;
    EXPECT_EQ(def.keys().size(), java["keys"].size());
    for (const Json& wanted : java["keys"]) {
      const std::string name = wanted["name"];
      const ConfigKey* key = def.find(name);
      ASSERT_NE(key, nullptr) << name;
      EXPECT_EQ(to_string(key->type), wanted["type"].get<std::string>()) << name;
      EXPECT_EQ(key->required(), wanted["required"].get<bool>()) << name;
      EXPECT_EQ(to_string(key->importance), wanted["importance"].get<std::string>()) << name;
      EXPECT_EQ(to_string(key->width), wanted["width"].get<std::string>()) << name;
      EXPECT_EQ(key->order_in_group, wanted["order"].get<int>()) << name;
      EXPECT_EQ(key->group, wanted["group"].get<std::string>()) << name;
      EXPECT_EQ(key->display_name, wanted["display_name"].get<std::string>()) << name;
      EXPECT_EQ(key->validator.text, wanted.value("valid_values", "")) << name;
      const auto text = key->required() ? std::nullopt : to_text(*key->default_value);
      EXPECT_EQ(text ? Json(*text) : Json(nullptr), wanted["default"]) << name;
    }
    return;
  }
  FAIL() << "no definition of " << owner;
}

TEST(ConnectorSettings, OfSourcesAreJavas) { compare(source_connector_config_def(), "SourceConnectorConfig"); }
TEST(ConnectorSettings, OfSinksAreJavas) { compare(sink_connector_config_def(), "SinkConnectorConfig"); }

void check_errors(const ConfigDef& def, const std::string& owner) {
  for (const Json& wanted : testing::vectors("config_validate.json")) {
    if (wanted.value("definition", "") != owner) continue;
    ConfigMap config;
    for (const auto& [name, value] : wanted["config"].items()) config.emplace(name, value.get<std::string>());
    std::map<std::string, std::vector<std::string>> expected;
    for (const Json& value : wanted["values"]) {
      // Whether an expression is one is judged where the registry is.
      if (!value["errors"].empty() && value["name"] != "topics.regex")
        expected[value["name"]] = value["errors"].get<std::vector<std::string>>();
    }
    std::map<std::string, std::vector<std::string>> found;
    for (const ConfigValue& value : def.validate(config)) {
      if (!value.errors.empty()) found[value.name] = value.errors;
    }
    EXPECT_EQ(found, expected) << wanted["about"];
  }
}

TEST(ConnectorSettings, OfSourcesFindJavasErrors) { check_errors(source_connector_config_def(), "SourceConnectorConfig"); }
TEST(ConnectorSettings, OfSinksFindJavasErrors) { check_errors(sink_connector_config_def(), "SinkConnectorConfig"); }

}  // namespace
}  // namespace fencepost::config
