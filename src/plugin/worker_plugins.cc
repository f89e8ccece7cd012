#include "plugin/worker_plugins.h"

#include <fmt/format.h>

namespace fencepost::plugin {

namespace {

ConfigMap to_map(const Properties& properties) {
  ConfigMap out;
  for (const auto& [name, value] : properties) {
    if (value) out.insert_or_assign(name, *value);
  }
  return out;
}

std::string names_of(const Registry& plugins, PluginKind kind) {
  std::string names;
  for (const PluginDescriptor& plugin : plugins.all()) {
    if (plugin.kind() == kind) names.append(names.empty() ? "" : ", ").append(plugin.class_name);
  }
  return names;
}

/// Finds a plugin and configures an object of it as a connector that names none would have it configured.
template <class Find, class Configure>
Result<void> check(const Registry& plugins, PluginKind kind, const std::string& setting, const std::string& class_name, Find find,
                   Configure configure) {
  auto converter = find();
  if (!converter) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("Invalid value {} for configuration {}: Class {} could not be found; there are {}", class_name,
                               setting, class_name, names_of(plugins, kind)));
  }
  try {
    configure(**converter);
  } catch (const std::exception& error) {
    return failure(ErrorKind::InvalidConfig, fmt::format("{} ({}): {}", setting, class_name, error.what()));
  }
  return {};
}

}  // namespace

Result<void> check_worker_converters(const Registry& plugins, const config::WorkerConfig& worker) {
  const auto record_converter = [&](const std::string& setting, const config::ConverterChoice& choice, bool is_key) {
    return check(
        plugins, PluginKind::Converter, setting, choice.class_name, [&] { return plugins.make_converter(choice.class_name); },
        [&](Converter& converter) { converter.configure(to_map(choice.settings), is_key); });
  };
  FENCEPOST_CHECK(record_converter("key.converter", worker.key_converter, true));
  FENCEPOST_CHECK(record_converter("value.converter", worker.value_converter, false));
  const config::ConverterChoice& header = worker.header_converter;
  return check(
      plugins, PluginKind::HeaderConverter, "header.converter", header.class_name,
      [&] { return plugins.make_header_converter(header.class_name); },
      [&](HeaderConverter& converter) { converter.configure(to_map(header.settings)); });
}

}  // namespace fencepost::plugin
