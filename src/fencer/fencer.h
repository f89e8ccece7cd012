#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "net/cluster.h"

namespace fencepost::fencer {

/// A transactional id after its epoch was bumped: whoever used an older epoch is fenced, and its open transaction is aborted.
struct FencedProducer {
  std::int64_t producer_id = -1;
  std::int16_t epoch = -1;
  friend bool operator==(const FencedProducer&, const FencedProducer&) = default;
};
/// By transactional id.
using Fenced = std::map<std::string, Result<FencedProducer>>;

/// A transaction as its coordinator lists it.
struct ListedTransaction {
  std::string transactional_id;
  std::int64_t producer_id = -1;
  std::string state;  ///< Kafka's: Ongoing, PrepareAbort, CompleteCommit, Empty ...
};

struct TransactionDetails {
  std::int64_t producer_id = -1;
  std::int16_t epoch = -1;
  std::string state;
  Duration timeout{};
  Time started{};  ///< meaningful while a transaction is open
  std::vector<std::string> topics;
};

/// What a fence asks for. The transaction timeout is the one that the ids' next producers will use; a broker refuses one above
/// its transaction.max.timeout.ms.
struct FenceOrder {
  std::vector<std::string> transactional_ids;
  Duration transaction_timeout{60'000};
  Duration timeout{30'000};
};

class Fencing;

/// Bumps epochs of transactional ids on the wire: all ids of one coordinator pipelined on one connection, repeated with back-off
/// while the coordinator still aborts an open transaction or loads. Cheap for one id, and below a second for a thousand.
///
/// Threads: methods from any; callbacks on the loop's thread, exactly once, but not after its destruction. The cluster outlives
///          it, and it is destroyed on the loop's thread or after the loop has stopped.
class Fencer {
 public:
  Fencer(net::Cluster& cluster, Log log);
  ~Fencer();
  Fencer(const Fencer&) = delete;
  Fencer& operator=(const Fencer&) = delete;

  /// Each id's outcome. Repeating a fence is harmless: it bumps the epoch once more.
  void fence(FenceOrder order, std::function<void(Fenced)> done);

  /// All transactions of all coordinators; an error only where none could be asked.
  void list_transactions(Duration timeout, std::function<void(Result<std::vector<ListedTransaction>>)> done);
  using Described = std::map<std::string, Result<TransactionDetails>>;
  void describe_transactions(std::vector<std::string> transactional_ids, Duration timeout, std::function<void(Described)> done);

 private:
  net::Cluster& cluster_;
  Log log_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::map<std::uint64_t, std::shared_ptr<Fencing>> running_;
  std::uint64_t next_ = 0;
};

/// The first failure of a fence as one error that names the id and how many others failed; nothing where all went well.
[[nodiscard]] std::optional<Error> first_failure(const Fenced& fenced);

}  // namespace fencepost::fencer
