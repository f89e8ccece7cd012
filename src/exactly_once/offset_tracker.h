#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fencepost::exactly_once {

/// Which source offsets may be committed where records are acknowledged one by one (exactly once off): of each source partition
/// the offset of the newest record such that it and all before it are acknowledged, whatever the order of the acknowledgements.
///
/// Partitions and offsets are the bytes of the offsets topic's keys and values. Single-threaded. Memory grows with the records in
/// flight, whose bytes the runtime bounds.
class OffsetTracker {
 public:
  /// A source partition, interned: look it up once, not for each record.
  struct Partition {
    std::uint32_t index = 0;
    friend bool operator==(const Partition&, const Partition&) = default;
  };
  /// One record on its way.
  struct Submitted {
    Partition partition;
    std::uint64_t sequence = 0;
    friend bool operator==(const Submitted&, const Submitted&) = default;
  };
  struct Committable {
    std::map<std::string, std::optional<std::string>> offsets;  ///< newest committable offset by partition
    std::size_t acknowledged = 0;                               ///< records that these offsets cover
    std::size_t waiting = 0;    ///< records still without an acknowledgement before them or of their own
    std::string longest_queue;  ///< the partition with most of them, for the log
  };

  [[nodiscard]] Partition partition(const std::string& key);
  /// A record is about to be sent.
  [[nodiscard]] Submitted submit(Partition partition, std::optional<std::string> offset);
  /// It was written, or dropped by a transform or an error policy.
  void acknowledge(Submitted record);
  /// It was not sent after all, and will be submitted again: as if it had never been.
  void withdraw(Submitted record);
  /// The offsets to commit now; what they cover is forgotten. If the commit then fails, give them to restore().
  [[nodiscard]] Committable take_committable();
  /// Offsets whose commit failed are offered again, unless newer ones have come.
  void restore(const Committable& failed);
  [[nodiscard]] std::size_t in_flight() const;

 private:
  enum class State : std::uint8_t { Waiting, Done, Withdrawn };
  struct Entry {
    std::optional<std::string> offset;
    State state = State::Waiting;
  };
  struct Queue {
    std::string key;
    std::uint64_t first = 0;  ///< sequence of the front entry
    std::deque<Entry> entries;
  };

  std::map<std::string, std::uint32_t> index_;
  std::vector<Queue> queues_;
  std::map<std::string, std::optional<std::string>> restored_;
};

/// The offsets of an open transaction: of each partition the last one wins. Single-threaded.
class TransactionOffsets {
 public:
  void put(const std::string& partition, std::optional<std::string> offset) { offsets_[partition] = std::move(offset); }
  [[nodiscard]] bool empty() const { return offsets_.empty(); }
  /// What to produce before the commit.
  [[nodiscard]] const std::map<std::string, std::optional<std::string>>& offsets() const { return offsets_; }
  /// Committed, or gone with the transaction.
  void clear() { offsets_.clear(); }

 private:
  std::map<std::string, std::optional<std::string>> offsets_;
};

}  // namespace fencepost::exactly_once
