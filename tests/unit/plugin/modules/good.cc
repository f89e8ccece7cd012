#include "fake_plugins.h"

namespace {

void list(std::vector<fencepost::PluginDescriptor>& plugins) {
  using namespace fencepost;
  plugins.push_back({"org.example.TestTransformation", "7.1",
                     Factory<Transformation>([] { return std::make_unique<plugin::testing::FakeTransformation>(); })});
}

}  // namespace

FENCEPOST_EXPORT_PLUGINS(list)
