#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "metrics/samples.h"

namespace fencepost::runtime {

/// What a task's transactional client does.
enum class TransactionStage : std::uint8_t { NoClient, Idle, Open, Committing, Aborting };
inline constexpr std::size_t kTransactionStages = 5;
[[nodiscard]] std::string_view to_string(TransactionStage stage);

/// Why a transaction was not committed.
enum class AbortCause : std::uint8_t {
  Timeout,    ///< it ran into transaction.timeout.ms
  Fenced,     ///< another producer took the id
  Failure,    ///< a record or a call failed
  Connector,  ///< the connector wanted it so (transaction.boundary=connector)
  Stopped,    ///< the task ended in the middle of it
  Operator    ///< asked for through REST
};
inline constexpr std::size_t kAbortCauses = 6;
[[nodiscard]] std::string_view to_string(AbortCause cause);

/// Who fenced a task's producer.
enum class Fencer : std::uint8_t { NewerGeneration, ForeignProducer };
inline constexpr std::size_t kFencers = 2;
[[nodiscard]] std::string_view to_string(Fencer fencer);

/// Something that happened, and when.
struct Happening {
  Time at{};
  std::string what;
};

/// What is known of the transactions of one task on this worker, over all its runs here.
struct TransactionFigures {
  TaskId task;
  std::string transactional_id;
  bool running = false;  ///< a run of the task is alive here
  TransactionStage stage = TransactionStage::NoClient;
  std::optional<Time> open_since;
  std::uint64_t uncommitted_records = 0;  ///< of the open transaction: read_committed consumers wait before the first of them
  std::optional<Time> last_commit;
  std::uint64_t commits = 0;
  std::array<std::uint64_t, kAbortCauses> aborts{};
  std::optional<Happening> last_abort;
  std::array<std::uint64_t, kFencers> fenced{};
  std::optional<Happening> last_fenced;  ///< by whom, or why
  std::uint64_t restarts = 0;            ///< begun anew by itself from the committed offsets
  std::optional<Happening> last_restart;
};

/// A task's part of the board: its writer tells what happens. Threads: any.
class TransactionRecord {
 public:
  explicit TransactionRecord(TaskId task, std::string transactional_id);

  void running(bool is);
  void client(bool has);
  void opened();
  /// So many records more are in the open transaction.
  void wrote(std::uint64_t records);
  void committing();
  void committed();
  /// An abort that the task asks for has begun; aborted() follows.
  void aborting();
  void aborted(AbortCause cause, std::string reason);
  void fenced(Fencer by, std::string who);
  void restarted(std::string note);

  /// The next fencing is an operator's doing: the task is to begin anew instead of blaming a foreign producer.
  void expect_abort(std::string reason);
  [[nodiscard]] std::optional<std::string> take_expected_abort();

  [[nodiscard]] TransactionFigures figures() const;

 private:
  mutable std::mutex mutex_;
  TransactionFigures figures_;
  std::optional<std::string> expected_abort_;
};

/// All tasks of this worker that write in transactions. Threads: any.
class TransactionBoard final : public metrics::Source {
 public:
  /// The record of a task; the same one again for its next run, so that what led to that run is still known.
  [[nodiscard]] std::shared_ptr<TransactionRecord> record(const TaskId& task, const std::string& transactional_id);
  /// Null pointer where no run of the task was here.
  [[nodiscard]] std::shared_ptr<TransactionRecord> find(const TaskId& task) const;
  void measure(metrics::Samples& into) const override;

 private:
  mutable std::mutex mutex_;
  std::map<TaskId, std::shared_ptr<TransactionRecord>> records_;
};

}  // namespace fencepost::runtime
