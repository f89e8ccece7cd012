#include "protocol/offsets.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"
#include "json/base64.h"
#include "json/parse.h"
#include "json/writer.h"

namespace fencepost::protocol {
namespace {

void write_value(json::Writer& out, const OffsetValue& value) {
  struct Visitor {
    json::Writer& writer;
    void operator()(std::monostate) const { writer.null(); }
    void operator()(bool truth) const { writer.boolean(truth); }
    void operator()(std::int64_t number) const { writer.integer(number); }
    void operator()(float number) const { writer.number(number); }
    void operator()(double number) const { writer.number(number); }
    void operator()(const std::string& text) const { writer.string(text); }
    void operator()(const Bytes& bytes) const { writer.bytes(bytes.value); }
  };
  std::visit(Visitor{out}, value);
}

void write_map(json::Writer& out, const OffsetMap& map) {
  out.begin_object();
  for (const auto& [field, value] : map) {
    out.key(field);
    write_value(out, value);
  }
  out.end_object();
}

Result<OffsetValue> value_of(const json::Member& member) {
  const json::Value& value = member.value;
  if (value.is_null()) return OffsetValue();
  if (const bool* truth = value.as_bool()) return OffsetValue(*truth);
  if (const std::string* text = value.as_string()) return OffsetValue(*text);
  const json::Number* number = value.as_number();
  if (number == nullptr) {
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("field '{}' holds an {}; partitions and offsets hold null, booleans, numbers, text and bytes",
                               shown(member.name), value.kind()));
  }
  if (!json::is_integer(*number)) return OffsetValue(value.as_double().value_or(0));
  if (const auto whole = value.as_int64()) return OffsetValue(*whole);
  return failure(ErrorKind::InvalidConfig, fmt::format("field '{}' holds {}, which does not fit into 64 bits", shown(member.name),
                                                       shown(number->spelling)));
}

}  // namespace

OffsetMap::OffsetMap(std::initializer_list<Entry> entries) {
  for (const auto& [field, value] : entries) set(field, value);
}

void OffsetMap::set(std::string_view field, OffsetValue value) {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == field; });
  if (at != entries_.end()) {
    at->second = std::move(value);
  } else {
    entries_.emplace_back(std::string(field), std::move(value));
  }
}

const OffsetValue* OffsetMap::find(std::string_view field) const {
  const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.first == field; });
  return at == entries_.end() ? nullptr : &at->second;
}

Result<OffsetMap> offset_map_of(const json::Value& value) {
  const auto* members = value.as_object();
  if (members == nullptr) return failure(ErrorKind::InvalidConfig, fmt::format("an object was expected, not {}", value.kind()));
  OffsetMap out;
  for (const json::Member& member : *members) {
    FENCEPOST_TRY(OffsetValue field, value_of(member));
    out.set(member.name, std::move(field));
  }
  return out;
}

json::Value to_json(const OffsetMap& map) {
  struct Visitor {
    json::Value operator()(std::monostate) const { return {}; }
    json::Value operator()(bool truth) const { return truth; }
    json::Value operator()(std::int64_t number) const { return number; }
    json::Value operator()(float number) const {
      std::string text;
      json::Writer(text).number(number);
      return text.front() == '"' ? json::Value(text.substr(1, text.size() - 2)) : json::Value(json::Number{std::move(text)});
    }
    json::Value operator()(double number) const { return number; }
    json::Value operator()(const std::string& text) const { return text; }
    json::Value operator()(const Bytes& bytes) const { return json::base64_encode(bytes.value); }
  };
  json::Value out = json::Value::object();
  for (const auto& [field, value] : map) out.as_object()->push_back({field, std::visit(Visitor{}, value)});
  return out;
}

std::string offset_key(std::string_view connector, const OffsetMap& partition) {
  std::string out;
  json::Writer writer(out);
  writer.begin_array().string(connector);
  write_map(writer, partition);
  writer.end_array();
  return out;
}

std::string offset_value(const OffsetMap& offset) {
  std::string out;
  json::Writer writer(out);
  write_map(writer, offset);
  return out;
}

Record offset_record(std::string_view connector, const OffsetMap& partition, const std::optional<OffsetMap>& offset) {
  return {offset_key(connector, partition), offset ? std::optional(offset_value(*offset)) : std::nullopt};
}

Result<OffsetKey> parse_offset_key(std::string_view key) {
  auto parsed = json::parse(key, json::kConverterOptions);
  if (!parsed) return Failure(std::move(parsed).error().while_doing("the key"));
  auto* parts = parsed->as_array();
  if (parts == nullptr || parts->size() != 2 || !(*parts)[0].is_string() || !(*parts)[1].is_object()) {
    return failure(ErrorKind::Corrupt, R"(the key is not of the form ["connector",{"field":value}])");
  }
  return OffsetKey{*(*parts)[0].as_string(), std::move((*parts)[1])};
}

std::string OffsetState::read(std::optional<std::string_view> key, std::optional<std::string_view> value) {
  if (!key) return "the key is null";
  auto parsed = parse_offset_key(*key);
  if (!parsed) return parsed.error().message();

  std::optional<json::Value> offset;
  // No bytes at all and a JSON null are nulls to Java's converter, so tombstones.
  if (value && !value->empty()) {
    auto content = json::parse(*value, json::kConverterOptions);
    if (!content) return fmt::format("the offset of connector '{}' is {}", shown(parsed->connector), content.error().message());
    if (!content->is_null()) offset = *std::move(content);
  }
  if (!offset) {
    const auto at = connectors_.find(parsed->connector);
    if (at == connectors_.end()) return {};
    if (const auto entry = at->second.find(*key); entry != at->second.end()) at->second.erase(entry);
    if (at->second.empty()) connectors_.erase(at);
    return {};
  }
  if (const auto flat = offset_map_of(*offset); !flat) {
    return fmt::format("the offset of connector '{}': {}", shown(parsed->connector), flat.error().message());
  }
  connectors_[parsed->connector].insert_or_assign(std::string(*key), Entry{std::move(parsed->partition), std::string(*value)});
  return {};
}

std::optional<OffsetMap> OffsetState::offset(std::string_view connector, const OffsetMap& partition) const {
  const auto& known = partitions(connector);
  const auto at = known.find(offset_key(connector, partition));
  if (at == known.end()) return std::nullopt;
  const auto parsed = json::parse(at->second.offset, json::kConverterOptions);
  if (!parsed) return std::nullopt;
  auto map = offset_map_of(*parsed);
  return map ? std::optional(*std::move(map)) : std::nullopt;
}

const std::map<std::string, OffsetState::Entry, std::less<>>& OffsetState::partitions(std::string_view connector) const {
  static const std::map<std::string, Entry, std::less<>> kNone;
  const auto at = connectors_.find(connector);
  return at == connectors_.end() ? kNone : at->second;
}

}  // namespace fencepost::protocol
