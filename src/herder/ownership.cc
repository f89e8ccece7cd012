#include "herder/ownership.h"

#include <utility>

namespace fencepost::herder {

void Ownership::on(const OwnershipAsked& e) {
  if (!workload_.current_run(e.task, e.run)) {
    answer(e, "this run of " + e.task.to_string() + " was stopped or replaced on this worker");
    return;
  }
  hooks_.confirm_membership([this, e](const Answer& member) {
    if (!member) return answer(e, member.error().message());
    log_.read_to_end("is " + e.task.to_string() + " still the owner", [this, e](const Answer& read) {
      if (!read) return answer(e, "the config topic could not be read to its end: " + read.error().message());
      judge(e);
    });
  });
}

void Ownership::judge(const OwnershipAsked& e) {
  const auto started_with = workload_.current_run(e.task, e.run);
  if (!started_with) return answer(e, "this run of " + e.task.to_string() + " was stopped or replaced on this worker");
  const auto newest = configs_.task_config_generation(e.task.connector);
  if (newest != started_with->task_config_generation) {
    const auto text = [](const std::optional<std::int32_t>& generation) {
      return generation ? std::to_string(*generation) : "none";
    };
    return answer(e, "newer task configs of connector " + e.task.connector + " are in the config topic (generation " +
                         text(newest) + ", this run started with " + text(started_with->task_config_generation) + ")");
  }
  if (configs_.pending_fencing(e.task.connector)) {
    return answer(e, "the task configs of connector " + e.task.connector + " are newer than its task count record");
  }
  answer(e, std::nullopt);
}

std::string Ownership::successor_of(const TaskId& task) const {
  const protocol::Status* status = board_.last_of_another(task);
  if (status == nullptr || status->state == protocol::RunState::Unassigned) return {};
  return status->worker_id + ", generation " + status->generation.to_string();
}

void Ownership::answer(const OwnershipAsked& e, std::optional<std::string> superseded) {
  if (superseded) {
    const std::string successor = successor_of(e.task);
    if (!successor.empty()) *superseded = successor + " (" + *superseded + ")";
    *superseded += "; this worker's own generation is " + hooks_.generation().to_string();
  }
  turn_.order(AnswerOwnership{.task = e.task,
                              .run = e.run,
                              .request = e.request,
                              .superseded = std::move(superseded),
                              .late_fence_possible = hooks_.others_may_have_run(e.task)});
}

}  // namespace fencepost::herder
