#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fencepost::wire {

/// Kafka's error codes that code here tells apart.
enum class ErrorCode : std::int16_t {
  UnknownServerError = -1,
  None = 0,
  RequestTimedOut = 7,
  CoordinatorLoadInProgress = 14,
  CoordinatorNotAvailable = 15,
  NotCoordinator = 16,
  IllegalGeneration = 22,
  InconsistentGroupProtocol = 23,
  UnknownMemberId = 25,
  RebalanceInProgress = 27,
  UnsupportedSaslMechanism = 33,
  UnsupportedVersion = 35,
  InvalidProducerEpoch = 47,
  InvalidTransactionTimeout = 50,
  ConcurrentTransactions = 51,
  MemberIdRequired = 79,
  FencedInstanceId = 82,
  ProducerFenced = 90,
  TransactionalIdNotFound = 105,
};

/// One row of the table of codes: Kafka's name and what it means for us.
struct ErrorRow {
  std::int16_t code;
  std::string_view name;
  ErrorKind kind;
};

/// Every code that Kafka 4.3 has, but NONE.
[[nodiscard]] std::span<const ErrorRow> error_table();

[[nodiscard]] constexpr std::int16_t to_number(ErrorCode code) { return static_cast<std::int16_t>(code); }

/// "ILLEGAL_GENERATION", "NONE"; "error 4711" for a code that is newer than this table.
[[nodiscard]] std::string error_name(std::int16_t code);
/// Failed for a code that is newer than this table.
[[nodiscard]] ErrorKind error_kind(std::int16_t code);
/// A code as an error: "joining group g: ILLEGAL_GENERATION (22)", and what the broker itself said, where it did.
[[nodiscard]] Error to_error(std::int16_t code, std::string_view doing, std::string_view broker_says = {});

}  // namespace fencepost::wire
