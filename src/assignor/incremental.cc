#include "assignor/incremental.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fencepost::assignor {
namespace {

/// Successive rounds that revoke are spread out: 40 ms, then 1.6 s, 64 s ...
constexpr double kBackoffFactor = 40;

void append(Load& to, const Load& from) {
  to.connectors.insert(to.connectors.end(), from.connectors.begin(), from.connectors.end());
  to.tasks.insert(to.tasks.end(), from.tasks.begin(), from.tasks.end());
}

/// What more than one worker says to run. All must stop it; it is dealt again in the next round.
Work held_twice(const std::vector<Round::Worker>& workers) {
  Work seen;
  Work twice;
  for (const auto& worker : workers) {
    for (const std::string& connector : worker.load.connectors) {
      if (!seen.connectors.insert(connector).second) twice.connectors.insert(connector);
    }
    for (const TaskId& task : worker.load.tasks) {
      if (!seen.tasks.insert(task).second) twice.tasks.insert(task);
    }
  }
  return twice;
}

/// What each worker, in order, must give up so that all hold `total` things evenly: from the front of its list.
template <class T>
std::vector<std::vector<T>> surplus(std::size_t total, const std::vector<const std::vector<T>*>& held) {
  std::vector<std::vector<T>> out(held.size());
  const std::size_t least = total / held.size();
  std::size_t extras = total % held.size();
  const auto workers_with = [&](std::size_t n) {
    return static_cast<std::size_t>(std::count_if(held.begin(), held.end(), [n](const auto* list) { return list->size() == n; }));
  };
  const std::size_t with_one_more = workers_with(least + 1);
  if (with_one_more == extras && workers_with(least) + with_one_more == held.size()) return out;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[i]->size() <= least) continue;
    std::size_t most = least;
    if (extras > 0) {
      --extras;
      ++most;
    }
    const auto given_up = static_cast<std::ptrdiff_t>(held[i]->size() - most);
    out[i].assign(held[i]->begin(), held[i]->begin() + given_up);
  }
  return out;
}

}  // namespace

/// A round in the making.
struct Incremental::Deal {
  struct Worker {
    std::string id;
    Load load;  ///< what it will hold
    Change change;
  };
  std::vector<Worker> workers;
  Work to_deal;

  void revoke(const Work& work) {
    for (Worker& worker : workers) append(worker.change.revoked, worker.load.take(work));
  }

  static void give(Worker& worker, const std::string& connector) {
    worker.load.connectors.push_back(connector);
    worker.change.assigned.connectors.push_back(connector);
  }
  static void give(Worker& worker, const TaskId& task) {
    worker.load.tasks.push_back(task);
    worker.change.assigned.tasks.push_back(task);
  }

  /// Each of the workers with the least load gets one in turn, until they are level with the next ones.
  template <class Set, class LoadOf>
  void spread(const Set& things, LoadOf load_of) {
    std::vector<Worker*> order;
    for (Worker& worker : workers) order.push_back(&worker);
    std::sort(order.begin(), order.end(), [&](const Worker* a, const Worker* b) {
      return load_of(*a) != load_of(*b) ? load_of(*a) < load_of(*b) : JavaLess()(a->id, b->id);
    });
    auto thing = things.begin();
    while (thing != things.end()) {
      const std::size_t least = load_of(*order.front());
      const auto loaded_more = std::find_if(order.begin(), order.end(), [&](const Worker* w) { return load_of(*w) > least; });
      for (auto worker = order.begin(); worker != loaded_more && thing != things.end(); ++worker) give(**worker, *thing++);
    }
  }

  void spread() {
    if (workers.empty()) return;
    spread(to_deal.connectors, [](const Worker& w) { return w.load.connectors.size(); });
    spread(to_deal.tasks, [](const Worker& w) { return w.load.tasks.size(); });
  }
};

Outcome Incremental::assign(const Round& round) {
  const Work configured = all_of(round.configured);
  Work active;
  for (const auto& worker : round.workers) active.add(work_of(worker.load));
  forget_what_did_not_happen(round, active);

  const Work deleted = previous_.without(configured);
  const Work lost = previous_.without(active).without(deleted);

  Deal deal;
  for (const auto& worker : round.workers) deal.workers.push_back({worker.id, worker.load, {}});
  deal.to_deal = configured.without(previous_).without(active);
  Work to_stop = deleted;
  to_stop.add(held_twice(round.workers));
  deal.revoke(to_stop);

  handle_lost(round, lost, deal);
  if (delay_ == Duration::zero()) {
    balance(round, deal);
  } else {
    revoked_in_previous_ = false;
  }
  deal.spread();
  remember(round, lost, deal);

  Outcome out;
  out.delay = delay_;
  for (Deal::Worker& worker : deal.workers) {
    out.rebalance_again = out.rebalance_again || !worker.change.revoked.empty();
    out.changes[worker.id] = std::move(worker.change);
  }
  return out;
}

