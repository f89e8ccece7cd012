#include "rest/bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "json/parse.h"
#include "json/writer.h"

namespace fencepost::rest {
namespace {

/// Jackson's own bound on one text.
constexpr std::size_t kTextCharsMax = 20'000'000;

tl::unexpected<Refusal> refuse(int status, std::string message) { return tl::unexpected(Refusal{status, std::move(message)}); }

tl::unexpected<Refusal> refuse_shape(std::string_view what, std::string_view expected, const json::Value& value) {
  return refuse(500, fmt::format("The request body cannot be read: {} must be {}, not {}", what, expected, value.kind()));
}

OrRefusal<json::Value> parse_body(std::string_view body) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return refuse(500, "The request body is missing");
  auto value = json::parse(body);
  if (!value) return refuse(500, "The request body cannot be read: " + value.error().message());
  if (value->is_null()) return refuse(500, "The request body is null");
  return *std::move(value);
}

/// What Jackson makes of a scalar where a text is wanted; nothing for null.
OrRefusal<std::optional<std::string>> to_text(std::string_view what, const json::Value& value) {
  if (value.is_null()) return std::nullopt;
  if (const auto* text = value.as_string()) {
    if (text->size() > kTextCharsMax) {
      return refuse(500, fmt::format("The request body cannot be read: {} has {} bytes; a text may have {}", what, text->size(),
                                     kTextCharsMax));
    }
    return *text;
  }
  if (const auto* number = value.as_number()) return number->spelling;
  if (const auto* flag = value.as_bool()) return std::string(*flag ? "true" : "false");
  return refuse_shape(what, "a text", value);
}

OrRefusal<Properties> to_config(std::string_view what, const json::Value& value) {
  const auto* members = value.as_object();
  if (members == nullptr) return refuse_shape(what, "an object of texts", value);
  Properties out;
  for (const auto& [name, member] : *members) {
    auto text = to_text(fmt::format("{} '{}'", what, name), member);
    if (!text) return tl::unexpected(std::move(text).error());
    out.set(name, *std::move(text));
  }
  return out;
}

/// As Java's String.trim does it.
std::string trim(const std::string& text) {
  const auto is_kept = [](unsigned char c) { return c > ' '; };
  const auto first = std::find_if(text.begin(), text.end(), is_kept);
  const auto last = std::find_if(text.rbegin(), text.rend(), is_kept).base();
  return first < last ? std::string(first, last) : std::string();
}

OrRefusal<void> check_members(const json::Value::Object& members, std::initializer_list<std::string_view> known,
                              std::string_view what) {
  for (const auto& member : members) {
    if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
    return refuse(500, fmt::format("The request body cannot be read: unrecognized field \"{}\" of {}; known are \"{}\"",
                                   member.name, what, fmt::join(known, "\", \"")));
  }
  return {};
}

OrRefusal<std::optional<herder::TargetState>> to_initial_state(const json::Value* value) {
  if (value == nullptr || value->is_null()) return std::nullopt;
  const std::string given = value->is_string() ? *value->as_string() : json::write(*value);
  std::string upper = given;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (value->is_string()) {
    if (upper == "RUNNING") return herder::TargetState::Started;
    if (upper == "PAUSED") return herder::TargetState::Paused;
    if (upper == "STOPPED") return herder::TargetState::Stopped;
  }
  return refuse(400, fmt::format("Invalid initial_state '{}': use one of RUNNING, PAUSED, STOPPED", given));
}

}  // namespace

OrRefusal<Properties> read_config(std::string_view body) {
  const auto value = parse_body(body);
  if (!value) return tl::unexpected(value.error());
  return to_config("config", *value);
}

OrRefusal<void> settle_name(const std::string& name, Properties& config) {
  const auto* given = config.find("name");
  if (given == nullptr) {
    config.set("name", name);
    return {};
  }
  if (*given == name) return {};
  return refuse(400, fmt::format("Connector name configuration ({}) doesn't match connector name in the URL ({})",
                                 given->value_or("null"), name));
}

OrRefusal<herder::CreateConnector> read_create(std::string_view body) {
  const auto value = parse_body(body);
  if (!value) return tl::unexpected(value.error());
  const auto* members = value->as_object();
  if (members == nullptr) return refuse_shape("it", "an object with \"name\" and \"config\"", *value);
  if (auto known = check_members(*members, {"name", "config", "initial_state"}, "the request"); !known) {
    return tl::unexpected(std::move(known).error());
  }
  herder::CreateConnector out;
  if (const auto* name = value->find("name")) {
    auto text = to_text("\"name\"", *name);
    if (!text) return tl::unexpected(std::move(text).error());
    out.name = trim(text->value_or(""));
  }
  const auto* config = value->find("config");
  if (config == nullptr || config->is_null()) return refuse(500, "The request body cannot be read: \"config\" is missing");
  auto properties = to_config("\"config\"", *config);
  if (!properties) return tl::unexpected(std::move(properties).error());
  out.config = *std::move(properties);
  auto state = to_initial_state(value->find("initial_state"));
  if (!state) return tl::unexpected(std::move(state).error());
  out.initial_state = *state;
  if (auto settled = settle_name(out.name, out.config); !settled) return tl::unexpected(std::move(settled).error());
  return out;
}

OrRefusal<std::string> read_offsets(std::string_view body) {
  const auto value = parse_body(body);
  if (!value) return tl::unexpected(value.error());
  const auto* members = value->as_object();
  if (members == nullptr) return refuse_shape("it", "an object with \"offsets\"", *value);
  if (auto known = check_members(*members, {"offsets"}, "the request"); !known) return tl::unexpected(std::move(known).error());
  const auto* offsets = value->find("offsets");
  if (offsets == nullptr || offsets->is_null() || (offsets->is_array() && offsets->as_array()->empty())) {
    return refuse(400, "Partitions / offsets need to be provided for an alter offsets request");
  }
  if (!offsets->is_array()) return refuse_shape("\"offsets\"", "a list", *offsets);
  for (const json::Value& entry : *offsets->as_array()) {
    const auto* parts = entry.as_object();
    if (parts == nullptr) return refuse_shape("an element of \"offsets\"", "an object with \"partition\" and \"offset\"", entry);
    if (auto known = check_members(*parts, {"partition", "offset"}, "an element of \"offsets\""); !known) {
      return tl::unexpected(std::move(known).error());
    }
    for (const auto& part : *parts) {
      if (!part.value.is_object() && !part.value.is_null()) {
        return refuse_shape(fmt::format("\"{}\" of an element of \"offsets\"", part.name), "an object or null", part.value);
      }
    }
  }
  return json::write(*offsets);
}

OrRefusal<std::vector<Properties>> read_task_configs(std::string_view body) {
  const auto value = parse_body(body);
  if (!value) return tl::unexpected(value.error());
  const auto* list = value->as_array();
  if (list == nullptr) return refuse_shape("it", "a list of task configs", *value);
  std::vector<Properties> out;
  for (const json::Value& entry : *list) {
    auto config = to_config("a task config", entry);
    if (!config) return tl::unexpected(std::move(config).error());
    out.push_back(*std::move(config));
  }
  return out;
}

}  // namespace fencepost::rest
