#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace fencepost::exactly_once {

/// A transactional id as its coordinator, a broker, has it.
struct CoordinatorView {
  std::string state;  ///< Kafka's: Ongoing, PrepareAbort, CompleteCommit, Empty ...
  std::int64_t producer_id = -1;
  std::int16_t epoch = -1;
  Duration timeout{0};
  std::optional<Time> started{};  ///< while a transaction is open
};

/// The task that the id belongs to, as the worker has it that should run it.
struct OwnerView {
  std::string worker;   ///< empty: the task is on no worker
  bool answers = true;  ///< the worker was asked and said what follows
  bool running = false;
  bool open = false;  ///< it holds an open transaction of its own
};

/// What an operator wants to know first.
struct TransactionVerdict {
  bool hangs = false;
  std::string holder;  ///< empty: no transaction is open
  std::string advice;  ///< empty: nothing is to be done
  friend bool operator==(const TransactionVerdict&, const TransactionVerdict&) = default;
};

/// Whether a coordinator's state means that records of this id keep consumers waiting.
[[nodiscard]] bool is_open(const CoordinatorView& coordinator);

/// Does the transaction hang, and who holds it? The owner was asked first and the coordinator after it, then the owner again:
/// `owner` says open where it did so at either time, since a transaction may have begun or ended between the questions.
[[nodiscard]] TransactionVerdict judge_transaction(const CoordinatorView& coordinator, const OwnerView& owner, Time now);

}  // namespace fencepost::exactly_once
