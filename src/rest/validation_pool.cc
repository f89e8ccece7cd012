#include "rest/validation_pool.h"

#include <pthread.h>

namespace fencepost::rest {

ValidationPool::ValidationPool(std::size_t threads, std::size_t waiting_max) : waiting_max_(waiting_max) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this] {
      pthread_setname_np(pthread_self(), "rest-validate");
      while (auto work = waiting_.take()) {
        --waiting_count_;
        if (!closing_) (*work)();
      }
    });
  }
}

ValidationPool::~ValidationPool() { close(); }

bool ValidationPool::run(std::function<void()> work) {
  if (++waiting_count_ > waiting_max_ || !waiting_.put(std::move(work))) {
    --waiting_count_;
    return false;
  }
  return true;
}

void ValidationPool::close() {
  closing_ = true;
  waiting_.close();
  for (auto& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

}  // namespace fencepost::rest
