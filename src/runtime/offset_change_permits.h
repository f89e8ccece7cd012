#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"

namespace fencepost::runtime {

/// Where calls that are about to change offsets wait for the herder's word. Threads: any.
class OffsetChangePermits {
 public:
  /// Asks by `ask()`, then waits: success, or why the change must not be made. Without an answer in time it must not either.
  template <class Ask>
  [[nodiscard]] Result<void> wait(RequestId request, Duration patience, const Ask& ask) {
    {
      const std::lock_guard lock(mutex_);
      open_[request].reset();
    }
    ask();
    std::unique_lock lock(mutex_);
    (void)answered_.wait_for(lock, patience, [&] { return closed_ || open_.at(request).has_value(); });
    const auto answer = std::move(open_.extract(request).mapped());
    if (answer) return *answer;
    return failure(ErrorKind::Conflict, closed_ ? "The worker is shutting down; the offsets are as they were."
                                                : "The group and the config topic could not be asked in time whether the offsets "
                                                  "may still be changed; they are as they were. Send the request again.");
  }
  /// Nobody may wait for it any more.
  void answer(RequestId request, const std::optional<Error>& refused) {
    const std::lock_guard lock(mutex_);
    const auto it = open_.find(request);
    if (it == open_.end()) return;
    it->second = refused ? Result<void>(Failure(*refused)) : Result<void>();
    answered_.notify_all();
  }
  /// Whoever waits now or later is refused.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    answered_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<RequestId, std::optional<Result<void>>> open_;
  bool closed_ = false;
};

}  // namespace fencepost::runtime
