#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"

namespace fencepost::exactly_once {

/// transaction.boundary: each batch, every so often, or where the connector says (KIP-618).
enum class Boundary : std::uint8_t { Poll, Interval, Connector };

/// What the connector asked of its TransactionContext.
enum class BoundaryRequest : std::uint8_t { Commit, Abort };

/// One poll's result. `on_record`: requests that name a record of this batch, by its index, in order; `on_batch`: the one that
/// names none. A batch without records still counts, as the interval may be over.
struct BatchPolled {
  std::size_t records = 0;
  std::vector<std::pair<std::size_t, BoundaryRequest>> on_record;
  std::optional<BoundaryRequest> on_batch;
  friend bool operator==(const BatchPolled&, const BatchPolled&) = default;
};

/// The connector asked for both ends of one transaction: after this record, or after the batch. Either choice may lose records or
/// show unfinished ones, so the task has to fail.
struct ContradictingRequests {
  std::optional<std::size_t> record;
  friend bool operator==(const ContradictingRequests&, const ContradictingRequests&) = default;
};

/// Collects what the connector asks for during one poll, which its own code cannot swallow.
class BoundaryRequests {
 public:
  void after_batch(BoundaryRequest request) { on_batch_.insert(request); }
  void after_record(std::size_t index, BoundaryRequest request) { on_record_[index].insert(request); }
  /// What was asked for since the last call, in the order of the records.
  [[nodiscard]] std::variant<BatchPolled, ContradictingRequests> take();

 private:
  std::set<BoundaryRequest> on_batch_;
  std::map<std::size_t, std::set<BoundaryRequest>> on_record_;
};

// What to do with the batch, in this order.

/// No transaction is open: begin one.
struct Begin {
  friend bool operator==(const Begin&, const Begin&) = default;
};
/// Produce the records [from, to) of the batch. Dropped ones leave their offsets behind all the same.
struct Send {
  std::size_t from = 0;
  std::size_t to = 0;
  friend bool operator==(const Send&, const Send&) = default;
};
/// Produce the offsets that have come together, then commit. Also where all records were dropped: offsets alone move.
struct Commit {
  friend bool operator==(const Commit&, const Commit&) = default;
};
/// Abort the open transaction. Its records are gone; their offsets stay among those to be committed, as the connector has chosen
/// to drop these records and must not be made to read them again.
struct Abort {
  friend bool operator==(const Abort&, const Abort&) = default;
};
/// Abort, and forget the offsets too: the task must go on from the committed ones, which takes a new start.
struct AbortAndRewind {
  friend bool operator==(const AbortAndRewind&, const AbortAndRewind&) = default;
};
using Step = std::variant<Begin, Send, Commit, Abort, AbortAndRewind>;
using Steps = std::vector<Step>;

/// When a transaction begins and ends. One object for one run of a task; single-threaded.
class TransactionBoundary {
 public:
  /// `interval` counts for Boundary::Interval alone; `now` begins the first one.
  TransactionBoundary(Boundary boundary, Duration interval, Time now);

  [[nodiscard]] Steps on_batch(const BatchPolled& batch, Time now);
  /// The task is paused or stops: what is complete is committed. Under Boundary::Connector an open transaction is not ours to
  /// commit, and it would time out: it is taken back.
  [[nodiscard]] Steps on_end();
  /// The open transaction is gone (an error took it, or the client was replaced).
  void on_lost();

  [[nodiscard]] bool open() const { return open_; }
  /// When on_batch() should be called even if the connector has nothing (an empty batch then).
  [[nodiscard]] std::optional<Time> next_commit() const;

 private:
  void send(Steps& steps, std::size_t from, std::size_t to);
  void finish(Steps& steps, BoundaryRequest request);

  Boundary boundary_;
  Duration interval_;
  Time last_commit_;
  bool open_ = false;
};

[[nodiscard]] std::string describe(const Step& step);

}  // namespace fencepost::exactly_once
