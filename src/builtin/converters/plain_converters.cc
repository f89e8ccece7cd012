#include "builtin/converters/plain_converters.h"

#include "builtin/converters/converter_type.h"
#include "builtin/java_text.h"
#include "fencepost/settings.h"
#include "json/utf8.h"

namespace fencepost::builtin {

ConfigDef PlainConverter::config_def() const { return converter_config_def(); }

void PlainConverter::configure_as(const ConfigMap& config, const char* type) {
  ConfigMap complete = config;
  complete.insert_or_assign("converter.type", type);
  configured(config_def().parse(complete));
}

std::optional<Bytes> ByteArrayConverter::write(const SchemaPtr& schema, const Value& value) {
  if (schema != nullptr && schema->type() != SchemaType::Bytes) {
    throw DataError("Invalid schema type for ByteArrayConverter: " + std::string(to_string(schema->type())));
  }
  if (value.is_null()) return std::nullopt;
  if (!value.is(Value::Kind::Bytes)) {
    throw DataError("ByteArrayConverter is not compatible with objects of type " + std::string(to_string(value.kind())));
  }
  return value.as_bytes();
}

SchemaAndValue ByteArrayConverter::read(const std::optional<Bytes>& bytes) {
  return {Schema::optional_bytes(), bytes ? Value::bytes(*bytes) : Value()};
}

ConfigDef StringConverter::config_def() const {
  ConfigDef def = converter_config_def();
  def.define({.name = "converter.encoding",
              .default_value = "UTF-8",
              .importance = Importance::High,
              .documentation = "The character set to use: UTF-8, ISO-8859-1 or US-ASCII.",
              .width = Width::Medium,
              .display_name = "Encoding"});
  return def;
}

void StringConverter::configured(const Settings& settings) {
  std::string name = settings.get_string("converter.encoding");
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  if (name == "UTF-8" || name == "UTF8") {
    encoding_ = Encoding::Utf8;
  } else if (name == "ISO-8859-1" || name == "ISO8859_1" || name == "LATIN1") {
    encoding_ = Encoding::Latin1;
  } else if (name == "US-ASCII" || name == "ASCII") {
    encoding_ = Encoding::Ascii;
  } else {
    throw ConfigError("converter.encoding", settings.get_string("converter.encoding"), "use UTF-8, ISO-8859-1 or US-ASCII");
  }
}

namespace {

/// Characters up to `last` as single bytes; others, and what is not UTF-8, as '?', as Java does.
std::string encode_narrow(std::string_view text, unsigned char last) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = json::utf8_length(text, at);
    const auto first = static_cast<unsigned char>(text[at]);
    if (length == 1) {
      out += text[at];
    } else if (length == 2 && first <= 0xC3) {
      const auto point = static_cast<unsigned char>((first & 3) << 6 | (static_cast<unsigned char>(text[at + 1]) & 0x3F));
      out += point <= last ? static_cast<char>(point) : '?';
    } else {
      out += '?';
    }
    at += length == 0 ? 1 : length;
  }
  return out;
}

std::string decode_narrow(std::string_view bytes, unsigned char last) {
  std::string out;
  for (const char c : bytes)
    json::utf8_append(out, static_cast<unsigned char>(c) <= last ? static_cast<unsigned char>(c) : 0xFFFD);
  return out;
}

/// Text from Kafka: what is not UTF-8 becomes U+FFFD. Good text, the usual case, is passed through without a copy.
Value utf8_text(const Bytes& bytes) {
  const std::string_view text = bytes.view();
  std::size_t good = 0;
  while (good < text.size()) {
    const std::size_t length = json::utf8_length(text, good);
    if (length == 0) break;
    good += length;
  }
  if (good == text.size()) return Value::string(bytes);
  std::string out(text.substr(0, good));
  for (std::size_t at = good; at < text.size();) {
    const std::size_t length = json::utf8_length(text, at);
    if (length == 0) {
      json::utf8_append(out, 0xFFFD);
      ++at;
    } else {
      out.append(text, at, length);
      at += length;
    }
  }
  return Value::string(Bytes(out));
}

}  // namespace

std::optional<Bytes> StringConverter::write(const SchemaPtr& /*schema*/, const Value& value) {
  if (value.is_null()) return std::nullopt;
  if (encoding_ == Encoding::Utf8) return value.is(Value::Kind::String) ? value.as_bytes() : Bytes(java_text(value));
  return Bytes(encode_narrow(java_text(value), encoding_ == Encoding::Latin1 ? 0xFF : 0x7F));
}

SchemaAndValue StringConverter::read(const std::optional<Bytes>& bytes) {
  if (!bytes) return {Schema::optional_string(), Value()};
  if (encoding_ == Encoding::Utf8) return {Schema::optional_string(), utf8_text(*bytes)};
  return {Schema::optional_string(),
          Value::string(Bytes(decode_narrow(bytes->view(), encoding_ == Encoding::Latin1 ? 0xFF : 0x7F)))};
}

}  // namespace fencepost::builtin
