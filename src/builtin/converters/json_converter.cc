#include "builtin/converters/json_converter.h"

#include "builtin/converters/converter_type.h"
#include "fencepost/settings.h"
#include "json/parse.h"

namespace fencepost::builtin {

namespace {

json::Value parse(std::string_view text) {
  auto value = json::parse(text, json::kConverterOptions);
  if (!value)
    throw DataError("Converting byte[] to Kafka Connect data failed due to serialization error: " + value.error().message());
  return *std::move(value);
}

/// Where a JSON object that begins here ends (one past its brace), found by counting braces outside of strings; npos where it
/// does not.
std::size_t end_of_object(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

constexpr std::string_view kSchemaFirst = "{\"schema\":";
constexpr std::string_view kPayloadNext = ",\"payload\":";
constexpr std::size_t kTextKeptMax = 64 * 1024;

}  // namespace

ConfigDef JsonConverter::config_def() const {
  ConfigDef def = converter_config_def();
  def.define({.name = "schemas.enable",
              .type = ConfigType::Boolean,
              .default_value = true,
              .importance = Importance::High,
              .documentation = "Whether each record carries its schema: {\"schema\":...,\"payload\":...}.",
              .group = "Schemas",
              .order_in_group = 0,
              .width = Width::Medium,
              .display_name = "Enable Schemas"})
      .define({.name = "schemas.cache.size",
               .type = ConfigType::Int,
               .default_value = 1000,
               .importance = Importance::High,
               .documentation = "How many schemas are kept, so that they need not be read and written again.",
               .group = "Schemas",
               .order_in_group = 1,
               .width = Width::Medium,
               .display_name = "Schema Cache Size"})
      .define({.name = "schema.content",
               .default_value = std::monostate{},
               .importance = Importance::High,
               .documentation = "The schema of all records in JSON, for records that carry none.",
               .group = "Schemas",
               .order_in_group = 2,
               .width = Width::Medium,
               .display_name = "Schema Content"})
      .define({.name = "decimal.format",
               .default_value = "BASE64",
               .validator = validators::one_of_ignoring_case({"NUMERIC", "BASE64"}),
               .importance = Importance::Low,
               .documentation = "How decimals are written: BASE64 of their bytes, or NUMERIC.",
               .group = "Serialization",
               .order_in_group = 0,
               .width = Width::Medium,
               .display_name = "Decimal Format"})
      .define({.name = "replace.null.with.default",
               .type = ConfigType::Boolean,
               .default_value = true,
               .importance = Importance::Low,
               .documentation = "Whether a null in a field that has a default becomes the default.",
               .group = "Serialization",
               .order_in_group = 1,
               .width = Width::Medium,
               .display_name = "Replace null with default"});
  return def;
}

void JsonConverter::configured(const Settings& settings) {
  schemas_ = settings.get_bool("schemas.enable");
  cache_size_ = static_cast<std::size_t>(std::max(settings.get_int("schemas.cache.size"), 0));
  const std::string& format = settings.get_string("decimal.format");
  options_.numeric_decimals = format.starts_with('n') || format.starts_with('N');
  options_.replace_null_with_default = settings.get_bool("replace.null.with.default");
  fixed_schema_ = nullptr;
  if (const auto content = settings.find_string("schema.content"); content && !content->empty()) {
    try {
      fixed_schema_ = read_json_schema(parse(*content), options_);
    } catch (const DataError& error) {
      throw ConfigError("schema.content", *content, error.what());
    }
  }
}

const std::string& JsonConverter::schema_text(const SchemaPtr& schema) {
  if (const auto at = written_.find(schema.get()); at != written_.end()) return at->second.text;
  Written written{schema, {}};
  json::Writer out(written.text);
  write_json_schema(out, schema.get(), options_);
  if (written_.size() >= std::max<std::size_t>(cache_size_, 1)) written_.clear();
  return written_.emplace(schema.get(), std::move(written)).first->second.text;
}

std::optional<Bytes> JsonConverter::write(const SchemaPtr& schema, const Value& value) {
  if (schema == nullptr && value.is_null()) return std::nullopt;
  text_.clear();
  // A large record must not make the converter keep its size for ever.
  if (text_.capacity() > kTextKeptMax) text_ = {};
  json::Writer out(text_);
  if (schemas_) {
    out.begin_object().key("schema").raw(schema_text(schema));
    write_json_value(out.key("payload"), schema.get(), value, options_);
    out.end_object();
  } else {
    write_json_value(out, schema.get(), value, options_);
  }
  return texts_.copy(text_);
}

void JsonConverter::remember(std::string_view text, const SchemaPtr& schema) {
  if (cache_size_ == 0) return;
  if (read_.size() >= cache_size_) read_.clear();
  read_.emplace(std::string(text), schema);
}

/// The usual record has its schema first, in the same bytes as many before it: then only the payload must be read.
std::optional<SchemaAndValue> JsonConverter::read_known_schema(std::string_view text) {
  if (!text.starts_with(kSchemaFirst) || text.size() < kSchemaFirst.size() + 2 || text[kSchemaFirst.size()] != '{')
    return std::nullopt;
  const std::size_t schema_size = end_of_object(text.substr(kSchemaFirst.size()));
  if (schema_size == std::string_view::npos) return std::nullopt;
  const auto known = read_.find(text.substr(kSchemaFirst.size(), schema_size));
  const std::string_view rest = text.substr(kSchemaFirst.size() + schema_size);
  if (known == read_.end() || !rest.starts_with(kPayloadNext) || !rest.ends_with('}')) return std::nullopt;
  // Strictly one value up to the last brace: anything else (a third member, text that follows) is left to the full reader.
  const auto payload =
      json::parse(rest.substr(kPayloadNext.size(), rest.size() - kPayloadNext.size() - 1), {.allow_leading_zeros = true});
  if (!payload) return std::nullopt;
  return SchemaAndValue{known->second, read_json_value(known->second, &*payload, options_)};
}

SchemaAndValue JsonConverter::read_envelope(std::string_view text) {
  if (auto known = read_known_schema(text)) return *std::move(known);
  const json::Value envelope = parse(text);
  const json::Value* schema_json = envelope.find("schema");
  const json::Value* payload = envelope.find("payload");
  if (schema_json == nullptr || payload == nullptr || envelope.as_object()->size() != 2) {
    throw DataError(
        "JsonConverter with schemas.enable requires \"schema\" and \"payload\" fields and may not contain additional fields. If "
        "you are "
        "trying to deserialize plain JSON data, set schemas.enable=false in your converter configuration.");
  }
  const SchemaPtr schema = read_json_schema(*schema_json, options_);
  if (schema != nullptr && text.starts_with(kSchemaFirst)) {
    const std::string_view after = text.substr(kSchemaFirst.size());
    if (const std::size_t size = end_of_object(after); size != std::string_view::npos && after.starts_with('{')) {
      remember(after.substr(0, size), schema);
    }
  }
  return {schema, read_json_value(schema, payload, options_)};
}

SchemaAndValue JsonConverter::read(const std::optional<Bytes>& bytes) {
  if (!bytes) return {};
  if (schemas_ && fixed_schema_ == nullptr) {
    if (bytes->empty()) return read_envelope("{}");
    return read_envelope(bytes->view());
  }
  if (bytes->empty()) return {};
  const json::Value value = parse(bytes->view());
  const SchemaPtr schema = schemas_ ? fixed_schema_ : nullptr;
  return {schema, read_json_value(schema, &value, options_)};
}

}  // namespace fencepost::builtin
