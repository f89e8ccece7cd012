#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/types.h"

namespace fencepost::wire {

struct DescribeTransactionsResponse {
  struct Transaction {
    struct Topic {
      std::string topic;
      std::vector<std::int32_t> partitions;

      static void describe(auto& m, auto& v) {
        v.field("Topic", m.topic);
        v.field("Partitions", m.partitions);
      }
      friend bool operator==(const Topic&, const Topic&) = default;
    };

    std::int16_t error_code = 0;
    std::string transactional_id;
    std::string transaction_state;
    std::int32_t transaction_timeout_ms = 0;
    std::int64_t transaction_start_time_ms = 0;
    std::int64_t producer_id = 0;
    std::int16_t producer_epoch = 0;
    std::vector<Topic> topics;

    static void describe(auto& m, auto& v) {
      v.field("ErrorCode", m.error_code);
      v.field("TransactionalId", m.transactional_id);
      v.field("TransactionState", m.transaction_state);
      v.field("TransactionTimeoutMs", m.transaction_timeout_ms);
      v.field("TransactionStartTimeMs", m.transaction_start_time_ms);
      v.field("ProducerId", m.producer_id);
      v.field("ProducerEpoch", m.producer_epoch);
      v.field("Topics", m.topics);
    }
    friend bool operator==(const Transaction&, const Transaction&) = default;
  };

  static constexpr Api kApi{.key = 65, .name = "DescribeTransactionsResponse", .versions = {0, 0}, .flexible_since = 0};

  std::int32_t throttle_time_ms = 0;
  std::vector<Transaction> transaction_states;

  static void describe(auto& m, auto& v) {
    v.field("ThrottleTimeMs", m.throttle_time_ms);
    v.field("TransactionStates", m.transaction_states);
  }
  friend bool operator==(const DescribeTransactionsResponse&, const DescribeTransactionsResponse&) = default;
};

/// Details of transactions, asked of the coordinator of each.
struct DescribeTransactionsRequest {
  static constexpr Api kApi{.key = 65, .name = "DescribeTransactionsRequest", .versions = {0, 0}, .flexible_since = 0};
  using Response = DescribeTransactionsResponse;

  std::vector<std::string> transactional_ids;

  static void describe(auto& m, auto& v) { v.field("TransactionalIds", m.transactional_ids); }
  friend bool operator==(const DescribeTransactionsRequest&, const DescribeTransactionsRequest&) = default;
};

}  // namespace fencepost::wire
