#include "wire/errors.h"

#include <algorithm>
#include <array>

namespace fencepost::wire {
namespace {

// In the order of the codes. Unavailable and Timeout are what the same request may get over by itself.
constexpr auto kErrors = std::to_array<ErrorRow>({
    {-1, "UNKNOWN_SERVER_ERROR", ErrorKind::Failed},
    {1, "OFFSET_OUT_OF_RANGE", ErrorKind::Failed},
    {2, "CORRUPT_MESSAGE", ErrorKind::Corrupt},
    {3, "UNKNOWN_TOPIC_OR_PARTITION", ErrorKind::NotFound},
    {4, "INVALID_FETCH_SIZE", ErrorKind::Failed},
    {5, "LEADER_NOT_AVAILABLE", ErrorKind::Unavailable},
    {6, "NOT_LEADER_OR_FOLLOWER", ErrorKind::Unavailable},
    {7, "REQUEST_TIMED_OUT", ErrorKind::Timeout},
    {8, "BROKER_NOT_AVAILABLE", ErrorKind::Unavailable},
    {9, "REPLICA_NOT_AVAILABLE", ErrorKind::Unavailable},
    {10, "MESSAGE_TOO_LARGE", ErrorKind::InvalidConfig},
    {11, "STALE_CONTROLLER_EPOCH", ErrorKind::Unavailable},
    {12, "OFFSET_METADATA_TOO_LARGE", ErrorKind::Failed},
    {13, "NETWORK_EXCEPTION", ErrorKind::Unavailable},
    {14, "COORDINATOR_LOAD_IN_PROGRESS", ErrorKind::Unavailable},
    {15, "COORDINATOR_NOT_AVAILABLE", ErrorKind::Unavailable},
    {16, "NOT_COORDINATOR", ErrorKind::Unavailable},
    {17, "INVALID_TOPIC_EXCEPTION", ErrorKind::InvalidConfig},
    {18, "RECORD_LIST_TOO_LARGE", ErrorKind::InvalidConfig},
    {19, "NOT_ENOUGH_REPLICAS", ErrorKind::Unavailable},
    {20, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", ErrorKind::Unavailable},
    {21, "INVALID_REQUIRED_ACKS", ErrorKind::InvalidConfig},
    {22, "ILLEGAL_GENERATION", ErrorKind::Conflict},
    {23, "INCONSISTENT_GROUP_PROTOCOL", ErrorKind::InvalidConfig},
    {24, "INVALID_GROUP_ID", ErrorKind::InvalidConfig},
    {25, "UNKNOWN_MEMBER_ID", ErrorKind::Conflict},
    {26, "INVALID_SESSION_TIMEOUT", ErrorKind::InvalidConfig},
    {27, "REBALANCE_IN_PROGRESS", ErrorKind::Conflict},
    {28, "INVALID_COMMIT_OFFSET_SIZE", ErrorKind::InvalidConfig},
    {29, "TOPIC_AUTHORIZATION_FAILED", ErrorKind::Forbidden},
    {30, "GROUP_AUTHORIZATION_FAILED", ErrorKind::Forbidden},
    {31, "CLUSTER_AUTHORIZATION_FAILED", ErrorKind::Forbidden},
    {32, "INVALID_TIMESTAMP", ErrorKind::Failed},
    {33, "UNSUPPORTED_SASL_MECHANISM", ErrorKind::InvalidConfig},
    {34, "ILLEGAL_SASL_STATE", ErrorKind::Failed},
    {35, "UNSUPPORTED_VERSION", ErrorKind::InvalidConfig},
    {36, "TOPIC_ALREADY_EXISTS", ErrorKind::Conflict},
    {37, "INVALID_PARTITIONS", ErrorKind::InvalidConfig},
    {38, "INVALID_REPLICATION_FACTOR", ErrorKind::InvalidConfig},
    {39, "INVALID_REPLICA_ASSIGNMENT", ErrorKind::InvalidConfig},
    {40, "INVALID_CONFIG", ErrorKind::InvalidConfig},
    {41, "NOT_CONTROLLER", ErrorKind::Unavailable},
    {42, "INVALID_REQUEST", ErrorKind::Failed},
    {43, "UNSUPPORTED_FOR_MESSAGE_FORMAT", ErrorKind::Failed},
    {44, "POLICY_VIOLATION", ErrorKind::InvalidConfig},
    {45, "OUT_OF_ORDER_SEQUENCE_NUMBER", ErrorKind::Failed},
    {46, "DUPLICATE_SEQUENCE_NUMBER", ErrorKind::Failed},
    {47, "INVALID_PRODUCER_EPOCH", ErrorKind::Fenced},
    {48, "INVALID_TXN_STATE", ErrorKind::Failed},
    {49, "INVALID_PRODUCER_ID_MAPPING", ErrorKind::Fenced},
    {50, "INVALID_TRANSACTION_TIMEOUT", ErrorKind::InvalidConfig},
    {51, "CONCURRENT_TRANSACTIONS", ErrorKind::Unavailable},
    {52, "TRANSACTION_COORDINATOR_FENCED", ErrorKind::Fenced},
    {53, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED", ErrorKind::Forbidden},
    {54, "SECURITY_DISABLED", ErrorKind::InvalidConfig},
    {55, "OPERATION_NOT_ATTEMPTED", ErrorKind::Failed},
    {56, "KAFKA_STORAGE_ERROR", ErrorKind::Unavailable},
    {57, "LOG_DIR_NOT_FOUND", ErrorKind::NotFound},
    {58, "SASL_AUTHENTICATION_FAILED", ErrorKind::Forbidden},
    {59, "UNKNOWN_PRODUCER_ID", ErrorKind::Failed},
    {60, "REASSIGNMENT_IN_PROGRESS", ErrorKind::Conflict},
    {61, "DELEGATION_TOKEN_AUTH_DISABLED", ErrorKind::Failed},
    {62, "DELEGATION_TOKEN_NOT_FOUND", ErrorKind::NotFound},
    {63, "DELEGATION_TOKEN_OWNER_MISMATCH", ErrorKind::Failed},
    {64, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED", ErrorKind::Failed},
    {65, "DELEGATION_TOKEN_AUTHORIZATION_FAILED", ErrorKind::Forbidden},
    {66, "DELEGATION_TOKEN_EXPIRED", ErrorKind::Failed},
    {67, "INVALID_PRINCIPAL_TYPE", ErrorKind::Failed},
    {68, "NON_EMPTY_GROUP", ErrorKind::Conflict},
    {69, "GROUP_ID_NOT_FOUND", ErrorKind::NotFound},
    {70, "FETCH_SESSION_ID_NOT_FOUND", ErrorKind::Unavailable},
    {71, "INVALID_FETCH_SESSION_EPOCH", ErrorKind::Unavailable},
    {72, "LISTENER_NOT_FOUND", ErrorKind::NotFound},
    {73, "TOPIC_DELETION_DISABLED", ErrorKind::Failed},
    {74, "FENCED_LEADER_EPOCH", ErrorKind::Unavailable},
    {75, "UNKNOWN_LEADER_EPOCH", ErrorKind::Unavailable},
    {76, "UNSUPPORTED_COMPRESSION_TYPE", ErrorKind::InvalidConfig},
    {77, "STALE_BROKER_EPOCH", ErrorKind::Unavailable},
    {78, "OFFSET_NOT_AVAILABLE", ErrorKind::Unavailable},
    {79, "MEMBER_ID_REQUIRED", ErrorKind::Conflict},
    {80, "PREFERRED_LEADER_NOT_AVAILABLE", ErrorKind::Unavailable},
    {81, "GROUP_MAX_SIZE_REACHED", ErrorKind::Unavailable},
    {82, "FENCED_INSTANCE_ID", ErrorKind::Fenced},
    {83, "ELIGIBLE_LEADERS_NOT_AVAILABLE", ErrorKind::Unavailable},
    {84, "ELECTION_NOT_NEEDED", ErrorKind::Unavailable},
    {85, "NO_REASSIGNMENT_IN_PROGRESS", ErrorKind::Failed},
    {86, "GROUP_SUBSCRIBED_TO_TOPIC", ErrorKind::Failed},
    {87, "INVALID_RECORD", ErrorKind::Corrupt},
    {88, "UNSTABLE_OFFSET_COMMIT", ErrorKind::Unavailable},
    {89, "THROTTLING_QUOTA_EXCEEDED", ErrorKind::Unavailable},
    {90, "PRODUCER_FENCED", ErrorKind::Fenced},
    {91, "RESOURCE_NOT_FOUND", ErrorKind::NotFound},
    {92, "DUPLICATE_RESOURCE", ErrorKind::Conflict},
    {93, "UNACCEPTABLE_CREDENTIAL", ErrorKind::Failed},
    {94, "INCONSISTENT_VOTER_SET", ErrorKind::Failed},
    {95, "INVALID_UPDATE_VERSION", ErrorKind::Failed},
    {96, "FEATURE_UPDATE_FAILED", ErrorKind::Failed},
    {97, "PRINCIPAL_DESERIALIZATION_FAILURE", ErrorKind::Failed},
    {98, "SNAPSHOT_NOT_FOUND", ErrorKind::Failed},
    {99, "POSITION_OUT_OF_RANGE", ErrorKind::Failed},
    {100, "UNKNOWN_TOPIC_ID", ErrorKind::NotFound},
    {101, "DUPLICATE_BROKER_REGISTRATION", ErrorKind::Failed},
    {102, "BROKER_ID_NOT_REGISTERED", ErrorKind::Failed},
    {103, "INCONSISTENT_TOPIC_ID", ErrorKind::Unavailable},
    {104, "INCONSISTENT_CLUSTER_ID", ErrorKind::Failed},
    {105, "TRANSACTIONAL_ID_NOT_FOUND", ErrorKind::NotFound},
    {106, "FETCH_SESSION_TOPIC_ID_ERROR", ErrorKind::Unavailable},
    {107, "INELIGIBLE_REPLICA", ErrorKind::Failed},
    {108, "NEW_LEADER_ELECTED", ErrorKind::Failed},
    {109, "OFFSET_MOVED_TO_TIERED_STORAGE", ErrorKind::Failed},
    {110, "FENCED_MEMBER_EPOCH", ErrorKind::Conflict},
    {111, "UNRELEASED_INSTANCE_ID", ErrorKind::Conflict},
    {112, "UNSUPPORTED_ASSIGNOR", ErrorKind::Failed},
    {113, "STALE_MEMBER_EPOCH", ErrorKind::Conflict},
    {114, "MISMATCHED_ENDPOINT_TYPE", ErrorKind::Failed},
    {115, "UNSUPPORTED_ENDPOINT_TYPE", ErrorKind::Failed},
    {116, "UNKNOWN_CONTROLLER_ID", ErrorKind::Failed},
    {117, "UNKNOWN_SUBSCRIPTION_ID", ErrorKind::Failed},
    {118, "TELEMETRY_TOO_LARGE", ErrorKind::Failed},
    {119, "INVALID_REGISTRATION", ErrorKind::Failed},
    {120, "TRANSACTION_ABORTABLE", ErrorKind::Failed},
    {121, "INVALID_RECORD_STATE", ErrorKind::Failed},
    {122, "SHARE_SESSION_NOT_FOUND", ErrorKind::Unavailable},
    {123, "INVALID_SHARE_SESSION_EPOCH", ErrorKind::Unavailable},
    {124, "FENCED_STATE_EPOCH", ErrorKind::Failed},
    {125, "INVALID_VOTER_KEY", ErrorKind::Failed},
    {126, "DUPLICATE_VOTER", ErrorKind::Failed},
    {127, "VOTER_NOT_FOUND", ErrorKind::Failed},
    {128, "INVALID_REGULAR_EXPRESSION", ErrorKind::InvalidConfig},
    {129, "REBOOTSTRAP_REQUIRED", ErrorKind::Unavailable},
    {130, "STREAMS_INVALID_TOPOLOGY", ErrorKind::Failed},
    {131, "STREAMS_INVALID_TOPOLOGY_EPOCH", ErrorKind::Failed},
    {132, "STREAMS_TOPOLOGY_FENCED", ErrorKind::Failed},
    {133, "SHARE_SESSION_LIMIT_REACHED", ErrorKind::Unavailable},
});

const ErrorRow* find(std::int16_t code) {
  const auto* row = std::find_if(kErrors.begin(), kErrors.end(), [code](const ErrorRow& r) { return r.code == code; });
  return row == kErrors.end() ? nullptr : row;
}

}  // namespace

std::span<const ErrorRow> error_table() { return kErrors; }

std::string error_name(std::int16_t code) {
  if (code == 0) return "NONE";
  const ErrorRow* row = find(code);
  return row != nullptr ? std::string(row->name) : "error " + std::to_string(code);
}

ErrorKind error_kind(std::int16_t code) {
  const ErrorRow* row = find(code);
  return row != nullptr ? row->kind : ErrorKind::Failed;
}

Error to_error(std::int16_t code, std::string_view doing, std::string_view broker_says) {
  std::string message = std::string(doing) + ": " + error_name(code) + " (" + std::to_string(code) + ")";
  if (!broker_says.empty()) message += ", the broker says: " + std::string(broker_says);
  return {error_kind(code), std::move(message)};
}

}  // namespace fencepost::wire
