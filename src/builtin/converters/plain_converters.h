#pragma once

#include <optional>
#include <string_view>

#include "fencepost/converter.h"

namespace fencepost::builtin {

/// What converters that know nothing of topics and headers have in common: one class serves keys, values and headers.
class PlainConverter : public Converter, public HeaderConverter {
 public:
  void configure(const ConfigMap& config, bool is_key) override { configure_as(config, is_key ? "key" : "value"); }
  void configure(const ConfigMap& config) override { configure_as(config, "header"); }
  [[nodiscard]] ConfigDef config_def() const override;
  [[nodiscard]] std::optional<Bytes> from_connect(std::string_view, Headers&, const SchemaPtr& schema,
                                                  const Value& value) override {
    return write(schema, value);
  }
  [[nodiscard]] SchemaAndValue to_connect(std::string_view, const Headers&, const std::optional<Bytes>& bytes) override {
    return read(bytes);
  }
  [[nodiscard]] std::optional<Bytes> from_connect_header(std::string_view, std::string_view, const SchemaPtr& schema,
                                                         const Value& value) override {
    return write(schema, value);
  }
  [[nodiscard]] SchemaAndValue to_connect_header(std::string_view, std::string_view, const std::optional<Bytes>& bytes) override {
    return read(bytes);
  }

 protected:
  virtual void configured(const Settings& /*settings*/) {}
  [[nodiscard]] virtual std::optional<Bytes> write(const SchemaPtr& schema, const Value& value) = 0;
  [[nodiscard]] virtual SchemaAndValue read(const std::optional<Bytes>& bytes) = 0;

 private:
  void configure_as(const ConfigMap& config, const char* type);
};

/// Bytes as they are, without a copy. Schema: optional bytes. Other values are refused.
class ByteArrayConverter : public PlainConverter {
 protected:
  [[nodiscard]] std::optional<Bytes> write(const SchemaPtr& schema, const Value& value) override;
  [[nodiscard]] SchemaAndValue read(const std::optional<Bytes>& bytes) override;
};

/// Any value as its text (String.valueOf), text back. Setting: converter.encoding, of which UTF-8, US-ASCII and ISO-8859-1 are
/// known.
class StringConverter : public PlainConverter {
 public:
  [[nodiscard]] ConfigDef config_def() const override;

 protected:
  void configured(const Settings& settings) override;
  [[nodiscard]] std::optional<Bytes> write(const SchemaPtr& schema, const Value& value) override;
  [[nodiscard]] SchemaAndValue read(const std::optional<Bytes>& bytes) override;

 private:
  enum class Encoding : unsigned char { Utf8, Latin1, Ascii };
  Encoding encoding_ = Encoding::Utf8;
};

}  // namespace fencepost::builtin
