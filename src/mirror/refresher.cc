#include "mirror/refresher.h"

#include <algorithm>
#include <utility>

namespace fencepost::mirror {

Refresher::~Refresher() {
  std::vector<std::jthread> threads;
  {
    const std::lock_guard lock(mutex_);
    threads = std::move(threads_);
  }
  for (auto& thread : threads) thread.request_stop();
}

std::uint64_t Refresher::add(Clock::duration interval, std::function<Clock::duration()> work) {
  const std::lock_guard lock(mutex_);
  entries_.emplace(++last_id_, Entry{Clock::now() + interval, std::move(work)});
  ++changes_;
  if (idle_ == 0) add_thread();
  changed_.notify_one();
  return last_id_;
}

void Refresher::remove(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  entries_.erase(id);
}

void Refresher::add_thread() {
  if (threads_.size() >= kThreadsMax) return;
  threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
}

Refresher::Entries::iterator Refresher::next() {
  auto found = entries_.end();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (!it->second.running && (found == entries_.end() || it->second.due < found->second.due)) found = it;
  }
  return found;
}

void Refresher::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto at = next();
    if (at == entries_.end() || at->second.due > Clock::now()) {
      const auto due = at == entries_.end() ? Clock::now() + std::chrono::hours(1) : at->second.due;
      const auto changes = changes_;
      ++idle_;
      changed_.wait_until(lock, stop, due, [&] { return changes_ != changes; });
      --idle_;
      continue;
    }
    at->second.running = true;
    const std::uint64_t id = at->first;
    {
      const auto work = at->second.work;
      // Somebody must wait for what is due next while this one works.
      if (idle_ == 0) add_thread();
      lock.unlock();
      const auto pause = work();
      lock.lock();
      if (const auto again = entries_.find(id); again != entries_.end()) {
        again->second.due = Clock::now() + pause;
        again->second.running = false;
        ++changes_;
        changed_.notify_one();
      }
      // What the work holds may be the last of its kind, and costly to end.
      lock.unlock();
    }
    lock.lock();
  }
}

}  // namespace fencepost::mirror
