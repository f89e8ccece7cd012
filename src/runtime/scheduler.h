#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fencepost::runtime {

using Steady = std::chrono::steady_clock;

/// Work done in turns: a connector, a task. It holds a thread during a turn and none between turns.
class Job {
 public:
  virtual ~Job() = default;
  /// Must not throw. Returns when the next turn is due; Steady::time_point::max(): only when woken.
  virtual Steady::time_point turn() = 0;

 private:
  friend class Scheduler;
  enum class Where : unsigned char { Away, Queued, InTurn };
  // All guarded by the scheduler's mutex.
  Where where_ = Where::Away;
  bool woken_in_turn_ = false;
  Steady::time_point due_ = Steady::time_point::max();
};

/// An elastic pool: few threads serve any number of idle jobs, and a turn that blocks holds only its own thread, since the pool
/// grows while due turns wait and shrinks when threads have nothing to do.
///
/// Threads: every function from any thread. Turns of one job never overlap.
class Scheduler {
 public:
  explicit Scheduler(std::size_t threads_min);
  /// Starts no more turns and waits for those under way.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// A turn soon. During its turn: another one after it.
  void wake(const std::shared_ptr<Job>& job);
  /// A turn at that time, unless one comes before.
  void wake_at(const std::shared_ptr<Job>& job, Steady::time_point when);
  /// Runs a call that may block, once.
  void run(std::function<void()> call);
  /// No turn starts any more. False: some were still under way at `until`.
  bool stop(Steady::time_point until);
  [[nodiscard]] std::size_t threads() const;

 private:
  /// A thread that waits for work.
  struct Idle {
    std::condition_variable called;
    bool wanted = false;
  };

  void work();
  /// False: nothing came in time, and the thread may go.
  bool wait_for_work(std::unique_lock<std::mutex>& lock);
  void call_idle();
  void keep_time();
  void enqueue(const std::shared_ptr<Job>& job);
  void leave_timer(const std::shared_ptr<Job>& job);
  void add_thread();

  mutable std::mutex mutex_;
  std::condition_variable timer_changed_;
  std::condition_variable turn_ended_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::multimap<Steady::time_point, std::shared_ptr<Job>> timer_;
  std::map<std::thread::id, std::jthread> threads_;
  std::vector<std::jthread> leaving_;
  std::size_t threads_min_;
  std::vector<Idle*> idle_;  // the one that worked last is called first, so that those beyond need can leave
  std::size_t called_ = 0;   // and have not come yet
  std::size_t in_turn_ = 0;
  bool stopping_ = false;
  std::jthread keeper_;
};

}  // namespace fencepost::runtime
