#include "runtime/offset_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "json/parse.h"
#include "json/writer.h"
#include "kafka/client_settings.h"
#include "protocol/offsets.h"
#include "runtime/connector_offsets.h"
#include "runtime/offset_fields.h"
#include "runtime/offsets_writer.h"
#include "runtime/scheduler.h"
#include "runtime/settings.h"
#include "runtime/traces.h"

namespace fencepost::runtime {
namespace {

/// How long what was written may take to be seen.
constexpr Duration kSeenTimeout{10'000};

Result<Properties> resolved(const WorkerPorts& ports, const Properties& config) {
  return ports.resolve ? ports.resolve(config) : Result<Properties>(config);
}

std::string group_of(const std::string& connector, const Properties& config) {
  return config.get_or("consumer.override.group.id", "connect-" + connector);
}

Properties group_admin(const WorkerOptions& options, const Properties& config) {
  return kafka::task_client_properties(kafka::ClientKind::Admin, options.worker, {}, config.with_prefix("admin.override."));
}

std::string answer(bool reset, bool connector_knows) {
  const char* done = reset ? "reset" : "altered";
  if (connector_knows) return fmt::format("The offsets for this connector have been {} successfully", done);
  return fmt::format(
      "The Connect framework-managed offsets for this connector have been {} successfully. However, if this connector manages "
      "offsets "
      "externally, they will need to be manually {} in the system that the connector uses.",
      done, done);
}

/// One element of the request's list.
struct Change {
  json::Value partition;
  json::Value offset;
};

Result<std::vector<Change>> parse_changes(const std::string& text) {
  FENCEPOST_TRY(const auto parsed, json::parse(text));
  const auto* list = parsed.as_array();
  if (list == nullptr || list->empty()) {
    return failure(ErrorKind::InvalidConfig, "Partitions / offsets need to be provided for an alter offsets request");
  }
  std::vector<Change> out;
  for (const json::Value& element : *list) {
    const json::Value* partition = element.find("partition");
    const json::Value* offset = element.find("offset");
    out.push_back({partition == nullptr ? json::Value() : *partition, offset == nullptr ? json::Value() : *offset});
  }
  return out;
}

// ---- sources ----

ConnectorOffsets offsets_of(const WorkerOptions& options, const WorkerPorts& ports, const Log& log, const std::string& connector,
                            const Properties& config) {
  return {connector, OffsetsPlace::of(options, config, ports.offsets->topic()), options, *ports.offsets, *ports.clients, log};
}

Result<std::string> read_source(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                const std::string& connector, const Properties& config) {
  ConnectorOffsets offsets = offsets_of(options, ports, log, connector, config);
  FENCEPOST_CHECK(offsets.load());
  std::string out;
  json::Writer writer(out);
  writer.begin_array();
  for (const auto& [key, value] : offsets.all()) {
    const auto parsed = protocol::parse_offset_key(key);
    const auto offset = json::parse(value, json::kConverterOptions);
    if (!parsed || !offset) continue;
    writer.begin_object().key("partition").value(parsed->partition).key("offset").value(*offset).end_object();
  }
  writer.end_array();
  return out;
}

/// What the connector thinks of it, by its alter_offsets().
Result<bool> ask_connector(const PluginDescriptor& plugin, const Properties& config, const SourceOffsetChanges& changes) {
  try {
    const auto connector = std::get<SourcePlugin>(plugin.factory).connector();
    return connector->alter_offsets(to_config_map(config), changes);
  } catch (...) {
    return failure(ErrorKind::Failed, message_of(std::current_exception()));
  }
}

Result<FieldMap> fields_of(const json::Value& value) {
  FENCEPOST_TRY(const auto map, protocol::offset_map_of(value));
  return to_fields(map);
}

Result<SourceOffsetChanges> source_changes(const std::vector<Change>& changes) {
  SourceOffsetChanges out;
  for (const Change& change : changes) {
    if (change.partition.is_null())
      return failure(ErrorKind::Failed, "The partition for a source connector offset cannot be null");
    FENCEPOST_TRY(FieldMap partition, fields_of(change.partition));
    if (change.offset.is_null()) {
      out.emplace_back(std::move(partition), std::nullopt);
      continue;
    }
    FENCEPOST_TRY(FieldMap offset, fields_of(change.offset));
    out.emplace_back(std::move(partition), std::move(offset));
  }
  return out;
}

/// A transaction's commit is answered before its markers stand in the topics, and until then a reader of any worker, which reads
/// to the last stable offset, would still be told the old offsets.
Result<void> wait_until_seen(ConnectorOffsets& offsets, const std::vector<OffsetRecord>& written) {
  const auto deadline = Steady::now() + kSeenTimeout;
  while (true) {
    FENCEPOST_CHECK(offsets.load());
    const auto now = offsets.all();
    const bool seen = std::all_of(written.begin(), written.end(), [&](const OffsetRecord& record) {
      const auto at = now.find(record.first);
      return record.second ? at != now.end() && at->second == *record.second : at == now.end();
    });
    if (seen) return {};
    if (Steady::now() > deadline) {
      return failure(
          ErrorKind::Timeout,
          "the offsets were written, but their transaction was not completed within 10 s; read them again before you go on");
    }
  }
}

Result<std::string> change_source(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                  const std::string& connector, const Properties& config, const PluginDescriptor& plugin,
                                  const std::optional<std::vector<Change>>& asked, const MayChange& may_change) {
  ConnectorOffsets offsets = offsets_of(options, ports, log, connector, config);
  FENCEPOST_CHECK(offsets.load());
  SourceOffsetChanges changes;
  std::vector<OffsetRecord> records;
  if (asked) {
    FENCEPOST_TRY(changes, source_changes(*asked));
    for (const auto& [partition, offset] : changes) {
      FENCEPOST_TRY(std::string key, offset_key_of(connector, partition));
      std::optional<std::string> value;
      if (offset) {
        FENCEPOST_TRY(value, offset_value_of(SourceOffset(*offset)));
      }
      records.emplace_back(std::move(key), std::move(value));
    }
  } else {
    for (const auto& [key, value] : offsets.all()) {
      const auto parsed = protocol::parse_offset_key(key);
      if (!parsed) continue;
      if (auto partition = fields_of(parsed->partition)) changes.emplace_back(*std::move(partition), std::nullopt);
      records.emplace_back(key, std::nullopt);
    }
  }
  OffsetsWriter writer(options, ports, log, connector, config, offsets.place());
  if (!records.empty()) FENCEPOST_CHECK(writer.prepare());
  FENCEPOST_CHECK(may_change());
  FENCEPOST_TRY(const bool known, ask_connector(plugin, config, changes));
  if (!records.empty()) {
    FENCEPOST_CHECK(writer.write(records));
    FENCEPOST_CHECK(wait_until_seen(offsets, records));
  }
  return answer(!asked, known);
}

// ---- sinks ----

Result<std::string> read_sink(const WorkerOptions& options, const WorkerPorts& ports, const std::string& connector,
                              const Properties& config) {
  FENCEPOST_TRY(const auto offsets, ports.clients->group_offsets(group_admin(options, config), group_of(connector, config)));
  std::string out;
  json::Writer writer(out);
  writer.begin_array();
  for (const auto& [place, offset] : offsets) {
    writer.begin_object().key("partition").begin_object().key("kafka_partition").integer(place.partition);
    writer.key("kafka_topic").string(place.topic).end_object();
    writer.key("offset").begin_object().key("kafka_offset").integer(offset).end_object().end_object();
  }
  writer.end_array();
  return out;
}

std::string shown(const json::Value& value) {
  const auto* text = value.as_string();
  return text != nullptr ? *text : json::write(value);
}

/// A number, or text of one, as Java takes it.
Result<std::int64_t> number_in(const json::Value& map, const char* field, const char* what) {
  const json::Value* value = map.find(field);
  if (value == nullptr || value->is_null()) {
    return failure(ErrorKind::InvalidConfig, fmt::format("The {} for a sink connector offset needs the key '{}', which is {}",
                                                         what, field, value == nullptr ? "missing" : "null"));
  }
  const std::string text = shown(*value);
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0) {
    return failure(
        ErrorKind::InvalidConfig,
        fmt::format("The value of '{}' in the {} of a sink connector offset is '{}'; it must be a whole number, not negative",
                    field, what, text));
  }
  return number;
}

Result<std::map<Place, std::optional<std::int64_t>>> sink_changes(const std::vector<Change>& changes) {
  std::map<Place, std::optional<std::int64_t>> out;
  for (const Change& change : changes) {
    if (!change.partition.is_object()) {
      return failure(ErrorKind::InvalidConfig, "The partition for a sink connector offset cannot be null or missing");
    }
    const json::Value* topic = change.partition.find("kafka_topic");
    if (topic == nullptr || topic->is_null()) {
      return failure(ErrorKind::InvalidConfig, "The partition for a sink connector offset needs the key 'kafka_topic'");
    }
    FENCEPOST_TRY(const auto partition, number_in(change.partition, "kafka_partition", "partition"));
    std::optional<std::int64_t> offset;
    if (!change.offset.is_null()) {
      FENCEPOST_TRY(offset, number_in(change.offset, "kafka_offset", "offset"));
    }
    out[{shown(*topic), static_cast<std::int32_t>(partition)}] = offset;
  }
  return out;
}

Result<std::string> change_sink(const WorkerOptions& options, const WorkerPorts& ports, const std::string& connector,
                                const Properties& config, const std::optional<std::vector<Change>>& asked,
                                const MayChange& may_change) {
  const Properties admin = group_admin(options, config);
  const std::string group = group_of(connector, config);
  if (!asked) {
    FENCEPOST_CHECK(may_change());
    FENCEPOST_CHECK(ports.clients->delete_group(admin, group));
  } else {
    FENCEPOST_TRY(const auto changes, sink_changes(*asked));
    FENCEPOST_CHECK(may_change());
    FENCEPOST_CHECK(ports.clients->change_group_offsets(admin, group, changes));
  }
  // Offsets of a sink are the group's, which the framework manages, so the change is complete.
  return answer(!asked, true);
}

}  // namespace

Result<std::string> read_offsets(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                 const std::string& connector, const Properties& config) {
  FENCEPOST_TRY(const Properties plain, resolved(ports, config));
  const std::string name = plain.get_or("connector.class", "");
  if (ports.plugins->find(PluginKind::Sink, name) != nullptr) return read_sink(options, ports, connector, plain);
  return read_source(options, ports, log, connector, plain);
}

Result<std::string> change_offsets(const WorkerOptions& options, const WorkerPorts& ports, const Log& log,
                                   const std::string& connector, const Properties& config,
                                   const std::optional<std::string>& offsets_json, const MayChange& may_change) {
  FENCEPOST_TRY(const Properties plain, resolved(ports, config));
  std::optional<std::vector<Change>> asked;
  if (offsets_json) {
    FENCEPOST_TRY(asked, parse_changes(*offsets_json));
  }
  const std::string name = plain.get_or("connector.class", "");
  if (ports.plugins->find(PluginKind::Sink, name) != nullptr)
    return change_sink(options, ports, connector, plain, asked, may_change);
  const PluginDescriptor* plugin = ports.plugins->find(PluginKind::Source, name);
  if (plugin == nullptr) return failure(ErrorKind::InvalidConfig, "connector.class: no connector is called " + name);
  return change_source(options, ports, log, connector, plain, *plugin, asked, may_change);
}

}  // namespace fencepost::runtime
