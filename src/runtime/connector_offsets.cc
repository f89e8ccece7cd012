#include "runtime/connector_offsets.h"

#include <future>
#include <set>
#include <utility>

#include "kafka/client_settings.h"
#include "runtime/offset_fields.h"
#include "runtime/settings.h"

namespace fencepost::runtime {
namespace {

std::set<std::string> servers(const Properties& settings) {
  const auto found = list(settings, "bootstrap.servers");
  return {found.begin(), found.end()};
}

template <class Start>
Result<void> wait_for(Start start) {
  auto promise = std::make_shared<std::promise<Result<void>>>();
  auto answer = promise->get_future();
  start([promise](Result<void> result) { promise->set_value(std::move(result)); });
  return answer.get();
}

}  // namespace

Result<void> read_to_end(OffsetsPort& global) {
  return wait_for([&](Completion done) { global.read_to_end(std::move(done)); });
}

Result<void> write_and_wait(OffsetsPort& global, std::vector<OffsetRecord> records) {
  return wait_for([&](Completion done) { global.write(std::move(records), std::move(done)); });
}

OffsetsPlace OffsetsPlace::of(const WorkerOptions& options, const Properties& connector, const std::string& global_topic) {
  OffsetsPlace place;
  const auto overrides = [&](const char* prefix) { return connector.with_prefix(prefix); };
  const Properties producer =
      kafka::task_client_properties(kafka::ClientKind::Producer, options.worker, {}, overrides("producer.override."));
  place.consumer =
      kafka::task_client_properties(kafka::ClientKind::Consumer, options.worker, {}, overrides("consumer.override."));
  place.admin = kafka::task_client_properties(kafka::ClientKind::Admin, options.worker, {}, overrides("admin.override."));
  // The offsets go where the records go, so their reader has to look there too.
  if (!connector.contains("consumer.override.bootstrap.servers")) {
    place.consumer.set("bootstrap.servers", producer.get("bootstrap.servers"));
  }
  if (!connector.contains("admin.override.bootstrap.servers")) {
    place.admin.set("bootstrap.servers", producer.get("bootstrap.servers"));
  }
  const std::string topic = connector.get_or("offsets.storage.topic", global_topic);
  // Only a transaction has to keep its offsets on the cluster of its records; else the worker's topic serves any target.
  place.elsewhere = lower(options.worker.get_or("exactly.once.source.support", "disabled")) == "enabled" &&
                    servers(producer) != servers(options.worker);
  if (topic != global_topic || place.elsewhere) place.own_topic = topic;
  return place;
}

ConnectorOffsets::ConnectorOffsets(std::string connector, OffsetsPlace place, const WorkerOptions& options, OffsetsPort& global,
                                   ClientsPort& clients, Log log)
    : connector_(std::move(connector)),
      place_(std::move(place)),
      options_(options),
      global_(global),
      clients_(clients),
      log_(std::move(log)) {}

Result<void> ConnectorOffsets::load() {
  if (place_.own_topic) {
    bool made = false;
    {
      const std::lock_guard lock(mutex_);
      made = own_topic_made_;
    }
    if (!made) {
      FENCEPOST_CHECK(clients_.create_topic(place_.admin, {.name = *place_.own_topic,
                                                           .partitions = options_.offsets_partitions,
                                                           .replication_factor = options_.offsets_replication_factor,
                                                           .configs = {{"cleanup.policy", "compact"}}}));
    }
    auto read = clients_.read_offsets_topic(place_.consumer, *place_.own_topic);
    if (!read && read.error().kind() == ErrorKind::NotFound) {
      // Brokers hear of a topic one after the other: what one of them has just made, another may not know yet.
      return failure(ErrorKind::Unavailable, "topic '" + *place_.own_topic + "' was made but is not visible yet");
    }
    FENCEPOST_TRY(OffsetTable table, std::move(read));
    const std::lock_guard lock(mutex_);
    own_topic_made_ = true;
    own_ = std::move(table);
  }
  FENCEPOST_CHECK(read_to_end(global_));
  const std::lock_guard lock(mutex_);
  fresh_ = true;
  return {};
}

Result<bool> ConnectorOffsets::still_as_known() {
  FENCEPOST_CHECK(load());
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : known_) {
    if (find(key) != value) return false;
  }
  return true;
}

void ConnectorOffsets::committed(const std::vector<OffsetRecord>& records) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : records) {
    known_[key] = value;
    if (!place_.own_topic) continue;
    if (value) {
      own_[key] = *value;
    } else {
      own_.erase(key);
    }
  }
}

std::vector<std::optional<FieldMap>> ConnectorOffsets::offsets(const std::vector<FieldMap>& partitions) {
  bool fresh = false;
  {
    const std::lock_guard lock(mutex_);
    fresh = std::exchange(fresh_, false);
  }
  if (!fresh) {
    if (const auto loaded = load(); !loaded) throw RetriableError("reading offsets: " + loaded.error().message());
  }
  std::vector<std::optional<FieldMap>> out;
  out.reserve(partitions.size());
  for (const FieldMap& partition : partitions) {
    const auto key = offset_key_of(connector_, partition);
    if (!key) throw DataError(key.error().message());
    std::optional<std::string> value;
    {
      const std::lock_guard lock(mutex_);
      value = find(*key);
      known_[*key] = value;
    }
    auto fields = value ? parse_offset_value(*value) : std::nullopt;
    if (value && !fields) log_.warn("the stored offset of source partition " + *key + " cannot be read and is not used");
    out.push_back(std::move(fields));
  }
  return out;
}

OffsetTable ConnectorOffsets::all() const {
  OffsetTable table = global_.of_connector(connector_);
  const std::lock_guard lock(mutex_);
  for (const auto& [key, value] : own_) {
    const auto parsed = protocol::parse_offset_key(key);
    if (parsed && parsed->connector == connector_) table[key] = value;
  }
  return table;
}

std::optional<std::string> ConnectorOffsets::find(const std::string& key) const {
  const auto at = own_.find(key);
  return at != own_.end() ? std::optional(at->second) : global_.get(key);
}

}  // namespace fencepost::runtime
