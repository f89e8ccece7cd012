#include "fencer/fencing.h"

#include <algorithm>
#include <utility>

#include "wire/errors.h"

namespace fencepost::fencer {

using wire::ErrorCode;

namespace {

// An open transaction is mostly aborted within some 20 ms, and a task waits for it: asked often, so that a fence of many ids does
// not sleep long after the last abort. A coordinator that loads or moves needs more time.
constexpr Duration kBackoffFirst{20};
constexpr Duration kBackoffMaxAborting{80};
constexpr Duration kBackoffMax{640};

Duration backoff(int failures, Duration max) { return std::min(max, kBackoffFirst * (1 << std::clamp(failures - 1, 0, 5))); }

}  // namespace

Fencing::Fencing(net::Cluster& cluster, FenceOrder order, std::function<void(Fenced)> done, Log log)
    : cluster_(cluster),
      order_(std::move(order)),
      done_(std::move(done)),
      log_(std::move(log)),
      deadline_(std::chrono::steady_clock::now() + order_.timeout),
      retry_timer_(cluster.loop()),
      deadline_timer_(cluster.loop()) {
  for (const std::string& id : order_.transactional_ids) open_.try_emplace(id);
}

void Fencing::start() {
  if (open_.empty()) return done_({});
  for (const auto& [id, attempt] : open_) waiting_.insert(id);
  deadline_timer_.start_at(deadline_, [this] { time_over(); });
  send_waiting();
}

Duration Fencing::left() const {
  return std::max(Duration{1}, std::chrono::duration_cast<Duration>(deadline_ - std::chrono::steady_clock::now()));
}

void Fencing::send_waiting() {
  const auto ids = std::exchange(waiting_, {});
  std::vector<std::string> list(ids.begin(), ids.end());
  cluster_.find_coordinators(net::CoordinatorKind::Transaction, list, left(),
                             [weak = weak_from_this(), list](const Result<net::Cluster::Coordinators>& found) {
                               if (const auto self = weak.lock()) self->coordinators_answered(list, found);
                             });
}

void Fencing::coordinators_answered(const std::vector<std::string>& ids, const Result<net::Cluster::Coordinators>& found) {
  for (const std::string& id : ids) {
    if (!open_.contains(id)) continue;
    if (!found) {
      found.error().retriable() ? again(id, found.error(), kBackoffMax) : finish(id, Failure(found.error()));
      continue;
    }
    const auto& coordinator = found->at(id);
    if (coordinator) {
      send(id, *coordinator);
    } else if (coordinator.error().retriable()) {
      again(id, coordinator.error(), kBackoffMax);
    } else {
      finish(id, Failure(coordinator.error()));
    }
  }
}

void Fencing::send(const std::string& id, const net::Endpoint& coordinator) {
  wire::InitProducerIdRequest request{.transactional_id = id,
                                      .transaction_timeout_ms = static_cast<std::int32_t>(order_.transaction_timeout.count()),
                                      .producer_id = -1,
                                      .producer_epoch = -1};
  cluster_.send<wire::InitProducerIdRequest>(coordinator, net::Lane::Transactions, std::move(request),
                                             std::min(left(), cluster_.settings().request_timeout),
                                             [weak = weak_from_this(), id](const Result<wire::InitProducerIdResponse>& answer) {
                                               if (const auto self = weak.lock()) self->answered(id, answer);
                                             });
}

void Fencing::answered(const std::string& id, const Result<wire::InitProducerIdResponse>& answer) {
  if (!open_.contains(id)) return;
  if (!answer) {
    // Whether the broker did it is unknown; to do it twice harms nobody. The coordinator may have died, so look for it anew.
    cluster_.forget_coordinator(net::CoordinatorKind::Transaction, id);
    const bool final = answer.error().kind() == ErrorKind::InvalidConfig || answer.error().kind() == ErrorKind::Forbidden;
    return final ? finish(id, Failure(answer.error())) : again(id, answer.error(), kBackoffMax);
  }
  switch (static_cast<ErrorCode>(answer->error_code)) {
    case ErrorCode::None:
      return finish(id, FencedProducer{.producer_id = answer->producer_id, .epoch = answer->producer_epoch});
    case ErrorCode::CoordinatorNotAvailable:
    case ErrorCode::NotCoordinator:
      cluster_.forget_coordinator(net::CoordinatorKind::Transaction, id);
      [[fallthrough]];
    case ErrorCode::CoordinatorLoadInProgress:
    case ErrorCode::RequestTimedOut:
      return again(id, explain(answer->error_code, id), kBackoffMax);
    case ErrorCode::ConcurrentTransactions:
      return again(id, explain(answer->error_code, id), kBackoffMaxAborting);
    default:
      return finish(id, Failure(explain(answer->error_code, id)));
  }
}

Error Fencing::explain(std::int16_t code, const std::string& id) const {
  Error error = wire::to_error(code, "fencing " + id);
  if (static_cast<ErrorCode>(code) != ErrorCode::InvalidTransactionTimeout) return error;
  return {error.kind(), error.message() + ": transaction.timeout.ms of " + std::to_string(order_.transaction_timeout.count()) +
                            " is above the broker's transaction.max.timeout.ms; lower the one or raise the other"};
}

void Fencing::again(const std::string& id, Error why, Duration backoff_max) {
  Attempt& attempt = open_.at(id);
  ++attempt.failures;
  attempt.last = std::move(why);
  waiting_.insert(id);
  // Those that fail until the timer fires go along with the first.
  if (!retry_timer_.running()) retry_timer_.start(backoff(attempt.failures, backoff_max), [this] { send_waiting(); });
}

void Fencing::finish(const std::string& id, Result<FencedProducer> outcome) {
  open_.erase(id);
  waiting_.erase(id);
  outcomes_.insert_or_assign(id, std::move(outcome));
  if (!open_.empty()) return;
  retry_timer_.cancel();
  deadline_timer_.cancel();
  const auto self = shared_from_this();
  std::exchange(done_, {})(std::move(outcomes_));
}

void Fencing::time_over() {
  const auto self = shared_from_this();
  const auto open = open_;
  for (const auto& [id, attempt] : open) {
    finish(id, failure(ErrorKind::Timeout, "fencing " + id + " took longer than " + std::to_string(order_.timeout.count()) +
                                               " ms, after " + std::to_string(attempt.failures) + " failed attempts" +
                                               (attempt.last ? ", the last: " + attempt.last->message() : "")));
  }
}

}  // namespace fencepost::fencer
