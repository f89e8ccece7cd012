#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace fencepost::store {

/// How long a start waits for the writer's first connection; writing works without as well, only later.
inline constexpr std::chrono::milliseconds kPrepareTime{2'000};

/// Several records written as one thing: answers once, when the last of them is done, with the first error.
///
/// Threads: any; the answer comes on the thread of the last record.
class WriteRound {
 public:
  using Done = std::function<void(std::optional<Error>)>;

  /// Without records it answers at once.
  [[nodiscard]] static std::shared_ptr<WriteRound> begin(std::size_t records, Done done) {
    if (records == 0) done(std::nullopt);
    return std::shared_ptr<WriteRound>(new WriteRound(records, std::move(done)));
  }

  void written(const Result<std::int64_t>& result) {
    std::optional<Error> error;
    {
      const std::lock_guard lock(mutex_);
      if (!result && !error_) error_ = result.error();
      if (--left_ > 0) return;
      error = error_;
    }
    done_(std::move(error));
  }

 private:
  WriteRound(std::size_t records, Done done) : left_(records), done_(std::move(done)) {}

  std::mutex mutex_;
  std::size_t left_;
  std::optional<Error> error_;
  Done done_;
};

}  // namespace fencepost::store
