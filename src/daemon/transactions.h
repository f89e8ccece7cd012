#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "daemon/wire_client.h"
#include "fencer/fencer.h"
#include "rest/port.h"
#include "runtime/transaction_board.h"

namespace fencepost::daemon {

/// The number of the task that a transactional id of this group and connector belongs to; nothing for another's id.
[[nodiscard]] std::optional<std::int32_t> task_of_transactional_id(std::string_view id, std::string_view group,
                                                                   std::string_view connector);

/// What brokers and this worker's tasks say of a connector's transactions, put together, and the end of one that hangs.
///
/// Threads: any. The wire client outlives the last question that is under way.
class Transactions : public std::enable_shared_from_this<Transactions> {
 public:
  Transactions(std::string group, WireClient& wire, std::shared_ptr<runtime::TransactionBoard> board, Log log);

  void describe(const rest::TransactionsQuery& query, std::function<void(Result<std::vector<std::string>>)> done);
  void abort(const rest::TransactionAbort& order, std::function<void(Result<std::string>)> done);
  [[nodiscard]] std::string metrics() const;

 private:
  struct Row;
  using Done = std::function<void(Result<std::vector<std::string>>)>;
  [[nodiscard]] std::string id_of(const std::string& connector, std::int32_t task) const;
  [[nodiscard]] Row look_here(const rest::TransactionsQuery& query, std::int32_t task) const;
  void describe_with(fencer::Fencer& fencer, const rest::TransactionsQuery& query, Done done);
  static void ask_coordinators(fencer::Fencer& fencer, const rest::TransactionsQuery& query, std::vector<Row> rows, Done done);
  void abort_with(fencer::Fencer& fencer, const std::string& id, const std::shared_ptr<runtime::TransactionRecord>& record,
                  std::function<void(Result<std::string>)> done);

  std::string group_;
  WireClient& wire_;
  std::shared_ptr<runtime::TransactionBoard> board_;
  Log log_;
};

}  // namespace fencepost::daemon
