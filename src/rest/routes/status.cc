#include "rest/routes/handlers.h"
#include "rest/routes/task_number.h"

namespace fencepost::rest::routes {

void get_status(const CallPtr& call) { call->ask(herder::GetConnectorStatus{call->parameter(0)}); }

void get_tasks(const CallPtr& call) { call->ask(herder::GetTaskConfigs{call->parameter(0)}); }

void get_task_status(const CallPtr& call) {
  call->ask(herder::GetTaskStatus{TaskId{call->parameter(0), parse_task_number(call->parameter(1)).value_or(-1)}});
}

}  // namespace fencepost::rest::routes
