#include "kafka/client_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kafka/client_settings_table.h"

namespace fencepost::kafka {
namespace table {
namespace {

constexpr unsigned kP = 1;
constexpr unsigned kC = 2;
constexpr unsigned kA = 4;
constexpr unsigned kAll = kP | kC | kA;

// The one table: Java's name, whose client knows it, what happens to it, librdkafka's name and its range.
constexpr Row kRows[] = {
    {"bootstrap.servers", kAll, Rule::Endpoints, "bootstrap.servers"},
    {"client.id", kAll, Rule::Copy, "client.id"},
    {"client.dns.lookup", kAll, Rule::Copy, "client.dns.lookup"},
    {"client.rack", kC, Rule::Copy, "client.rack"},
    {"connections.max.idle.ms", kAll, Rule::Number, "connections.max.idle.ms"},
    {"default.api.timeout.ms", kC | kA, Rule::Ours},
    {"enable.metrics.push", kAll, Rule::Flag, "enable.metrics.push"},
    {"metadata.max.age.ms", kAll, Rule::Number, "topic.metadata.refresh.interval.ms", 10, 3'600'000},
    {"metadata.recovery.rebootstrap.trigger.ms", kAll, Rule::Number, "metadata.recovery.rebootstrap.trigger.ms"},
    {"metadata.recovery.strategy", kAll, Rule::Lower, "metadata.recovery.strategy"},
    {"receive.buffer.bytes", kAll, Rule::Number, "socket.receive.buffer.bytes", 0, 100'000'000},
    {"reconnect.backoff.max.ms", kAll, Rule::Number, "reconnect.backoff.max.ms", 0, 3'600'000},
    {"reconnect.backoff.ms", kAll, Rule::Number, "reconnect.backoff.ms", 0, 3'600'000},
    {"request.timeout.ms", kAll, Rule::Number, "socket.timeout.ms", 10, 300'000},
    {"retry.backoff.max.ms", kAll, Rule::Number, "retry.backoff.max.ms", 1, 300'000},
    {"retry.backoff.ms", kAll, Rule::Number, "retry.backoff.ms", 1, 300'000},
    {"send.buffer.bytes", kAll, Rule::Number, "socket.send.buffer.bytes", 0, 100'000'000},
    {"socket.connection.setup.timeout.ms", kAll, Rule::Number, "socket.connection.setup.timeout.ms", 1'000},
    {"socket.connection.setup.timeout.max.ms", kAll, Rule::NoCounterpart},
    {"security.protocol", kAll, Rule::Lower, "security.protocol"},
    {"sasl.mechanism", kAll, Rule::Copy, "sasl.mechanism"},
    {"sasl.jaas.config", kAll, Rule::Ours},
    {"sasl.kerberos.service.name", kAll, Rule::Copy, "sasl.kerberos.service.name"},
    {"sasl.kerberos.min.time.before.relogin", kAll, Rule::Number, "sasl.kerberos.min.time.before.relogin", 0, 86'400'000},
    {"sasl.kerberos.kinit.cmd", kAll, Rule::NoCounterpart},
    {"ssl.cipher.suites", kAll, Rule::Ours},
    {"ssl.endpoint.identification.algorithm", kAll, Rule::Ours},
    {"ssl.key.password", kAll, Rule::Ours},
    {"ssl.keystore.certificate.chain", kAll, Rule::Ours},
    {"ssl.keystore.key", kAll, Rule::Ours},
    {"ssl.keystore.location", kAll, Rule::Ours},
    {"ssl.keystore.password", kAll, Rule::Ours},
    {"ssl.keystore.type", kAll, Rule::Ours},
    {"ssl.truststore.certificates", kAll, Rule::Ours},
    {"ssl.truststore.location", kAll, Rule::Ours},
    {"ssl.truststore.password", kAll, Rule::Ours},
    {"ssl.truststore.type", kAll, Rule::Ours},

    {"acks", kP, Rule::Ours},
    {"batch.size", kP, Rule::Number, "batch.size", 1},
    {"buffer.memory", kP, Rule::Ours},
    {"compression.gzip.level", kP, Rule::Ours},
    {"compression.lz4.level", kP, Rule::Ours},
    {"compression.type", kP, Rule::Lower, "compression.type"},
    {"compression.zstd.level", kP, Rule::Ours},
    {"delivery.timeout.ms", kP, Rule::Number, "message.timeout.ms", 1},
    {"enable.idempotence", kP, Rule::Ours},
    {"linger.ms", kP, Rule::Number, "linger.ms", 0, 900'000},
    {"max.block.ms", kP, Rule::Ours},
    {"max.in.flight.requests.per.connection", kP, Rule::Number, "max.in.flight.requests.per.connection", 1, 1'000'000},
    {"max.request.size", kP, Rule::Number, "message.max.bytes", 1'000, 1'000'000'000},
    {"retries", kP, Rule::Number, "retries"},
    {"transaction.timeout.ms", kP, Rule::Number, "transaction.timeout.ms", 1'000},
    {"transactional.id", kP, Rule::Copy, "transactional.id"},
    {"transaction.two.phase.commit.enable", kP, Rule::Reserved},

    {"allow.auto.create.topics", kC, Rule::Flag, "allow.auto.create.topics"},
    {"auto.offset.reset", kC, Rule::Ours},
    {"check.crcs", kC, Rule::Flag, "check.crcs"},
    {"fetch.max.bytes", kC, Rule::Number, "fetch.max.bytes", 1'000, 2'147'483'135},
    {"fetch.max.wait.ms", kC, Rule::Number, "fetch.wait.max.ms", 0, 299'000},
    {"fetch.min.bytes", kC, Rule::Number, "fetch.min.bytes", 1},
    {"group.id", kC, Rule::Copy, "group.id"},
    {"group.instance.id", kC, Rule::Copy, "group.instance.id"},
    {"group.protocol", kC, Rule::Lower, "group.protocol"},
    {"group.remote.assignor", kC, Rule::Copy, "group.remote.assignor"},
    {"heartbeat.interval.ms", kC, Rule::Number, "heartbeat.interval.ms", 1, 3'600'000},
    {"isolation.level", kC, Rule::Lower, "isolation.level"},
    {"max.partition.fetch.bytes", kC, Rule::Number, "max.partition.fetch.bytes", 1, 1'000'000'000},
    {"max.poll.interval.ms", kC, Rule::Number, "max.poll.interval.ms", 1, 86'400'000},
    {"max.poll.records", kC, Rule::Ours},
    {"partition.assignment.strategy", kC, Rule::Ours},
    {"session.timeout.ms", kC, Rule::Number, "session.timeout.ms", 1, 3'600'000},

    // Our code says what is committed and how bytes become records, whatever these say; Connect overrides them as well.
    {"enable.auto.commit", kC, Rule::Ours},
    {"auto.commit.interval.ms", kC, Rule::Ours},
    {"key.serializer", kP, Rule::Ours},
    {"value.serializer", kP, Rule::Ours},
    {"key.deserializer", kC, Rule::Ours},
    {"value.deserializer", kC, Rule::Ours},

    {"bootstrap.controllers", kA, Rule::NoCounterpart},
    {"retries", kA, Rule::NoCounterpart},
    {"exclude.internal.topics", kC, Rule::NoCounterpart},
    {"interceptor.classes", kP | kC, Rule::NoCounterpart},
    {"metadata.max.idle.ms", kP, Rule::NoCounterpart},
    {"metric.reporters", kAll, Rule::NoCounterpart},
    {"metrics.num.samples", kAll, Rule::NoCounterpart},
    {"metrics.recording.level", kAll, Rule::NoCounterpart},
    {"metrics.sample.window.ms", kAll, Rule::NoCounterpart},
    {"partitioner.adaptive.partitioning.enable", kP, Rule::NoCounterpart},
    {"partitioner.availability.timeout.ms", kP, Rule::NoCounterpart},
    {"partitioner.class", kP, Rule::NoCounterpart},
    {"partitioner.ignore.keys", kP, Rule::NoCounterpart},
    {"sasl.client.callback.handler.class", kAll, Rule::NoCounterpart},
    {"sasl.kerberos.ticket.renew.jitter", kAll, Rule::NoCounterpart},
    {"sasl.kerberos.ticket.renew.window.factor", kAll, Rule::NoCounterpart},
    {"sasl.login.callback.handler.class", kAll, Rule::NoCounterpart},
    {"sasl.login.class", kAll, Rule::NoCounterpart},
    {"security.providers", kAll, Rule::NoCounterpart},
    {"ssl.enabled.protocols", kAll, Rule::NoCounterpart},
    {"ssl.engine.factory.class", kAll, Rule::NoCounterpart},
    {"ssl.keymanager.algorithm", kAll, Rule::NoCounterpart},
    {"ssl.protocol", kAll, Rule::NoCounterpart},
    {"ssl.provider", kAll, Rule::NoCounterpart},
    {"ssl.secure.random.implementation", kAll, Rule::NoCounterpart},
    {"ssl.trustmanager.algorithm", kAll, Rule::NoCounterpart},
};

unsigned bit(ClientKind kind) { return kind == ClientKind::Producer ? kP : kind == ClientKind::Consumer ? kC : kA; }

}  // namespace

std::string_view name_of(ClientKind kind) {
  return kind == ClientKind::Producer ? "producer" : kind == ClientKind::Consumer ? "consumer" : "admin";
}

const Row* find_row(ClientKind kind, std::string_view java) {
  const auto* at = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& row) { return row.java == java && (row.kinds & bit(kind)) != 0; });
  return at == std::end(kRows) ? nullptr : at;
}

}  // namespace table

using table::find_row;
using table::name_of;
using table::Row;
using table::Rule;

bool is_client_setting(ClientKind kind, std::string_view name) { return find_row(kind, name) != nullptr; }

Properties internal_client_properties(ClientKind kind, const Properties& worker) {
  // What the worker's own membership, REST server and metrics use under the same name.
  constexpr std::array<std::string_view, 10> kWorkers = {
      "group.id",         "client.id",           "session.timeout.ms",      "heartbeat.interval.ms",
      "metric.reporters", "metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms",
      "group.protocol",   "group.instance.id"};
  Properties out;
  for (const auto& [name, value] : worker) {
    const Row* row = find_row(kind, name);
    if (row == nullptr || row->rule == Rule::NoCounterpart) continue;
    if (std::find(kWorkers.begin(), kWorkers.end(), name) == kWorkers.end()) out.set(name, value);
  }
  return out;
}

Properties task_client_properties(ClientKind kind, const Properties& worker, const Properties& defaults,
                                  const Properties& connector_overrides) {
  Properties out = defaults;
  if (const auto* servers = worker.find("bootstrap.servers")) out.set("bootstrap.servers", *servers);
  for (const auto& [name, value] : worker.with_prefix(fmt::format("{}.", name_of(kind)))) out.set(name, value);
  for (const auto& [name, value] : connector_overrides) out.set(name, value);
  return out;
}

Properties source_producer_defaults(Delivery delivery) {
  Properties out{{"acks", "all"}, {"delivery.timeout.ms", "2147483647"}, {"max.block.ms", "9223372036854775807"}};
  if (delivery == Delivery::ExactlyOnce) {
    out.set("enable.idempotence", "true");
  } else {
    out.set("max.in.flight.requests.per.connection", "1");
    out.set("enable.idempotence", "false");
  }
  return out;
}

}  // namespace fencepost::kafka