void Incremental::forget_what_did_not_happen(const Round& round, const Work& active) {
  // Somebody else led in between, or the workers never got what was computed last.
  if (round.last_completed_generation != previous_generation_) previous_ = {};
  // A worker did not hear that it shall stop something: what runs is the only truth.
  if (previous_revoked_.intersects(active)) previous_ = active;
  previous_revoked_ = {};
}

void Incremental::reset_delay() {
  candidates_.clear();
  scheduled_.reset();
  delay_ = Duration::zero();
}

void Incremental::handle_lost(const Round& round, const Work& lost, Deal& deal) {
  if (lost.empty() && !revoked_in_previous_) {
    reset_delay();
    return;
  }
  const bool all_are_still_here = std::all_of(previous_workers_.begin(), previous_workers_.end(), [&](const std::string& id) {
    return std::any_of(round.workers.begin(), round.workers.end(), [&](const Round::Worker& w) { return w.id == id; });
  });
  if ((!scheduled_ && all_are_still_here) || max_delay_ == Duration::zero()) {
    // Nobody left, so an assignment did not arrive; or nobody wants to wait.
    deal.to_deal.add(lost);
    return;
  }
  if (scheduled_ && round.now >= *scheduled_) {
    reassign_after_delay(lost, deal);
    reset_delay();
    revoked_in_previous_ = false;
    return;
  }
  for (const Deal::Worker& worker : deal.workers) {
    const bool known = std::find(candidates_.begin(), candidates_.end(), worker.id) != candidates_.end();
    if (worker.load.empty() && !known) candidates_.push_back(worker.id);
  }
  delay_ = scheduled_ ? std::min(*scheduled_ - round.now, max_delay_) : max_delay_;
  scheduled_ = round.now + delay_;
}

void Incremental::reassign_after_delay(const Work& lost, Deal& deal) {
  std::vector<Deal::Worker*> back;
  for (const std::string& id : candidates_) {
    const auto at = std::find_if(deal.workers.begin(), deal.workers.end(), [&](const Deal::Worker& w) { return w.id == id; });
    if (at != deal.workers.end()) back.push_back(&*at);
  }
  if (back.empty()) {
    deal.to_deal.add(lost);
    return;
  }
  std::size_t next = 0;
  for (const std::string& connector : lost.connectors) Deal::give(*back[next++ % back.size()], connector);
  next = 0;
  for (const TaskId& task : lost.tasks) Deal::give(*back[next++ % back.size()], task);
}

void Incremental::balance(const Round& round, Deal& deal) {
  if (deal.workers.empty()) return;
  const Work configured = all_of(round.configured);
  std::vector<const std::vector<std::string>*> connectors;
  std::vector<const std::vector<TaskId>*> tasks;
  for (const Deal::Worker& worker : deal.workers) {
    connectors.push_back(&worker.load.connectors);
    tasks.push_back(&worker.load.tasks);
  }
  Work to_move;
  for (auto& list : surplus(configured.connectors.size(), connectors)) to_move.connectors.insert(list.begin(), list.end());
  for (auto& list : surplus(configured.tasks.size(), tasks)) to_move.tasks.insert(list.begin(), list.end());

  if (to_move.empty()) {
    revoked_in_previous_ = false;
    successive_revocations_ = 0;
    return;
  }
  if (revoked_in_previous_) {
    ++successive_revocations_;
    delay_ = revocation_backoff();
    if (delay_ > Duration::zero()) {
      scheduled_ = round.now + delay_;
      return;
    }
  }
  revoked_in_previous_ = true;
  deal.revoke(to_move);
}

Duration Incremental::revocation_backoff() const {
  const double wanted = std::pow(kBackoffFactor, successive_revocations_);
  return wanted >= static_cast<double>(max_delay_.count()) ? max_delay_ : Duration(static_cast<Duration::rep>(wanted));
}

void Incremental::remember(const Round& round, const Work& lost, const Deal& deal) {
  previous_ = lost;
  previous_workers_.clear();
  for (const Deal::Worker& worker : deal.workers) {
    previous_.add(work_of(worker.load));
    previous_revoked_.add(work_of(worker.change.revoked));
    previous_workers_.push_back(worker.id);
  }
  previous_generation_ = round.generation;
}

}  // namespace fencepost::assignor
