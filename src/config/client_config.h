#pragma once

#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/properties.h"
#include "config/worker_config.h"

/// Which settings each Kafka client gets, by their Java names, as a Java worker would give them. Translation to librdkafka is the
/// kafka folder's.
///
///   client                                inherits                            then             then (connector's config)
///   the worker's own (stores, leader)     worker-level client settings        -                -
///   a task's producer                     bootstrap.servers only              producer.        producer.override.
///   a sink task's consumer                bootstrap.servers only              consumer.        consumer.override.
///   a connector's or task's admin         worker-level client settings        admin.           admin.override.
/// So security must be given again as producer.* and consumer.*, as Java's operators know.
namespace fencepost::config {

enum class ClientKind : std::uint8_t { Producer, Consumer, Admin };

/// A client of the worker itself. `purpose` is the end of its client id: "configs", "offsets", "statuses", "leader".
/// A consumer reads committed records only where exactly once is enabled.
[[nodiscard]] Properties worker_client(const WorkerConfig& worker, ClientKind kind, std::string_view purpose);

/// The producer of a source task, or (with another client id) of a dead letter queue: acks=all, without a time limit on delivery;
/// with a transactional id where the worker does exactly once.
[[nodiscard]] Properties source_producer(const WorkerConfig& worker, const TaskId& task, const Properties& connector);
[[nodiscard]] Properties dead_letter_producer(const WorkerConfig& worker, const TaskId& task, const Properties& connector);

/// The consumer of a sink task: group connect-NAME unless overridden, starts at the earliest record, offsets are committed by the
/// runtime.
[[nodiscard]] Properties sink_consumer(const WorkerConfig& worker, const TaskId& task, const Properties& connector);

/// The consumer that reads a source connector's own offsets topic: no group, committed records only where exactly once is
/// enabled.
[[nodiscard]] Properties offsets_consumer(const WorkerConfig& worker, const TaskId& task, const Properties& connector);

/// The admin client of a task or connector: creates topics.
[[nodiscard]] Properties connector_admin(const WorkerConfig& worker, std::string_view client_id_end, const Properties& connector);

/// GROUP-CONNECTOR-TASK (KIP-618).
[[nodiscard]] std::string task_transactional_id(const WorkerConfig& worker, const TaskId& task);
/// The consumer group of a sink connector.
[[nodiscard]] std::string sink_group(const Properties& connector, std::string_view connector_name);

}  // namespace fencepost::config
