#include "kafka/native.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace fencepost::kafka::native {

Result<Conf> make_conf(const Translated& settings) {
  Conf conf(rd_kafka_conf_new());
  std::array<char, 512> text{};
  for (const auto& [name, value] : settings.settings) {
    if (rd_kafka_conf_set(conf.get(), name.c_str(), value.c_str(), text.data(), text.size()) == RD_KAFKA_CONF_OK) continue;
    const bool secret = name.find("password") != std::string::npos || name.ends_with(".pem");
    return failure(ErrorKind::InvalidConfig,
                   fmt::format("client setting {}: {}", name, secret ? "the value is refused" : text.data()));
  }
  return conf;
}

Result<Client> make_client(rd_kafka_type_t type, Conf conf) {
  std::array<char, 512> text{};
  Client client(rd_kafka_new(type, conf.get(), text.data(), text.size()));
  if (!client) return failure(ErrorKind::InvalidConfig, fmt::format("the Kafka client cannot be made: {}", text.data()));
  conf.release();  // rd_kafka_new took it over
  return client;
}

ErrorKind kind_of(rd_kafka_resp_err_t code) {
  switch (code) {
    case RD_KAFKA_RESP_ERR__FENCED:
    case RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH:
    case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
    case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
      return ErrorKind::Fenced;
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR__QUEUE_FULL:
      return ErrorKind::Timeout;
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__RESOLVE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_FENCED_LEADER_EPOCH:  // the client's metadata is older than the leader, or newer
    case RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_KAFKA_STORAGE_ERROR:
    case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
    case RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_NOT_CONTROLLER:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
    case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
    case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
      return ErrorKind::Unavailable;
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND:
      return ErrorKind::NotFound;
    case RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS:
    case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_ILLEGAL_GENERATION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID:
    case RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP:
      return ErrorKind::Conflict;
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
      return ErrorKind::Forbidden;
    case RD_KAFKA_RESP_ERR_INVALID_CONFIG:
    case RD_KAFKA_RESP_ERR_INVALID_PARTITIONS:
    case RD_KAFKA_RESP_ERR_INVALID_REPLICATION_FACTOR:
    case RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
    case RD_KAFKA_RESP_ERR__INVALID_ARG:
      return ErrorKind::InvalidConfig;
    default:
      return ErrorKind::Failed;
  }
}

Error to_error(rd_kafka_resp_err_t code, const std::string& what) {
  return {kind_of(code), fmt::format("{}: {} ({})", what, rd_kafka_err2str(code), rd_kafka_err2name(code))};
}

void write_log(const Log& log, int level, const char* facility, const char* text) {
  const LogLevel mapped = level <= 2   ? LogLevel::Error
                          : level <= 4 ? LogLevel::Warn
                          : level <= 5 ? LogLevel::Info
                          : level <= 6 ? LogLevel::Debug
                                       : LogLevel::Trace;
  if (log.enabled(mapped)) log.write(mapped, fmt::format("librdkafka {}: {}", facility, text));
}

int remaining_ms(std::chrono::steady_clock::time_point deadline, std::chrono::milliseconds at_most) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp(left, std::chrono::milliseconds(0), at_most).count());
}

}  // namespace fencepost::kafka::native
