#include "herder/core.h"

namespace fencepost::herder {

void Herder::Core::serve(const RequestReceived& e, const AlterOffsets& r) {
  if (!leads_or_forwards(e)) return;
  log_.read_to_end("the offsets of " + r.name + " are to change", [this, request = e.request, r](const Answer& read) {
    if (!read) return book_.reply(request, read.error());
    change_offsets(request, r, false);
  });
}

void Herder::Core::change_offsets(RequestId request, const AlterOffsets& r, bool fenced) {
  if (!book_.is_open(request) || !known_or_404(request, r.name, "Connector ", " not found")) return;
  if (configs_.target_state(r.name) != protocol::TargetState::Stopped || configs_.runnable_task_count(r.name) != 0) {
    return book_.reply(
        request, Error(ErrorKind::InvalidConfig,
                       "Connectors must be in the STOPPED state before their offsets can be modified. This can be done for the "
                       "specified connector by issuing a 'PUT' request to the '/connectors/" +
                           r.name + "/stop' endpoint"));
  }
  if (workload_.tasks_run(r.name)) {
    // A task that is still on its way down may commit offsets.
    when_no_tasks_run_.emplace_back(r.name, [this, request, r, fenced] { change_offsets(request, r, fenced); });
    return;
  }
  const bool source = board_.kind_of(r.name) == ConnectorKind::Source;
  // While exactly once is rolled out, others may be enabled already: one that sleeps would commit over the new offsets.
  if (source && options_.exactly_once != ExactlyOnce::Disabled && !fenced) {
    return fencing_.fence(r.name, [this, request, r](const Answer& answer) {
      if (!answer) return book_.reply(request, answer.error());
      change_offsets(request, r, true);
    });
  }
  const RequestId id = questions_.ask("changing the offsets of connector " + r.name, options_.request_timeout,
                                      [this, request](const Answer& answer) {
                                        if (answer) return book_.reply(request, Message{*answer});
                                        book_.reply(request, answer.error());
                                      });
  turn_.order(
      ChangeOffsets{.request = id, .connector = r.name, .config = *configs_.config(r.name), .offsets_json = r.offsets_json});
}

// Asked after the id of the first task was fenced. What is in the log by now is seen here; tasks that come later fence that id
// before any of them reads its offsets, and the write fails.
void Herder::Core::on(const OffsetChangeAsked& e) {
  const auto refuse = [this, e](const std::string& why) {
    turn_.order(AnswerOffsetChange{
        .request = e.request,
        .refused = Error(ErrorKind::Conflict,
                         std::string(kConflictingOperation) + ": " + why + ". The offsets of connector " + e.connector +
                             " are as they were; stop it, if it is not stopped, and send the request again.")});
  };
  membership_.confirm([this, e, refuse](const Answer& member) {
    if (!member) return refuse(member.error().message());
    log_.read_to_end("the offsets of " + e.connector + " are about to be written", [this, e, refuse](const Answer& read) {
      if (!read) return refuse("the config topic could not be read to its end: " + read.error().message());
      if (const auto why = bars_offset_change(e)) return refuse(*why);
      turn_.order(AnswerOffsetChange{.request = e.request, .refused = std::nullopt});
    });
  });
}

std::optional<std::string> Herder::Core::bars_offset_change(const OffsetChangeAsked& e) const {
  if (!questions_.is_open(e.request)) return "the request has timed out meanwhile";
  if (!membership_.leads()) return "this worker no longer leads the group";
  if (!configs_.contains(e.connector)) return "the connector was deleted meanwhile";
  if (configs_.target_state(e.connector) != protocol::TargetState::Stopped) return "the connector was resumed meanwhile";
  if (configs_.runnable_task_count(e.connector) != 0 || workload_.tasks_run(e.connector)) return "the connector has tasks again";
  return std::nullopt;
}

}  // namespace fencepost::herder
