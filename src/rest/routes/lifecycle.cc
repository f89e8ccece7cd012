#include "rest/routes/handlers.h"
#include "rest/routes/task_number.h"

namespace fencepost::rest::routes {

void restart_connector(const CallPtr& call) {
  call->ask(herder::RestartConnector{
      .name = call->parameter(0), .only_failed = call->flag("onlyFailed"), .include_tasks = call->flag("includeTasks")});
}

void restart_task(const CallPtr& call) {
  call->ask(herder::RestartTask{TaskId{call->parameter(0), parse_task_number(call->parameter(1)).value_or(-1)}});
}

void pause(const CallPtr& call) { call->ask(herder::SetTargetState{call->parameter(0), herder::TargetState::Paused}); }

void resume(const CallPtr& call) { call->ask(herder::SetTargetState{call->parameter(0), herder::TargetState::Started}); }

void stop(const CallPtr& call) { call->ask(herder::SetTargetState{call->parameter(0), herder::TargetState::Stopped}); }

}  // namespace fencepost::rest::routes
