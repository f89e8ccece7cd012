#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fencepost/config_provider.h"
#include "fencepost/connector.h"
#include "fencepost/converter.h"
#include "fencepost/task.h"
#include "fencepost/transform.h"

namespace fencepost {

/// The version of this contract. A shared object built against another one is not loaded: the layout of classes may differ.
inline constexpr std::uint32_t kSdkVersion = 1;

enum class PluginKind : std::uint8_t { Source, Sink, Converter, HeaderConverter, Transformation, Predicate, ConfigProvider };

/// As the REST API names them: "source", "header_converter", "configprovider".
[[nodiscard]] std::string_view to_string(PluginKind kind);

template <class T>
using Factory = std::function<std::unique_ptr<T>()>;

/// A source connector and its one class of tasks; `task_class` stands as "task.class" in the task configs of the config topic.
struct SourcePlugin {
  Factory<SourceConnector> connector;
  Factory<SourceTask> task;
  std::string task_class;
};
struct SinkPlugin {
  Factory<SinkConnector> connector;
  Factory<SinkTask> task;
  std::string task_class;
};

/// One plugin: how it is called in configs, and how objects of it are made. A class that is both a converter and a header
/// converter has two descriptors.
struct PluginDescriptor {
  /// The full name of the Java class that it stands for, or any dotted name of its own: "org.example.OrdersSourceConnector". It
  /// also answers to the part after the last dot, and to that without the suffix of its kind ("OrdersSource").
  std::string class_name;
  std::string version;
  std::variant<SourcePlugin, SinkPlugin, Factory<Converter>, Factory<HeaderConverter>, Factory<Transformation>,
               Factory<Predicate>, Factory<ConfigProvider>>
      factory;

  /// Follows from the factory.
  [[nodiscard]] PluginKind kind() const { return static_cast<PluginKind>(factory.index()); }
};

/// What a shared object exports as fencepost_plugin_module(). The version stands first and is looked at first.
struct PluginModule {
  std::uint32_t sdk_version;
  /// Fills in the plugins of the module. Called once, after the version was found to be right.
  void (*list)(std::vector<PluginDescriptor>& plugins);
};

/// The name of the C function that a plugin's shared object exports: `const PluginModule* fencepost_plugin_module()`.
inline constexpr const char* kPluginEntryPoint = "fencepost_plugin_module";

}  // namespace fencepost

/// Stands once in a plugin's shared object; `function` is void(std::vector<fencepost::PluginDescriptor>&).
#define FENCEPOST_EXPORT_PLUGINS(function)                                                                       \
  extern "C" __attribute__((visibility("default"))) const ::fencepost::PluginModule* fencepost_plugin_module() { \
    static const ::fencepost::PluginModule module{::fencepost::kSdkVersion, (function)};                         \
    return &module;                                                                                              \
  }
