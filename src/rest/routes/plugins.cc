#include <fmt/format.h>

#include "json/writer.h"
#include "rest/answers.h"
#include "rest/routes/handlers.h"

namespace fencepost::rest::routes {
namespace {

HttpReply json_or_error(Result<std::string> result) {
  if (!result) return error_reply(status_of(result.error().kind()), result.error().message());
  return HttpReply::json(200, *std::move(result));
}

/// The class without "Connector" at its end, so that simple names and aliases can be compared.
std::string_view without_suffix(std::string_view class_name) {
  static constexpr std::string_view kSuffix = "Connector";
  if (class_name.size() > kSuffix.size() && class_name.ends_with(kSuffix)) class_name.remove_suffix(kSuffix.size());
  return class_name;
}

}  // namespace

void list_plugins(const CallPtr& call) {
  const bool connectors_only = call->flag("connectorsOnly", true);
  std::string body;
  json::Writer out(body);
  out.begin_array();
  for (const PluginInfo& plugin : call->services().port.plugins()) {
    if (connectors_only && plugin.type != "source" && plugin.type != "sink") continue;
    out.begin_object().key("class").string(plugin.class_name).key("type").string(plugin.type);
    if (!plugin.version.empty()) out.key("version").string(plugin.version);
    out.end_object();
  }
  out.end_array();
  call->answer(HttpReply::json(200, std::move(body)));
}

void validate_config(const CallPtr& call) {
  auto config = read_config(call->request().body);
  if (!config) return call->refuse(config.error());
  const std::string& plugin = call->parameter(0);
  const auto given = config->get("connector.class");
  if (given && !without_suffix(*given).ends_with(without_suffix(plugin))) {
    return call->answer(
        error_reply(400, fmt::format("Included connector type {} does not match request type {}", *given, plugin)));
  }
  call->waits_for(fmt::format("the validation by plugin {}", plugin));
  const bool accepted = call->services().validation.run([call, config = *std::move(config)] {
    try {
      call->answer(json_or_error(call->services().port.validate(config)));
    } catch (const std::exception& e) {
      call->answer(error_reply(500, fmt::format("The connector's own validation failed: {}", e.what())));
    }
  });
  if (!accepted) call->answer(error_reply(503, "Too many validations are waiting already; try again later"));
}

void get_plugin_config(const CallPtr& call) {
  call->answer(json_or_error(call->services().port.plugin_config(call->parameter(0))));
}

}  // namespace fencepost::rest::routes
