#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <variant>

#include "exactly_once/transaction_boundary.h"
#include "fencepost/task.h"
#include "runtime/plugin_log_adapter.h"

namespace fencepost::runtime {

/// What a source task is offered.
class SourceContext final : public SourceTaskContext, public TransactionContext {
 public:
  /// What one poll() should bring at most: with the batch that is being written and the producer's queue it bounds a task's
  /// memory.
  static constexpr std::size_t kBatchBytes = 4 * 1024 * 1024;

  SourceContext(ConfigMap config, OffsetStorageReader& offsets, bool defines_transactions, Log log, std::function<void()> wake_up)
      : config_(std::move(config)),
        offsets_(offsets),
        defines_transactions_(defines_transactions),
        log_(std::move(log)),
        wake_up_(std::move(wake_up)) {}

  [[nodiscard]] const ConfigMap& configs() const override { return config_; }
  [[nodiscard]] OffsetStorageReader& offsets() override { return offsets_; }
  [[nodiscard]] TransactionContext* transaction_context() override { return defines_transactions_ ? this : nullptr; }
  [[nodiscard]] std::size_t batch_bytes_max() const override { return kBatchBytes; }
  void wake_up() override { wake_up_(); }
  [[nodiscard]] const PluginLog& log() const override { return log_; }

  void commit_transaction() override { requests_.after_batch(Request::Commit); }
  void commit_transaction_after(std::size_t index) override { requests_.after_record(index, Request::Commit); }
  void abort_transaction() override { requests_.after_batch(Request::Abort); }
  void abort_transaction_after(std::size_t index) override { requests_.after_record(index, Request::Abort); }

  /// What was asked for during the last poll.
  [[nodiscard]] std::variant<exactly_once::BatchPolled, exactly_once::ContradictingRequests> take_requests() {
    return requests_.take();
  }

 private:
  using Request = exactly_once::BoundaryRequest;

  ConfigMap config_;
  OffsetStorageReader& offsets_;
  bool defines_transactions_;
  PluginLogAdapter log_;
  std::function<void()> wake_up_;
  exactly_once::BoundaryRequests requests_;
};

}  // namespace fencepost::runtime
