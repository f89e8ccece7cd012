#include "config/worker_settings.h"

#include <gtest/gtest.h>

#include "vectors.h"

namespace fencepost::config {
namespace {

using testing::Json;

/// Where ours differ from the Java class on purpose.
const std::set<std::string> kOurs = {"rest.request.max.bytes", "log.level", "log.format"};

Json java_definition(const std::string& owner) {
  for (const Json& definition : testing::vectors("configdefs.json")) {
    if (definition["owner"] == owner) return definition;
  }
  throw std::runtime_error("no definition of " + owner);
}

TEST(WorkerSettings, AreThoseOfAJavaWorkerWithItsTypesDefaultsAndChecks) {
  const ConfigDef def = worker_config_def();
  const Json java = java_definition("DistributedConfig");
  for (const Json& wanted : java["keys"]) {
    const std::string name = wanted["name"];
    const ConfigKey* key = def.find(name);
    ASSERT_NE(key, nullptr) << name;
    EXPECT_EQ(to_string(key->type), wanted["type"].get<std::string>()) << name;
    EXPECT_EQ(key->required(), wanted["required"].get<bool>()) << name;
    EXPECT_EQ(to_string(key->importance), wanted["importance"].get<std::string>()) << name;
    EXPECT_EQ(key->validator.text, wanted.value("valid_values", "")) << name;
    const auto text = key->required() ? std::nullopt : to_text(*key->default_value);
    EXPECT_EQ(text ? Json(*text) : Json(nullptr), wanted["default"]) << name;
  }
  EXPECT_EQ(def.keys().size(), java["keys"].size() + kOurs.size());
}

TEST(WorkerSettings, AreAllDocumented) {
  const ConfigDef def = worker_config_def();
  for (const ConfigKey& key : def.keys()) EXPECT_GE(key.documentation.size(), 20U) << key.name;
}

TEST(UnknownWorkerSettings, LeavesOutWhatBelongsToOthers) {
  EXPECT_EQ(unknown_worker_settings({{"group.id", "g"},
                                     {"producer.linger.ms", "5"},
                                     {"key.converter.schemas.enable", "false"},
                                     {"config.storage.min.insync.replicas", "2"},
                                     {"config.providers.file.class", "x"},
                                     {"sasl.jaas.config", "x"},
                                     {"offset.storage.file.filename", "x"},
                                     {"gruop.id", "g"}}),
            (std::vector<std::string>{"gruop.id"}));
}

}  // namespace
}  // namespace fencepost::config
