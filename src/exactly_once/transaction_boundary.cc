#include "exactly_once/transaction_boundary.h"

#include <utility>

namespace fencepost::exactly_once {

std::variant<BatchPolled, ContradictingRequests> BoundaryRequests::take() {
  const auto on_batch = std::exchange(on_batch_, {});
  const auto on_record = std::exchange(on_record_, {});
  BatchPolled polled;
  for (const auto& [index, requests] : on_record) {
    if (requests.size() > 1) return ContradictingRequests{index};
    polled.on_record.emplace_back(index, *requests.begin());
  }
  if (on_batch.size() > 1) return ContradictingRequests{};
  if (!on_batch.empty()) polled.on_batch = *on_batch.begin();
  return polled;
}

TransactionBoundary::TransactionBoundary(Boundary boundary, Duration interval, Time now)
    : boundary_(boundary), interval_(interval), last_commit_(now) {}

Steps TransactionBoundary::on_batch(const BatchPolled& batch, Time now) {
  Steps steps;
  std::size_t sent = 0;
  if (boundary_ == Boundary::Connector) {
    for (const auto& [index, request] : batch.on_record) {
      if (index >= batch.records || index + 1 < sent) continue;
      send(steps, sent, index + 1);
      sent = index + 1;
      finish(steps, request);
    }
  }
  send(steps, sent, batch.records);

  switch (boundary_) {
    case Boundary::Poll:
      if (open_) finish(steps, BoundaryRequest::Commit);
      break;
    case Boundary::Interval:
      if (now - last_commit_ < interval_) break;
      if (open_) finish(steps, BoundaryRequest::Commit);
      last_commit_ = now;
      break;
    case Boundary::Connector:
      if (batch.on_batch) finish(steps, *batch.on_batch);
      break;
  }
  return steps;
}

Steps TransactionBoundary::on_end() {
  Steps steps;
  if (!open_) return steps;
  if (boundary_ == Boundary::Connector) {
    open_ = false;
    steps.emplace_back(AbortAndRewind{});
  } else {
    finish(steps, BoundaryRequest::Commit);
  }
  return steps;
}

void TransactionBoundary::on_lost() { open_ = false; }

std::optional<Time> TransactionBoundary::next_commit() const {
  if (boundary_ != Boundary::Interval || !open_) return std::nullopt;
  return last_commit_ + interval_;
}

void TransactionBoundary::send(Steps& steps, std::size_t from, std::size_t to) {
  if (from >= to) return;
  if (!open_) {
    steps.emplace_back(Begin{});
    open_ = true;
  }
  steps.emplace_back(Send{from, to});
}

// A request with nothing open is one with nothing to do: an empty transaction would tell a fenced client that all is well.
void TransactionBoundary::finish(Steps& steps, BoundaryRequest request) {
  if (!open_) return;
  if (request == BoundaryRequest::Abort) {
    steps.emplace_back(Abort{});
    steps.emplace_back(Begin{});  // the offsets of what was dropped are committed by themselves
  }
  steps.emplace_back(Commit{});
  open_ = false;
}

std::string describe(const Step& step) {
  struct Describe {
    std::string operator()(const Begin&) const { return "Begin"; }
    std::string operator()(const Send& s) const { return "Send(" + std::to_string(s.from) + ".." + std::to_string(s.to) + ")"; }
    std::string operator()(const Commit&) const { return "Commit"; }
    std::string operator()(const Abort&) const { return "Abort"; }
    std::string operator()(const AbortAndRewind&) const { return "AbortAndRewind"; }
  };
  return std::visit(Describe{}, step);
}

}  // namespace fencepost::exactly_once
