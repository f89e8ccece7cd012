#include "plugin/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fencepost::plugin {
namespace {

std::string_view suffix_of(PluginKind kind) {
  switch (kind) {
    case PluginKind::Source:
    case PluginKind::Sink:
      return "Connector";
    case PluginKind::Converter:
      return "Converter";
    case PluginKind::HeaderConverter:
      return "HeaderConverter";
    case PluginKind::Transformation:
      return "Transformation";
    case PluginKind::Predicate:
      return "Predicate";
    case PluginKind::ConfigProvider:
      return "ConfigProvider";
  }
  return {};
}

}  // namespace

std::vector<std::string> short_names(const PluginDescriptor& plugin) {
  // As Class.getSimpleName(): of a nested class only the part after the '$', so that InsertField$Value has no usable short name.
  std::string simple = plugin.class_name.substr(plugin.class_name.find_last_of(".$") + 1);
  std::vector<std::string> out{simple};
  for (const std::string_view suffix : {suffix_of(plugin.kind()), std::string_view("Converter")}) {
    if (simple.size() > suffix.size() && simple.ends_with(suffix)) out.push_back(simple.substr(0, simple.size() - suffix.size()));
  }
  return out;
}

Result<Registry> Registry::make(std::vector<PluginDescriptor> plugins) {
  const auto order = [](const PluginDescriptor& p) { return std::tuple(p.kind(), std::string_view(p.class_name)); };
  std::stable_sort(plugins.begin(), plugins.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  const auto twice =
      std::adjacent_find(plugins.begin(), plugins.end(), [&](const auto& a, const auto& b) { return order(a) == order(b); });
  if (twice != plugins.end()) return failure(ErrorKind::Bug, "two plugins are called " + twice->class_name);
  Registry out;
  out.plugins_ = std::move(plugins);
  return out;
}

std::vector<const PluginDescriptor*> Registry::named(PluginKind kind, std::string_view name) const {
  std::vector<const PluginDescriptor*> out;
  for (const PluginDescriptor& plugin : plugins_) {
    if (plugin.kind() != kind) continue;
    if (plugin.class_name == name) return {&plugin};
    const auto names = short_names(plugin);
    if (std::find(names.begin(), names.end(), name) != names.end()) out.push_back(&plugin);
  }
  return out;
}

Result<const PluginDescriptor*> Registry::connector(std::string_view name) const {
  std::vector<const PluginDescriptor*> found;
  for (const PluginKind kind : {PluginKind::Source, PluginKind::Sink}) {
    for (const auto* plugin : named(kind, name)) found.push_back(plugin);
  }
  if (found.size() == 1) return found.front();
  const auto describe = [](const PluginDescriptor& p) {
    return fmt::format(
        "PluginDesc{{klass=class {0}, name='{0}', version='{1}', encodedVersion={1}, type={2}, typeName='{2}', "
        "location='classpath'}}",
        p.class_name, p.version, to_string(p.kind()));
  };
  std::string list;
  if (found.empty()) {
    for (const PluginDescriptor& plugin : plugins_) {
      if (plugin.kind() == PluginKind::Source || plugin.kind() == PluginKind::Sink) {
        list += (list.empty() ? "" : ", ") + describe(plugin);
      }
    }
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("Failed to find any class that implements Connector and which name matches {}, available "
                               "connectors are: {}",
                               name, list));
  }
  for (const auto* plugin : found) list += (list.empty() ? "" : ", ") + describe(*plugin);
  return failure(ErrorKind::InvalidConfig,
                 fmt::format("More than one connector matches alias {}. Please use full package and class name instead. "
                             "Classes found: {}",
                             name, list));
}

Result<const PluginDescriptor*> Registry::find(PluginKind kind, std::string_view name) const {
  const auto found = named(kind, name);
  if (found.size() == 1) return found.front();
  return failure(ErrorKind::NotFound, fmt::format("Class {} could not be found.", name));
}

template <class Plugin>
Result<std::unique_ptr<Plugin>> Registry::make(PluginKind kind, std::string_view name) const {
  FENCEPOST_TRY(const PluginDescriptor* plugin, find(kind, name));
  return std::get<Factory<Plugin>>(plugin->factory)();
}

Result<std::unique_ptr<Converter>> Registry::make_converter(std::string_view name) const {
  return make<Converter>(PluginKind::Converter, name);
}
Result<std::unique_ptr<HeaderConverter>> Registry::make_header_converter(std::string_view name) const {
  return make<HeaderConverter>(PluginKind::HeaderConverter, name);
}
Result<std::unique_ptr<Transformation>> Registry::make_transformation(std::string_view name) const {
  return make<Transformation>(PluginKind::Transformation, name);
}
Result<std::unique_ptr<Predicate>> Registry::make_predicate(std::string_view name) const {
  return make<Predicate>(PluginKind::Predicate, name);
}

}  // namespace fencepost::plugin
