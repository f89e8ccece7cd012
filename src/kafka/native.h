#pragma once

// librdkafka's handles with owners. For the .cc files of this folder; what others include shows no type of librdkafka.

#include <librdkafka/rdkafka.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "kafka/client_settings.h"

namespace fencepost::kafka::native {

template <auto Destroy>
struct Destroyer {
  template <class T>
  void operator()(T* handle) const {
    Destroy(handle);
  }
};

using Client = std::unique_ptr<rd_kafka_t, Destroyer<rd_kafka_destroy>>;
using Conf = std::unique_ptr<rd_kafka_conf_t, Destroyer<rd_kafka_conf_destroy>>;
using TopicConf = std::unique_ptr<rd_kafka_topic_conf_t, Destroyer<rd_kafka_topic_conf_destroy>>;
using Topic = std::unique_ptr<rd_kafka_topic_t, Destroyer<rd_kafka_topic_destroy>>;
using Queue = std::unique_ptr<rd_kafka_queue_t, Destroyer<rd_kafka_queue_destroy>>;
using Partitions = std::unique_ptr<rd_kafka_topic_partition_list_t, Destroyer<rd_kafka_topic_partition_list_destroy>>;
using Event = std::unique_ptr<rd_kafka_event_t, Destroyer<rd_kafka_event_destroy>>;
using AdminOptions = std::unique_ptr<rd_kafka_AdminOptions_t, Destroyer<rd_kafka_AdminOptions_destroy>>;
using NativeError = std::unique_ptr<rd_kafka_error_t, Destroyer<rd_kafka_error_destroy>>;

/// Applies the settings. The error names librdkafka's setting; values of secrets are not in it.
[[nodiscard]] Result<Conf> make_conf(const Translated& settings);

/// Takes the configuration over, with `opaque` for its callbacks.
[[nodiscard]] Result<Client> make_client(rd_kafka_type_t type, Conf conf);

/// The kind that a code of librdkafka or the broker stands for.
[[nodiscard]] ErrorKind kind_of(rd_kafka_resp_err_t code);
[[nodiscard]] Error to_error(rd_kafka_resp_err_t code, const std::string& what);

/// Writes librdkafka's own log lines: what it calls an error is mostly a connection that will be made again, so a warning.
void write_log(const Log& log, int level, const char* facility, const char* text);

/// What is left until a deadline, in librdkafka's milliseconds: never negative, never "for ever".
[[nodiscard]] int remaining_ms(std::chrono::steady_clock::time_point deadline, std::chrono::milliseconds at_most);

}  // namespace fencepost::kafka::native
