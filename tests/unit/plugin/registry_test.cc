#include "plugin/registry.h"

#include <gtest/gtest.h>

#include "fake_plugins.h"

namespace fencepost::plugin {
namespace {

TEST(Registry, FindsAConnectorByClassSimpleNameAndAlias) {
  const Registry plugins = testing::fake_plugins();
  for (const char* name :
       {"org.apache.kafka.connect.file.FileStreamSourceConnector", "FileStreamSourceConnector", "FileStreamSource"}) {
    const auto found = plugins.connector(name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ((*found)->class_name, "org.apache.kafka.connect.file.FileStreamSourceConnector");
  }
}

TEST(Registry, ListsWhatThereIsWhenAConnectorIsUnknown) {
  const auto found = testing::fake_plugins().connector("NoSuchConnector");
  ASSERT_FALSE(found);
  const std::string& text = found.error().message();
  EXPECT_TRUE(
      text.starts_with("Failed to find any class that implements Connector and which name matches NoSuchConnector, available "
                       "connectors are: PluginDesc{klass=class org.apache.kafka.connect.file."))
      << text;
  EXPECT_NE(text.find("FileStreamSinkConnector"), std::string::npos);
  EXPECT_EQ(text.find("JsonConverter"), std::string::npos);
}

TEST(Registry, KeepsKindsApart) {
  const Registry plugins = testing::fake_plugins();
  EXPECT_TRUE(plugins.find(PluginKind::Converter, "Json"));
  EXPECT_TRUE(plugins.find(PluginKind::HeaderConverter, "JsonConverter"));
  EXPECT_FALSE(plugins.find(PluginKind::Converter, "SimpleHeaderConverter"));
  EXPECT_FALSE(plugins.connector("JsonConverter"));
}

TEST(Registry, KnowsNestedClassesByTheirFullNameOnly) {
  const Registry plugins = testing::fake_plugins();
  EXPECT_TRUE(plugins.find(PluginKind::Transformation, "org.apache.kafka.connect.transforms.InsertField$Value"));
  for (const char* name : {"InsertField", "InsertField$Value", "Value"}) {
    EXPECT_FALSE(plugins.find(PluginKind::Transformation, name)) << name;
  }
}

TEST(Registry, RefusesTwoPluginsOfOneName) {
  auto twice = testing::fake_descriptors();
  twice.push_back(twice.front());
  EXPECT_FALSE(Registry::make(std::move(twice)));
}

}  // namespace
}  // namespace fencepost::plugin
