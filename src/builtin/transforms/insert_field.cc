#include "builtin/transforms/insert_field.h"

#include <utility>

#include "fencepost/settings.h"

namespace fencepost::builtin {
namespace {

constexpr std::string_view kPurpose = "field insertion";

ConfigKey field_key(const char* name, const char* what) {
  return {.name = name,
          .default_value = std::monostate{},
          .documentation = std::string("Name of the field for ") + what +
                           ". A ! at its end makes the field required, a ? (as nothing) optional."};
}

}  // namespace

ConfigDef InsertField::config_def() const {
  return ConfigDef()
      .define(field_key("topic.field", "the record's topic"))
      .define(field_key("partition.field", "the record's Kafka partition"))
      .define(field_key("offset.field", "the record's offset, which only records for a sink have"))
      .define(field_key("timestamp.field", "the record's timestamp"))
      .define(field_key("static.field", "a fixed text"))
      .define({.name = "static.value",
               .default_value = std::monostate{},
               .documentation = "The fixed text; required where static.field is given."})
      .define({.name = "replace.null.with.default",
               .type = ConfigType::Boolean,
               .default_value = true,
               .documentation = "Whether a null in a field that has a default becomes that default."});
}

std::optional<InsertField::Addition> InsertField::addition(std::optional<std::string> spec) {
  if (!spec) return std::nullopt;
  const bool required = spec->ends_with('!');
  if (required || spec->ends_with('?')) spec->pop_back();
  return Addition{.name = *std::move(spec), .optional = !required};
}

void InsertField::configure(const ConfigMap& config) {
  const Settings settings = config_def().parse(config);
  topic_ = addition(settings.find_string("topic.field"));
  partition_ = addition(settings.find_string("partition.field"));
  offset_ = addition(settings.find_string("offset.field"));
  timestamp_ = addition(settings.find_string("timestamp.field"));
  fixed_ = addition(settings.find_string("static.field"));
  replace_null_with_default_ = settings.get_bool("replace.null.with.default");
  if (!topic_ && !partition_ && !offset_ && !timestamp_ && !fixed_) {
    throw ConfigError(
        "No field insertion configured: give at least one of topic.field, partition.field, offset.field, timestamp.field and "
        "static.field");
  }
  if (!fixed_) return;
  const auto text = settings.find_string("static.value");
  if (!text) throw ConfigError("static.value", "null", "No value specified for static field: " + fixed_->name);
  fixed_value_ = Value(*text);
}

bool InsertField::apply(ConnectRecord& record) {
  if (value_of(record, part_).is_null()) return true;
  if (schema_of(record, part_) == nullptr) {
    apply_to_map(record);
  } else {
    apply_to_struct(record);
  }
  return true;
}

void InsertField::apply_to_map(ConnectRecord& record) const {
  ValueMap map = require_map(value_of(record, part_), kPurpose);
  if (topic_) put(map, topic_->name, Value(record.topic.view()));
  if (partition_ && record.kafka_partition) put(map, partition_->name, *record.kafka_partition);
  if (offset_) put(map, offset_->name, require_kafka_offset(record, kPurpose));
  if (timestamp_ && record.timestamp_ms) put(map, timestamp_->name, *record.timestamp_ms);
  if (fixed_) put(map, fixed_->name, fixed_value_);
  set_part(record, part_, nullptr, std::move(map));
}

void InsertField::apply_to_struct(ConnectRecord& record) {
  const Struct& fields = require_struct(value_of(record, part_), kPurpose);
  const SchemaPtr schema = schemas_.get(fields.schema(), [&](const Schema& original) { return extend(original); });
  Struct out(schema);
  std::size_t index = 0;
  for (; index < fields.schema()->fields().size(); ++index) {
    out.put(index, replace_null_with_default_ ? fields.get(index) : fields.get_without_default(index));
  }
  // The additions follow in the order in which extend() adds them.
  if (topic_) out.put(index++, Value(record.topic.view()));
  if (partition_) {
    if (record.kafka_partition) out.put(index, *record.kafka_partition);
    ++index;
  }
  if (offset_) out.put(index++, require_kafka_offset(record, kPurpose));
  if (timestamp_) {
    if (record.timestamp_ms) out.put(index, Value::date_ms(*record.timestamp_ms));
    ++index;
  }
  if (fixed_) out.put(index, fixed_value_);
  set_part(record, part_, schema, std::move(out));
}

SchemaPtr InsertField::extend(const Schema& schema) const {
  SchemaBuilder builder = copy_basics(schema);
  for (const Field& field : schema.fields()) builder.field(field.name, field.schema);
  const auto add = [&](const std::optional<Addition>& field, const SchemaPtr& optional, const SchemaPtr& required) {
    if (field) builder.field(field->name, field->optional ? optional : required);
  };
  add(topic_, Schema::optional_string(), Schema::string());
  add(partition_, Schema::optional_int32(), Schema::int32());
  add(offset_, Schema::optional_int64(), Schema::int64());
  add(timestamp_, SchemaBuilder::timestamp().optional().build(), SchemaBuilder::timestamp().build());
  add(fixed_, Schema::optional_string(), Schema::string());
  return builder.build();
}

}  // namespace fencepost::builtin
