#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "kafka/client_settings.h"
#include "kafka/message.h"

namespace fencepost::kafka {

/// What a call about transactions says when it fails. The flags decide what comes next, never the code alone.
struct TransactionError {
  bool fatal = false;           ///< this producer is dead: make a new one
  bool requires_abort = false;  ///< abort this transaction
  bool retriable = false;       ///< the same call may be repeated: only after the deadline passed or cancel() was called
  bool fenced = false;          ///< someone else uses the transactional id, or the transaction ran into its timeout
  bool timed_out = false;
  std::int32_t code = 0;
  std::string message;

  [[nodiscard]] Error to_error() const;
};
using TransactionResult = tl::expected<void, TransactionError>;

struct OutRecord {
  std::string_view topic;
  std::int32_t partition = -1;  ///< -1: by the key as Java's partitioner does, or spread where there is none
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
  std::int64_t timestamp_ms = -1;  ///< -1: now
  std::span<const HeaderView> headers{};
  std::uint64_t opaque = 0;  ///< comes back in the delivery
};

/// What became of a record: at `offset`, or nowhere.
struct Delivered {
  std::uint64_t opaque = 0;
  std::string_view topic;
  std::int32_t partition = -1;
  std::int64_t offset = -1;
  std::int32_t code = 0;  ///< 0: written
  /// The code in words; empty where it was written.
  [[nodiscard]] std::string reason() const;
  /// Not written because its transaction was aborted, or the producer purged: no failure of its own.
  [[nodiscard]] bool purged() const;
  [[nodiscard]] std::optional<Error> error() const;
};

/// A producer, transactional where the settings have a transactional.id.
///
/// Threads: produce() and the calls about transactions come from one thread; cancel() and deliveries_pending() from any.
/// With Polling::Background a thread of its own brings deliveries; else they come in produce(), poll(), flush(), commit ...
class Producer {
 public:
  using DeliveryCallback = std::function<void(const Delivered&)>;
  enum class Polling : unsigned char { ByCaller, Background };

  /// Errors: InvalidConfig. The broker is not needed yet.
  [[nodiscard]] static Result<std::unique_ptr<Producer>> create(const Translated& settings, Log log, DeliveryCallback delivered,
                                                                Polling polling = Polling::ByCaller);
  /// What is still queued is dropped; flush() before.
  ~Producer();
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  /// Partitions of a topic; NotFound where there is no such topic: librdkafka itself would only tell after the delivery timeout.
  /// Asked before the first record it also spares that record a wait of half a second for the topic's leaders.
  [[nodiscard]] Result<std::int32_t> partition_count(const std::string& topic, std::chrono::milliseconds timeout) const;
  /// Copies the record into the queue. Waits for room at most max.block.ms (Timeout then). Other errors are about this
  /// record (too large, no such partition), say that the producer is dead (Fenced or Failed; see dead()), or that the open
  /// transaction failed before (Conflict): the abort's answer or a delivery tells why.
  [[nodiscard]] Result<void> produce(const OutRecord& record);
  /// Brings deliveries; returns how many events there were.
  int poll(std::chrono::milliseconds timeout);
  /// Waits until every record is delivered or given up.
  [[nodiscard]] Result<void> flush(std::chrono::milliseconds timeout);
  [[nodiscard]] std::size_t deliveries_pending() const;
  /// Drops what is queued and in flight; each gets its delivery with an error.
  void purge();

  // Transactions. Each call is repeated until it succeeds, fails for good or `timeout` is over; a commit that timed out is
  // still in progress: only the same call may follow.
  [[nodiscard]] TransactionResult init_transactions(std::chrono::milliseconds timeout);
  [[nodiscard]] TransactionResult begin();
  [[nodiscard]] TransactionResult commit(std::chrono::milliseconds timeout);
  [[nodiscard]] TransactionResult abort(std::chrono::milliseconds timeout);

  /// Why this producer can do nothing more, if so.
  [[nodiscard]] std::optional<TransactionError> dead() const;
  /// Whether the next transaction should be done by a new producer: it is dead, or a transaction was aborted in which
  /// a delivery had failed (its sequence numbers have a hole then).
  [[nodiscard]] bool spent() const;
  /// A waiting call returns soon with `retriable`; later ones do not wait.
  void cancel();
  [[nodiscard]] std::string_view transactional_id() const;

 private:
  struct State;
  explicit Producer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fencepost::kafka
