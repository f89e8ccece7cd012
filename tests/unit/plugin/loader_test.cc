#include "plugin/loader.h"

#include <gtest/gtest.h>

#include "plugin/registry.h"

namespace fencepost::plugin {
namespace {

std::string module(const std::string& name) { return std::string(FENCEPOST_TEST_MODULES) + "/" + name + ".so"; }

TEST(LoadPlugins, OffersWhatASharedObjectLists) {
  auto plugins = load_plugins({module("good")}, Log());
  ASSERT_EQ(plugins.size(), 1U);
  EXPECT_EQ(plugins[0].class_name, "org.example.TestTransformation");
  EXPECT_EQ(plugins[0].version, "7.1");
  const Registry registry = Registry::make(std::move(plugins)).value();
  const auto transformation = registry.make_transformation("TestTransformation");
  ASSERT_TRUE(transformation);
  EXPECT_NE((*transformation)->config_def().find("regex"), nullptr);
}

TEST(LoadPlugins, LeavesOutWhatCannotBeLoadedAndGoesOn) {
  EXPECT_TRUE(load_plugins({module("old"), module("empty"), module("crashing"), module("throwing")}, Log()).empty());
  EXPECT_EQ(load_plugins({module("crashing"), module("good"), "/no/such/folder"}, Log()).size(), 1U);
}

TEST(LoadPlugins, SearchesFoldersAndIgnoresOtherFiles) {
  const auto plugins = load_plugins({FENCEPOST_TEST_MODULES}, Log());
  ASSERT_EQ(plugins.size(), 1U);
  EXPECT_EQ(plugins[0].class_name, "org.example.TestTransformation");
}

TEST(MergePlugins, KeepsTheBuiltInOneOfTwoOfAName) {
  auto built_in = load_plugins({module("good")}, Log());
  built_in[0].version = "ours";
  const auto merged = merge_plugins(std::move(built_in), load_plugins({module("good")}, Log()), Log());
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged[0].version, "ours");
}

}  // namespace
}  // namespace fencepost::plugin
