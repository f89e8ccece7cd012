#include <fmt/format.h>

#include "plugin/config_json.h"
#include "plugin/connector_validation.h"

namespace fencepost::plugin {

void write_definition(json::Writer& out, const ConfigKey& key) {
  out.begin_object().key("name").string(key.name).key("type").string(to_string(key.type)).key("required").boolean(key.required());
  const auto text = key.required() ? std::nullopt : to_text(*key.default_value);
  out.key("default_value");
  text ? out.string(*text) : out.null();
  out.key("importance").string(to_string(key.importance)).key("documentation").string(key.documentation).key("group");
  key.group.empty() ? out.null() : out.string(key.group);
  out.key("width")
      .string(to_string(key.width))
      .key("display_name")
      .string(key.display_name.empty() ? key.name : key.display_name);
  out.key("dependents").begin_array();
  for (const std::string& dependent : key.dependents) out.string(dependent);
  out.end_array().key("order_in_group").integer(key.order_in_group).end_object();
}

namespace {

void write_strings(json::Writer& out, const std::vector<std::string>& texts) {
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

void write_value(json::Writer& out, const ConfigValue& value) {
  const auto text = to_text(value.value);
  out.begin_object().key("name").string(value.name).key("value");
  text ? out.string(*text) : out.null();
  out.key("recommended_values");
  write_strings(out, value.recommended_values);
  out.key("errors");
  write_strings(out, value.errors);
  out.key("visible").boolean(value.visible).end_object();
}

}  // namespace

std::size_t ConfigInfos::error_count() const {
  std::size_t count = 0;
  for (const ConfigInfo& info : configs) count += info.value.errors.size();
  return count;
}

std::string ConfigInfos::to_json() const {
  std::string text;
  json::Writer out(text);
  out.begin_object().key("name").string(name).key("error_count").integer(static_cast<std::int64_t>(error_count()));
  out.key("groups");
  write_strings(out, groups);
  out.key("configs").begin_array();
  for (const ConfigInfo& info : configs) {
    out.begin_object().key("definition");
    if (info.definition) {
      write_definition(out, *info.definition);
    } else {
      out.null();
    }
    out.key("value");
    write_value(out, info.value);
    out.end_object();
  }
  out.end_array().end_object();
  return text;
}

std::optional<std::string> ConfigInfos::refusal() const {
  if (error_count() == 0) return std::nullopt;
  std::string text = fmt::format("Connector configuration is invalid and contains the following {} error(s):", error_count());
  for (const ConfigInfo& info : configs) {
    for (const std::string& error : info.value.errors) text.append("\n").append(error);
  }
  return text +
         "\nYou can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`";
}

}  // namespace fencepost::plugin
