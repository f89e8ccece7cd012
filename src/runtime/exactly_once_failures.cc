// What becomes of the writer when a call fails, a record is refused or its client is fenced.

#include <fmt/format.h>

#include <utility>

#include "runtime/exactly_once_writer.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

/// A transaction may stay open for minutes; that its producer was fenced or a record was refused is acted upon when it is known,
/// not when the commit comes.
bool ExactlyOnceWriter::took_harm() {
  if (!producer_ || !transaction_open_) return false;
  producer_->poll();
  if (!delivery_error_) return false;
  if (const auto dead = producer_->dead()) {
    failed(*dead);
  } else if (delivery_error_->kind() == ErrorKind::Fenced) {
    fenced(*delivery_error_);
  } else {
    abort_and_fail(*delivery_error_);
  }
  return true;
}

/// By the flags, never by the code alone.
void ExactlyOnceWriter::failed(const TransactionFailure& failure) {
  if (failure.fenced) {
    fenced(failure.error);
  } else if (failure.requires_abort || delivery_error_) {
    abort_and_fail(delivery_error_.value_or(failure.error));
  } else if (failure.retriable && interrupted_) {
    record_->aborted(AbortCause::Stopped, "the task was stopped while the transaction was in progress; its successor aborts it");
    give_up([this] { host_.yield_to_successor("interrupted while a transaction was in progress"); });
  } else {
    if (transaction_open_) record_->aborted(AbortCause::Failure, failure.error.message());
    give_up([this, error = failure.error] { host_.fail(trace_of(error)); });
  }
}

/// A fenced client is dead; who is to blame can only be told by asking whether this run is still the owner.
void ExactlyOnceWriter::fenced(const Error& error) {
  busy_ = true;
  exactly_once::FencedFacts facts;
  facts.transactional_id = settings_.transactional_id;
  if (transaction_open_) facts.open_for = std::chrono::duration_cast<Duration>(Steady::now() - began_);
  if (producer_) facts.transaction_timeout = producer_->transaction_timeout();
  facts.slowest_poll = host_.slowest_poll();
  facts.restarts = restarts_;
  facts.aborted_by_operator = record_->take_expected_abort();
  host_.ask_owner([this, facts, error](const exactly_once::OwnershipAnswered& answer) mutable {
    const auto now = std::chrono::duration_cast<Duration>(Steady::now().time_since_epoch());
    facts.superseded = answer.superseded;
    facts.late_fence_possible = answer.late_fence_possible;
    facts.late_fences = host_.late_fences().count(now);
    note_fencing(facts);
    const auto verdict = exactly_once::judge_fenced(facts);
    if (const auto* anew = std::get_if<exactly_once::RestartFromCommitted>(&verdict)) {
      if (anew->late_fence) host_.late_fences().add(now);
      give_up([this, note = anew->note] { host_.start_anew(note); });
    } else if (const auto* end = std::get_if<exactly_once::EndSilently>(&verdict)) {
      give_up([this, reason = end->reason] { host_.yield_to_successor(reason); });
    } else {
      const std::string trace = std::get<exactly_once::FailTask>(verdict).trace;
      give_up([this, trace, error] { host_.fail(trace_of(trace, trace_of(error))); });
    }
  });
}

void ExactlyOnceWriter::note_fencing(const exactly_once::FencedFacts& facts) {
  AbortCause cause = AbortCause::Fenced;
  std::string reason;
  if (facts.superseded) {
    reason = "fenced by a newer generation: " + *facts.superseded;
    record_->fenced(Fencer::NewerGeneration, *facts.superseded);
  } else if (facts.aborted_by_operator) {
    cause = AbortCause::Operator;
    reason = *facts.aborted_by_operator;
  } else if (exactly_once::ran_into_timeout(facts)) {
    cause = AbortCause::Timeout;
    reason = fmt::format("open for {} ms, beyond transaction.timeout.ms={}", facts.open_for->count(),
                         facts.transaction_timeout.count());
  } else {
    reason = facts.late_fence_possible ? "another client took the transactional id "
                                       : "another client, no task of this cluster, took the transactional id ";
    reason += facts.transactional_id;
    record_->fenced(Fencer::ForeignProducer, reason);
  }
  if (facts.open_for) record_->aborted(cause, std::move(reason));
}

/// The records are taken back; after a failed delivery the sequence numbers have a hole, so the client is not used again.
void ExactlyOnceWriter::abort_and_fail(const Error& cause) {
  busy_ = true;
  const bool may_pass = cause.retriable() && restarts_ < exactly_once::kTimeoutRestartsMax;
  if (transaction_open_) record_->aborted(AbortCause::Failure, cause.message());
  host_.call_apart(
      [producer = producer_, open = transaction_open_] {
        // One that takes longer is given up: whoever takes the id next aborts too.
        if (producer && open) (void)producer->abort(kTransactionCall);
      },
      [this, cause, may_pass] {
        give_up([this, cause, may_pass] {
          if (may_pass) {
            host_.start_anew("a transaction was aborted: " + cause.message());
          } else {
            host_.fail(trace_of(cause));
          }
        });
      });
}

void ExactlyOnceWriter::give_up(std::function<void()> last_word) {
  if (over_) return;
  over_ = true;
  busy_ = false;
  steps_.clear();
  drop_client();
  last_word();
}

}  // namespace fencepost::runtime
