#include "plugin/worker_plugins.h"

#include <gtest/gtest.h>

#include "fake_plugins.h"

namespace fencepost::plugin {
namespace {

config::WorkerConfig worker_with(std::string_view name, std::string_view value) {
  Properties properties{{"bootstrap.servers", "a:9092"},    {"group.id", "g"},
                        {"key.converter", "JsonConverter"}, {"value.converter", "JsonConverter"},
                        {"config.storage.topic", "c"},      {"offset.storage.topic", "o"},
                        {"status.storage.topic", "s"}};
  properties.set(name, std::string(value));
  return config::make_worker_config(properties).value();
}

TEST(CheckWorkerConverters, PassesThoseThatThereAre) {
  EXPECT_TRUE(check_worker_converters(testing::fake_plugins(),
                                      worker_with("value.converter", "org.apache.kafka.connect.json.JsonConverter")));
}

TEST(CheckWorkerConverters, NamesTheSettingAndWhatThereIs) {
  const auto result = check_worker_converters(testing::fake_plugins(), worker_with("value.converter", "AvroConverter"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message(),
            "Invalid value AvroConverter for configuration value.converter: Class AvroConverter could not be found; there are "
            "org.apache.kafka.connect.json.JsonConverter");
  EXPECT_FALSE(check_worker_converters(testing::fake_plugins(), worker_with("header.converter", "RegexRouter")));
}

}  // namespace
}  // namespace fencepost::plugin
