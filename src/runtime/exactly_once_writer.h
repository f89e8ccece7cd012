#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exactly_once/fenced_verdict.h"
#include "exactly_once/offset_tracker.h"
#include "exactly_once/source_task_start.h"
#include "runtime/connector_offsets.h"
#include "runtime/source_writer.h"
#include "runtime/topic_creation.h"
#include "runtime/transaction_board.h"

namespace fencepost::runtime {

/// Records and their offsets in one transaction (KIP-618). While nothing comes it keeps no client: an idle transactional client
/// costs four threads, so a thousand idle tasks could not each have one.
class ExactlyOnceWriter final : public SourceWriter {
 public:
  struct Settings {
    std::string connector;
    Properties producer;  ///< with its transactional.id
    std::string transactional_id;
    exactly_once::Boundary boundary = exactly_once::Boundary::Poll;
    Duration interval{60'000};
    int restarts = 0;  ///< times this run began anew without a commit in between
  };

  ExactlyOnceWriter(Settings settings, WriterHost& host, ClientsPort& clients, OffsetsPort& global, ConnectorOffsets& offsets,
                    TopicMaker& topics, std::shared_ptr<TransactionRecord> record, Log log);
  ~ExactlyOnceWriter() override;

  /// Takes the id by making a client at once, where its settings can be checked in no other way. Blocks.
  [[nodiscard]] Result<void> make_client();

  [[nodiscard]] bool ready() const override { return steps_.empty() && !busy_ && !over_; }
  void write(Batch batch) override;
  Steady::time_point proceed(Steady::time_point now) override;
  void drain() override;
  [[nodiscard]] bool drained() const override { return over_ || (ready() && draining_); }
  void interrupt() noexcept override;

 private:
  /// Each call about a transaction waits so long before it looks whether it was interrupted; it is then made again.
  static constexpr Duration kTransactionCall{30'000};

  struct Sent {
    SourceRecord record;
    std::optional<RecordMetadata> metadata;
  };

  void run_steps();
  bool begin();
  bool send(const exactly_once::Send& range);
  bool send_one(std::size_t index);
  bool may_write_to(std::string_view topic);
  bool note_offset(std::size_t index);
  bool store_noted_offsets();
  void commit();
  void commit_again();
  void committed();
  void abort(bool rewind);
  void first_batch(const exactly_once::StartEvent& event);
  void init_producer();
  void compare_offsets();
  void copy_to_global(std::vector<OffsetRecord> records);
  void delivered(const Delivery& delivery);

  bool took_harm();
  void failed(const TransactionFailure& failure);
  void refused(Error error, const std::string& doing);
  void fenced(const Error& error);
  void note_fencing(const exactly_once::FencedFacts& facts);
  void abort_and_fail(const Error& cause);
  void end_or_begin_anew(const Error& cause, bool may_pass);
  void give_up(std::function<void()> last_word);
  void drop_client();
  [[nodiscard]] std::string batch_place(std::size_t index) const;

  const Settings settings_;
  WriterHost& host_;
  ClientsPort& clients_;
  OffsetsPort& global_;
  ConnectorOffsets& offsets_;
  TopicMaker& topics_;
  const std::shared_ptr<TransactionRecord> record_;
  const Log log_;
  const std::string offsets_topic_;  ///< of the task's own transactions

  std::shared_ptr<ProducerPort> producer_;
  std::mutex interrupt_mutex_;  // guards the pointer against interrupt() alone
  std::atomic<bool> interrupted_ = false;
  exactly_once::TransactionBoundary boundary_;
  std::optional<exactly_once::FirstBatch> first_batch_;
  PartitionNumbers partitions_;
  exactly_once::TransactionOffsets transaction_offsets_;

  Batch batch_;
  std::deque<exactly_once::Step> steps_;
  bool busy_ = false;  ///< a call is under way apart: the producer is not ours meanwhile
  bool over_ = false;  ///< the host was told how this ends
  bool draining_ = false;
  bool transaction_open_ = false;
  Steady::time_point began_{};
  Steady::time_point last_use_{};
  int restarts_;
  int init_attempts_ = 0;
  std::optional<Steady::time_point> init_due_;  ///< when a client is asked for again
  bool owner_asked_ = false;

  std::uint64_t produced_ = 0;  ///< records since the board was told last
  std::vector<Sent> sent_;
  std::vector<OffsetRecord> committing_;
  std::optional<Error> delivery_error_;
  std::vector<HeaderOut> headers_;
  std::vector<std::size_t> last_of_partition_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace fencepost::runtime
