#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "base/ids.h"

namespace fencepost::daemon {

/// Callbacks that wait for an answer of the herder, by the number of the request. Threads: any.
template <class Answer>
class PendingAnswers {
 public:
  using Callback = std::function<void(Answer)>;

  RequestId add(Callback callback) {
    const std::lock_guard lock(mutex_);
    const RequestId id{++last_};
    waiting_.emplace(id, std::move(callback));
    return id;
  }
  void answer(RequestId id, Answer answer) {
    Callback callback;
    {
      const std::lock_guard lock(mutex_);
      const auto at = waiting_.find(id);
      if (at == waiting_.end()) return;
      callback = std::move(at->second);
      waiting_.erase(at);
    }
    callback(std::move(answer));
  }

 private:
  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<RequestId, Callback> waiting_;
};

}  // namespace fencepost::daemon
