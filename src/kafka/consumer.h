#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "kafka/client_settings.h"
#include "kafka/message.h"

namespace fencepost::kafka {

/// First and next offset of a partition; under read_committed `end` is the last stable offset.
struct Watermarks {
  std::int64_t beginning = 0;
  std::int64_t end = 0;
};

/// Which offset of a partition offsets_at() asks for: kOffsetBeginning, kOffsetEnd, or the first at or after a timestamp.
struct OffsetQuestion {
  TopicPartition at;
  std::int64_t when = kOffsetEnd;
};

/// What both consumers can do. Threads: one thread uses it; wakeup() may come from any.
class Consumer {
 public:
  virtual ~Consumer() = default;
  Consumer(const Consumer&) = delete;
  Consumer& operator=(const Consumer&) = delete;

  /// Waits for records, ends of partitions or errors of partitions and returns at once when there are any; at most
  /// `messages_max` (the settings' max.poll.records by default). An empty batch is normal: the time was over, wakeup() was
  /// called, or something without a record moved the positions. The error is a client that is of no more use.
  [[nodiscard]] Result<BatchPtr> poll(std::chrono::milliseconds timeout, std::size_t messages_max = 0);
  void wakeup();
  /// The callback comes from librdkafka's threads whenever records wait after there were none: quick, no call of this client.
  void on_records_waiting(std::function<void()> callback);

  /// The offset after the last record that was handed out, markers of transactions included; nothing before the first.
  [[nodiscard]] std::optional<std::int64_t> position(const TopicPartition& at) const;
  [[nodiscard]] Result<void> pause(const std::vector<TopicPartition>& partitions);
  [[nodiscard]] Result<void> resume(const std::vector<TopicPartition>& partitions);
  /// Records already fetched from the old place are dropped. Blocks until the fetchers have moved.
  [[nodiscard]] Result<void> seek(const std::vector<PartitionOffset>& to, std::chrono::milliseconds timeout);

  // Questions about offsets go by the connections that fetch, so an answer may have to wait for a fetch that waits for records
  // (fetch.max.wait.ms). Admin::end_offsets() does not.

  /// One request a broker; the answers in the order of the questions. A question by time without a later record: kOffsetEnd.
  [[nodiscard]] Result<std::vector<PartitionOffset>> offsets_at(const std::vector<OffsetQuestion>& questions,
                                                                std::chrono::milliseconds timeout) const;
  [[nodiscard]] Result<Watermarks> watermarks(const TopicPartition& at, std::chrono::milliseconds timeout) const;
  /// The watermarks that came with the last fetch: no request, and unknown before one.
  [[nodiscard]] std::optional<Watermarks> last_known_watermarks(const TopicPartition& at) const;
  /// Partitions of a topic; NotFound where there is no such topic.
  [[nodiscard]] Result<std::int32_t> partition_count(const std::string& topic, std::chrono::milliseconds timeout) const;

 protected:
  struct State;
  explicit Consumer(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;  ///< batches share it
};

/// Reads partitions that it is told to read, outside of any group: nothing is committed.
class AssignedConsumer final : public Consumer {
 public:
  /// `partition_ends`: whether batches tell ends. Settings need not have a group.id.
  [[nodiscard]] static Result<std::unique_ptr<AssignedConsumer>> create(const Translated& settings, Log log,
                                                                        bool partition_ends = false);
  ~AssignedConsumer() override;

  /// Adds partitions to read, each from its offset. Partitions that were read before begin anew there.
  [[nodiscard]] Result<void> start(const std::vector<PartitionOffset>& from);
  /// Reads these no more.
  void stop(const std::vector<TopicPartition>& partitions);

 private:
  using Consumer::Consumer;
};

/// Told about partitions that come and go, on the thread of poll(); must not throw.
struct RebalanceListener {
  /// Before fetching begins. The listener may change where to begin; `offset` is kOffsetStored unless it does.
  std::function<void(std::vector<PartitionOffset>& partitions)> assigned;
  /// The partitions are still owned: what is finished may be committed. With `lost` they are not: others may have them.
  std::function<void(const std::vector<TopicPartition>& partitions, bool lost)> revoked;
};

/// A member of a consumer group; commits by hand only.
class GroupConsumer final : public Consumer {
 public:
  using CommitCallback = std::function<void(const Result<void>&)>;

  [[nodiscard]] static Result<std::unique_ptr<GroupConsumer>> create(const Translated& settings, Log log,
                                                                     RebalanceListener listener);
  /// Leaves the group; the listener hears of the last revocation in here.
  ~GroupConsumer() override;

  /// Topic names, in place of those before; none: it leaves the group.
  [[nodiscard]] Result<void> subscribe(const std::vector<std::string>& topics);
  /// Waits for the answer.
  [[nodiscard]] Result<void> commit(const std::vector<PartitionOffset>& offsets);
  /// The callback comes on the thread of poll(), or of the destructor.
  [[nodiscard]] Result<void> commit_async(const std::vector<PartitionOffset>& offsets, CommitCallback callback);
  /// What the group has committed; kOffsetUnknown where nothing.
  [[nodiscard]] Result<std::vector<PartitionOffset>> committed(const std::vector<TopicPartition>& partitions,
                                                               std::chrono::milliseconds timeout) const;
  [[nodiscard]] std::vector<TopicPartition> assignment() const;

 private:
  using Consumer::Consumer;
};

}  // namespace fencepost::kafka
