#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

struct ListTransactionsResponse {
  struct Transaction {
    std::string transactional_id;
    std::int64_t producer_id = 0;
    std::string transaction_state;

    static void describe(auto& m, auto& v) {
      v.field("TransactionalId", m.transactional_id);
      v.field("ProducerId", m.producer_id);
      v.field("TransactionState", m.transaction_state);
    }
    friend bool operator==(const Transaction&, const Transaction&) = default;
  };

  static constexpr Api kApi{.key = 66, .name = "ListTransactionsResponse", .versions = {0, 2}, .flexible_since = 0};

  std::int32_t throttle_time_ms = 0;
  std::int16_t error_code = 0;
  std::vector<std::string> unknown_state_filters;
  std::vector<Transaction> transaction_states;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms);
    v.field("ErrorCode", m.error_code);
    v.field("UnknownStateFilters", m.unknown_state_filters);
    v.field("TransactionStates", m.transaction_states);
  }
  friend bool operator==(const ListTransactionsResponse&, const ListTransactionsResponse&) = default;
};

/// The transactions that one coordinator knows; to be asked of every broker.
struct ListTransactionsRequest {
  static constexpr Api kApi{.key = 66, .name = "ListTransactionsRequest", .versions = {0, 2}, .flexible_since = 0};
  using Response = ListTransactionsResponse;

  std::vector<std::string> state_filters;
  std::vector<std::int64_t> producer_id_filters;
  std::int64_t duration_filter = -1;
  std::optional<std::string> transactional_id_pattern;

  static void describe(auto& m, auto& v) {
    v.field("StateFilters", m.state_filters);
    v.field("ProducerIdFilters", m.producer_id_filters);
    v.field("DurationFilter", m.duration_filter, since(1));
    v.field("TransactionalIdPattern", m.transactional_id_pattern, since(2));
  }
  friend bool operator==(const ListTransactionsRequest&, const ListTransactionsRequest&) = default;
};

}  // namespace fencepost::wire
