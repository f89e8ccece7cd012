#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "exactly_once/offset_tracker.h"
#include "runtime/connector_offsets.h"
#include "runtime/source_writer.h"
#include "runtime/topic_creation.h"

namespace fencepost::runtime {

/// Records one by one, offsets every offset.flush.interval.ms once what lies before them is acknowledged: at least once.
class PlainWriter final : public SourceWriter {
 public:
  struct Settings {
    std::string connector;
    Properties producer;
    Duration flush_interval{60'000};
    Duration flush_timeout{5'000};
    bool tolerate = false;  ///< errors.tolerance=all: a record that the broker refuses is left out
  };

  PlainWriter(Settings settings, WriterHost& host, ClientsPort& clients, OffsetsPort& global, ConnectorOffsets& offsets,
              TopicMaker& topics, Log log);
  ~PlainWriter() override;

  [[nodiscard]] bool ready() const override { return !busy_ && !over_ && waiting() < kWaitingMax; }
  void write(Batch batch) override;
  Steady::time_point proceed(Steady::time_point now) override;
  void drain() override;
  [[nodiscard]] bool drained() const override { return drained_; }
  void interrupt() noexcept override;

 private:
  struct InFlight {
    std::optional<exactly_once::OffsetTracker::Submitted> offset;
    std::optional<SourceRecord> record;
    std::string place;  ///< of its source, for errors; empty unless it failed
    bool done = false;
  };
  /// Bounds the bookkeeping; the bytes are bounded by the producer's own queue.
  static constexpr std::size_t kWaitingMax = 200'000;

  [[nodiscard]] std::size_t waiting() const { return in_flight_.size(); }
  [[nodiscard]] Result<void> ensure_client();
  bool send(SourceRecord& record, const ReadyRecord& ready);
  bool submit_failed(std::uint64_t tag, const ReadyRecord& ready, Error error);
  void finish(std::uint64_t tag, const Delivery& delivery);
  void forget_finished();
  void flush_offsets(bool last);
  void stored(const Result<void>& outcome, bool last);
  void fail(std::string trace);
  [[nodiscard]] Result<void> store_in_own_topic(const std::vector<OffsetRecord>& records);

  const Settings settings_;
  WriterHost& host_;
  ClientsPort& clients_;
  OffsetsPort& global_;
  ConnectorOffsets& offsets_;
  TopicMaker& topics_;
  const Log log_;

  std::shared_ptr<ProducerPort> producer_;
  std::mutex interrupt_mutex_;
  std::atomic<bool> interrupted_ = false;
  PartitionNumbers partitions_;
  exactly_once::OffsetTracker tracker_;
  std::deque<InFlight> in_flight_;
  std::uint64_t first_tag_ = 1;
  exactly_once::OffsetTracker::Committable storing_;
  std::optional<Error> own_topic_error_;
  bool busy_ = false;
  bool storing_now_ = false;
  bool over_ = false;
  bool draining_ = false;
  bool drained_ = false;
  Steady::time_point next_flush_;
  Steady::time_point last_use_{};
  std::optional<std::string> failure_;
  std::vector<HeaderOut> headers_;
};

}  // namespace fencepost::runtime
