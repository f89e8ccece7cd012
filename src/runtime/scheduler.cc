#include "runtime/scheduler.h"

#include <utility>

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

/// A thread beyond the minimum leaves after so long without work.
constexpr auto kIdleThreadLeaves = 2s;
/// So long may due turns wait for a busy pool before it grows: most turns are over by then.
constexpr auto kGrowAfter = 2ms;
/// A bound against a flood of blocking plugins; beyond it turns queue.
constexpr std::size_t kThreadsMax = 1024;

class OneCall final : public Job {
 public:
  explicit OneCall(std::function<void()> call) : call_(std::move(call)) {}
  Steady::time_point turn() override {
    std::exchange(call_, nullptr)();
    return Steady::time_point::max();
  }

 private:
  std::function<void()> call_;
};

}  // namespace

Scheduler::Scheduler(std::size_t threads_min) : threads_min_(threads_min) {
  keeper_ = std::jthread([this] { keep_time(); });
}

Scheduler::~Scheduler() {
  stop(Steady::time_point::max());
  keeper_.join();
  std::map<std::thread::id, std::jthread> threads;
  std::vector<std::jthread> leaving;
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
    leaving.swap(leaving_);
  }
}

void Scheduler::wake(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex_);
  if (stopping_) return;
  if (job->where_ == Job::Where::InTurn) {
    job->woken_in_turn_ = true;
  } else if (job->where_ == Job::Where::Away) {
    leave_timer(job);
    enqueue(job);
  }
}

void Scheduler::wake_at(const std::shared_ptr<Job>& job, Steady::time_point when) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || job->where_ != Job::Where::Away || job->due_ <= when) return;
  leave_timer(job);
  job->due_ = when;
  const auto at = timer_.emplace(when, job);
  if (at == timer_.begin()) timer_changed_.notify_one();
}

void Scheduler::run(std::function<void()> call) { wake(std::make_shared<OneCall>(std::move(call))); }

bool Scheduler::stop(Steady::time_point until) {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  queue_.clear();
  timer_.clear();
  while (!idle_.empty()) call_idle();
  timer_changed_.notify_all();
  const auto quiet = [this] { return in_turn_ == 0; };
  if (until == Steady::time_point::max()) {
    turn_ended_.wait(lock, quiet);
    return true;
  }
  return turn_ended_.wait_until(lock, until, quiet);
}

std::size_t Scheduler::threads() const {
  const std::lock_guard lock(mutex_);
  return threads_.size() + 1;
}

void Scheduler::enqueue(const std::shared_ptr<Job>& job) {
  job->where_ = Job::Where::Queued;
  queue_.push_back(job);
  // A crowd of jobs due at once is served by a few threads; the keeper of time calls more if these block.
  if (called_ < threads_min_ && (!idle_.empty() || threads_.size() < threads_min_)) return add_thread();
  timer_changed_.notify_one();
}

void Scheduler::leave_timer(const std::shared_ptr<Job>& job) {
  if (job->due_ == Steady::time_point::max()) return;
  for (auto [at, end] = timer_.equal_range(job->due_); at != end; ++at) {
    if (at->second == job) {
      timer_.erase(at);
      break;
    }
  }
  job->due_ = Steady::time_point::max();
}

void Scheduler::add_thread() {
  if (!idle_.empty()) return call_idle();
  if (threads_.size() >= kThreadsMax) return;
  std::jthread thread([this] { work(); });
  const auto id = thread.get_id();
  threads_.emplace(id, std::move(thread));
}

void Scheduler::call_idle() {
  Idle* last = idle_.back();
  idle_.pop_back();
  last->wanted = true;
  ++called_;
  last->called.notify_one();
}

bool Scheduler::wait_for_work(std::unique_lock<std::mutex>& lock) {
  Idle self;
  idle_.push_back(&self);
  const bool wanted = self.called.wait_for(lock, kIdleThreadLeaves, [&self] { return self.wanted; });
  if (wanted) {
    --called_;
  } else {
    std::erase(idle_, &self);
  }
  return wanted;
}

void Scheduler::work() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (queue_.empty()) {
      if (!wait_for_work(lock) && threads_.size() > threads_min_) break;
      continue;
    }
    std::shared_ptr<Job> job = std::move(queue_.front());
    queue_.pop_front();
    job->where_ = Job::Where::InTurn;
    job->woken_in_turn_ = false;
    ++in_turn_;
    lock.unlock();
    const Steady::time_point due = job->turn();
    lock.lock();
    job->where_ = Job::Where::Away;
    --in_turn_;
    if (stopping_) {
      turn_ended_.notify_all();
    } else if (job->woken_in_turn_ || due <= Steady::now()) {
      enqueue(job);
    } else if (due != Steady::time_point::max()) {
      job->due_ = due;
      const auto at = timer_.emplace(due, job);
      if (at == timer_.begin()) timer_changed_.notify_one();
    }
    // The last owner may be this thread: a job's end must not run under the lock.
    lock.unlock();
    job.reset();
    lock.lock();
  }
  if (const auto self = threads_.find(std::this_thread::get_id()); self != threads_.end()) {
    leaving_.push_back(std::move(self->second));
    threads_.erase(self);
    timer_changed_.notify_one();
  }
}

void Scheduler::keep_time() {
  std::unique_lock lock(mutex_);
  std::shared_ptr<Job> waits_longest;
  auto waits_since = Steady::time_point::max();
  while (!stopping_) {
    std::vector<std::jthread> ended;
    ended.swap(leaving_);
    if (!ended.empty()) {
      lock.unlock();
      ended.clear();
      lock.lock();
      continue;
    }
    const auto now = Steady::now();
    while (!timer_.empty() && timer_.begin()->first <= now) {
      std::shared_ptr<Job> job = std::move(timer_.begin()->second);
      timer_.erase(timer_.begin());
      job->due_ = Steady::time_point::max();
      enqueue(job);
    }
    auto wake_up = timer_.empty() ? Steady::time_point::max() : timer_.begin()->first;
    if (queue_.empty()) {
      waits_longest.reset();
    } else {
      if (queue_.front() != waits_longest) {
        waits_longest = queue_.front();
        waits_since = now;
      } else if (now - waits_since >= kGrowAfter) {
        add_thread();
        waits_since = now;
      }
      wake_up = std::min(wake_up, waits_since + kGrowAfter);
    }
    if (wake_up == Steady::time_point::max()) {
      timer_changed_.wait(lock);
    } else {
      timer_changed_.wait_until(lock, wake_up);
    }
  }
}

}  // namespace fencepost::runtime
