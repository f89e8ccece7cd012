#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "wire/types.h"

namespace fencepost::wire {

struct InitProducerIdResponse {
  static constexpr Api kApi{.key = 22, .name = "InitProducerIdResponse", .versions = {0, 5}, .flexible_since = 2};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = 0;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms);
    v.field("ErrorCode", m.error_code);
    v.field("ProducerId", m.producer_id);
    v.field("ProducerEpoch", m.producer_epoch);
  }
  friend bool operator==(const InitProducerIdResponse&, const InitProducerIdResponse&) = default;
};

/// With producer id and epoch -1 it bumps the epoch of the transactional id and aborts its open transaction. Version 6 is marked
/// unstable by Kafka and is left out.
struct InitProducerIdRequest {
  static constexpr Api kApi{.key = 22, .name = "InitProducerIdRequest", .versions = {0, 5}, .flexible_since = 2};
  using Response = InitProducerIdResponse;

  std::optional<std::string> transactional_id;
  std::int32_t transaction_timeout_ms = 0;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;

  static void describe(auto& m, auto& v) {
    v.field("TransactionalId", m.transactional_id);
    v.field("TransactionTimeoutMs", m.transaction_timeout_ms);
    v.field("ProducerId", m.producer_id, since(3));
    v.field("ProducerEpoch", m.producer_epoch, since(3));
  }
  friend bool operator==(const InitProducerIdRequest&, const InitProducerIdRequest&) = default;
};

}  // namespace fencepost::wire
