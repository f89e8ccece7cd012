#include "config/client_config.h"

#include <limits>

#include "config/worker_settings.h"

namespace fencepost::config {

namespace {

void add_all(Properties& to, const Properties& from) {
  for (const auto& [name, value] : from) to.set(name, value);
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text.append(text.empty() ? "" : ",").append(item);
  return text;
}

Properties worker_level(const WorkerConfig& worker) {
  Properties out;
  for (const auto& [name, value] : worker.originals) {
    if (is_client_setting(name)) out.set(name, value);
  }
  return out;
}

/// What a producer needs so that no record is lost or passed by another; the operator may change it at his own risk.
void add_producer_defaults(Properties& out) {
  out.set("acks", "all");
  out.set("max.in.flight.requests.per.connection", "1");
  out.set("delivery.timeout.ms", std::to_string(std::numeric_limits<std::int32_t>::max()));
  out.set("enable.idempotence", "false");
}

Properties connector_producer(const WorkerConfig& worker, const std::string& client_id, const Properties& connector) {
  Properties out;
  out.set("bootstrap.servers", joined(worker.bootstrap_servers));
  add_producer_defaults(out);
  out.set("client.id", client_id);
  add_all(out, worker.originals.with_prefix("producer."));
  add_all(out, connector.with_prefix("producer.override."));
  return out;
}

Properties connector_consumer(const WorkerConfig& worker, const std::string& client_id, const std::string& group,
                              const Properties& connector) {
  Properties out;
  out.set("bootstrap.servers", joined(worker.bootstrap_servers));
  out.set("group.id", group);
  out.set("client.id", client_id);
  out.set("enable.auto.commit", "false");
  out.set("auto.offset.reset", "earliest");
  add_all(out, worker.originals.with_prefix("consumer."));
  add_all(out, connector.with_prefix("consumer.override."));
  return out;
}

}  // namespace

std::string task_transactional_id(const WorkerConfig& worker, const TaskId& task) {
  return worker.group_id + "-" + task.to_string();
}

std::string sink_group(const Properties& connector, std::string_view connector_name) {
  return connector.get_or("consumer.override.group.id", "connect-" + std::string(connector_name));
}

Properties worker_client(const WorkerConfig& worker, ClientKind kind, std::string_view purpose) {
  Properties out = worker_level(worker);
  out.set("client.id", worker.client_id + "-" + std::string(purpose));
  if (kind == ClientKind::Producer) add_producer_defaults(out);
  if (kind == ClientKind::Consumer) {
    out.set("enable.auto.commit", "false");
    out.set("auto.offset.reset", "earliest");
    if (worker.exactly_once == ExactlyOnceSource::Enabled) out.set("isolation.level", "read_committed");
  }
  return out;
}

Properties source_producer(const WorkerConfig& worker, const TaskId& task, const Properties& connector) {
  Properties out = connector_producer(worker, "connector-producer-" + task.to_string(), connector);
  if (worker.exactly_once == ExactlyOnceSource::Enabled) {
    // These are what the guarantee stands on, so nobody overrides them.
    out.set("enable.idempotence", "true");
    out.set("transactional.id", task_transactional_id(worker, task));
  }
  return out;
}

Properties dead_letter_producer(const WorkerConfig& worker, const TaskId& task, const Properties& connector) {
  return connector_producer(worker, "connector-dlq-producer-" + task.to_string(), connector);
}

Properties sink_consumer(const WorkerConfig& worker, const TaskId& task, const Properties& connector) {
  return connector_consumer(worker, "connector-consumer-" + task.to_string(), sink_group(connector, task.connector), connector);
}

Properties offsets_consumer(const WorkerConfig& worker, const TaskId& task, const Properties& connector) {
  Properties out = connector_consumer(worker, "connector-consumer-" + task.to_string(), "", connector);
  out.erase("group.id");
  if (worker.exactly_once == ExactlyOnceSource::Enabled) out.set("isolation.level", "read_committed");
  return out;
}

Properties connector_admin(const WorkerConfig& worker, std::string_view client_id_end, const Properties& connector) {
  Properties out = worker_level(worker);
  out.set("bootstrap.servers", joined(worker.bootstrap_servers));
  out.set("client.id", "connector-adminclient-" + std::string(client_id_end));
  add_all(out, worker.originals.with_prefix("admin."));
  add_all(out, connector.with_prefix("admin.override."));
  return out;
}

}  // namespace fencepost::config
