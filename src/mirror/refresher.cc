#include "mirror/refresher.h"

#include <algorithm>
#include <utility>

namespace fencepost::mirror {

Refresher::~Refresher() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  changed_.notify_all();
}

std::uint64_t Refresher::add(Clock::duration interval, std::function<Clock::duration()> work) {
  const std::lock_guard lock(mutex_);
  entries_.emplace(++last_id_, Entry{Clock::now() + interval, std::move(work)});
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  changed_.notify_all();
  return last_id_;
}

void Refresher::remove(std::uint64_t id) {
  std::unique_lock lock(mutex_);
  entries_.erase(id);
  changed_.wait(lock, [&] { return running_ != id; });
}

void Refresher::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = std::min_element(entries_.begin(), entries_.end(),
                                       [](const auto& a, const auto& b) { return a.second.due < b.second.due; });
    if (next == entries_.end()) {
      changed_.wait(lock, stop, [this] { return !entries_.empty(); });
      continue;
    }
    if (next->second.due > Clock::now()) {
      const std::size_t known = entries_.size();
      const auto due = next->second.due;
      changed_.wait_until(lock, stop, due, [&] { return entries_.size() != known; });
      continue;
    }
    const std::uint64_t id = next->first;
    const auto work = next->second.work;
    running_ = id;
    lock.unlock();
    const auto pause = work();
    lock.lock();
    running_ = 0;
    if (const auto again = entries_.find(id); again != entries_.end()) again->second.due = Clock::now() + pause;
    changed_.notify_all();
  }
}

}  // namespace fencepost::mirror
