#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fencepost/plugin.h"

namespace fencepost::plugin {

/// All plugins of a worker, by their class name, their simple name and that without the suffix of their kind. A value that does
/// not change once it is made. Threads: any.
class Registry {
 public:
  /// Errors: Bug where two plugins of one kind have the same class name.
  [[nodiscard]] static Result<Registry> make(std::vector<PluginDescriptor> plugins);

  /// A source or sink connector. The error lists what there is, in Connect's words.
  [[nodiscard]] Result<const PluginDescriptor*> connector(std::string_view name) const;
  /// Any plugin of a kind; NotFound names the kind and the class.
  [[nodiscard]] Result<const PluginDescriptor*> find(PluginKind kind, std::string_view name) const;

  [[nodiscard]] Result<std::unique_ptr<Converter>> make_converter(std::string_view name) const;
  [[nodiscard]] Result<std::unique_ptr<HeaderConverter>> make_header_converter(std::string_view name) const;
  [[nodiscard]] Result<std::unique_ptr<Transformation>> make_transformation(std::string_view name) const;
  [[nodiscard]] Result<std::unique_ptr<Predicate>> make_predicate(std::string_view name) const;

  /// In the order in which REST shows them: by kind, then by class name.
  [[nodiscard]] const std::vector<PluginDescriptor>& all() const { return plugins_; }

 private:
  template <class Plugin>
  [[nodiscard]] Result<std::unique_ptr<Plugin>> make(PluginKind kind, std::string_view name) const;
  [[nodiscard]] std::vector<const PluginDescriptor*> named(PluginKind kind, std::string_view name) const;

  std::vector<PluginDescriptor> plugins_;
};

/// The names that a plugin answers to besides its class name.
[[nodiscard]] std::vector<std::string> short_names(const PluginDescriptor& plugin);

}  // namespace fencepost::plugin
