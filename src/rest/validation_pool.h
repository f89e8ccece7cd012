#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

#include "concurrency/mailbox.h"

namespace fencepost::rest {

/// A few threads for what plugins may take seconds for, so that a slow connector's validation never holds up other requests.
class ValidationPool {
 public:
  ValidationPool(std::size_t threads, std::size_t waiting_max);
  ~ValidationPool();
  ValidationPool(const ValidationPool&) = delete;
  ValidationPool& operator=(const ValidationPool&) = delete;

  /// False where too much waits already, or after close(). Any thread.
  [[nodiscard]] bool run(std::function<void()> work);
  /// Drops what waits and waits for what runs.
  void close();

 private:
  concurrency::Mailbox<std::function<void()>> waiting_;
  std::atomic<std::size_t> waiting_count_{0};
  std::atomic<bool> closing_{false};
  std::size_t waiting_max_;
  std::vector<std::thread> threads_;
};

}  // namespace fencepost::rest
