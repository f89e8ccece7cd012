#include <utility>

#include "herder/core.h"

namespace fencepost::herder {

void Herder::Core::serve(const RequestReceived& e, const RestartConnector& r) {
  if (!r.include_tasks && !r.only_failed) {
    if (!known_or_404(e.request, r.name, "Unknown connector: ", "")) return;
    if (workload_.assigned(r.name))
      return workload_.restart(r.name, [this, request = e.request] { book_.reply(request, Done{}); });
    return forward(e, membership_.leads() ? membership_.owner_url(r.name).value_or("") : membership_.leader_url());
  }
  if (!leads_or_forwards(e)) return;
  change(e.request, "restarting connector " + r.name, [this, request = e.request, r](const ConfigWriter::Done& done) {
    if (!known_or_404(request, r.name, "Unknown connector: ", "")) return done();
    const protocol::RestartRequest restart{.connector = r.name, .only_failed = r.only_failed, .include_tasks = r.include_tasks};
    if (!board_.status(r.name)) {
      book_.reply(request, Error(ErrorKind::NotFound, "Status for connector " + r.name + " not found"));
      return done();
    }
    log_.write({protocol::restart_record(restart)}, true, "restart of connector " + r.name,
               [this, request, plan = planned(r.name, restart), done](const Answer& answer) {
                 if (answer) {
                   book_.reply(request, RestartPlanned{plan});
                 } else {
                   book_.reply(request, answer.error());
                 }
                 done();
               });
  });
}

void Herder::Core::serve(const RequestReceived& e, const RestartTask& r) {
  if (!known_or_404(e.request, r.task.connector, "Unknown connector: ", "")) return;
  if (configs_.task_config(r.task) == nullptr) {
    return book_.reply(e.request, Error(ErrorKind::NotFound, "Unknown task: " + r.task.to_string()));
  }
  if (workload_.assigned(r.task)) return workload_.restart(r.task, [this, request = e.request] { book_.reply(request, Done{}); });
  forward(e, membership_.leads() ? membership_.owner_url(r.task).value_or("") : membership_.leader_url());
}

}  // namespace fencepost::herder
