#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

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

  void commit_transaction() override { polled_.on_batch = exactly_once::BoundaryRequest::Commit; }
  void commit_transaction_after(std::size_t index) override { after(index, exactly_once::BoundaryRequest::Commit); }
  void abort_transaction() override { polled_.on_batch = exactly_once::BoundaryRequest::Abort; }
  void abort_transaction_after(std::size_t index) override { after(index, exactly_once::BoundaryRequest::Abort); }

  /// What was asked for during the last poll, by the order of the records.
  [[nodiscard]] exactly_once::BatchPolled take_requests() {
    auto requests = std::exchange(polled_, {});
    std::stable_sort(requests.on_record.begin(), requests.on_record.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return requests;
  }

 private:
  void after(std::size_t index, exactly_once::BoundaryRequest request) { polled_.on_record.emplace_back(index, request); }

  ConfigMap config_;
  OffsetStorageReader& offsets_;
  bool defines_transactions_;
  PluginLogAdapter log_;
  std::function<void()> wake_up_;
  exactly_once::BatchPolled polled_;
};

}  // namespace fencepost::runtime
