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
  } else if (!failure.fatal && (failure.requires_abort || delivery_error_)) {
    abort_and_fail(delivery_error_.value_or(failure.error));
  } else if (failure.retriable && interrupted_) {
    record_->aborted(AbortCause::Stopped, "the task was stopped while the transaction was in progress; its successor aborts it");
    give_up([this] { host_.yield_to_successor("interrupted while a transaction was in progress"); });
  } else {
    // A client that died of a confused coordinator is no fault of the task; one that is not allowed to go on would die again.
    const bool died = failure.fatal && failure.error.kind() == ErrorKind::Failed;
    if (transaction_open_) record_->aborted(AbortCause::Failure, failure.error.message());
    end_or_begin_anew(failure.error, died || failure.error.retriable());
  }
}

/// The client did not take a record.
void ExactlyOnceWriter::refused(Error error, const std::string& doing) {
  if (error.kind() == ErrorKind::Fenced) {
    fenced(error);
  } else if (const auto dead = producer_->dead()) {
    failed(*dead);
  } else {
    abort_and_fail(std::move(error).while_doing(doing));
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
/// A cause of kind Conflict says no more than that the transaction had failed before: then the abort's answer, or a delivery that
/// is reported until then, tells why.
void ExactlyOnceWriter::abort_and_fail(const Error& cause) {
  busy_ = true;
  const bool failed_before = cause.kind() == ErrorKind::Conflict;
  if (transaction_open_ && !failed_before) record_->aborted(AbortCause::Failure, cause.message());
  auto result = std::make_shared<TransactionOutcome>();
  host_.call_apart(
      [producer = producer_, open = transaction_open_, result] {
        // One that takes longer is given up: whoever takes the id next aborts too.
        if (producer && open) *result = producer->abort(kTransactionCall);
      },
      [this, cause, failed_before, result] {
        if (over_) return;
        if (!failed_before) {
          end_or_begin_anew(cause, cause.retriable());
          return;
        }
        if (!*result && result->error().fenced) {
          fenced(result->error().error);
          return;
        }
        const Error& why = delivery_error_ ? *delivery_error_ : *result ? cause : result->error().error;
        if (transaction_open_) record_->aborted(AbortCause::Failure, why.message());
        end_or_begin_anew(why, !delivery_error_ || why.retriable());
      });
}

void ExactlyOnceWriter::end_or_begin_anew(const Error& cause, bool may_pass) {
  if (may_pass && restarts_ < exactly_once::kTimeoutRestartsMax) {
    give_up([this, note = "a transaction was aborted: " + cause.message()] { host_.start_anew(note); });
  } else {
    give_up([this, trace = trace_of(cause)] { host_.fail(trace); });
  }
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
