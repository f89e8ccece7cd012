#include <utility>

#include "herder/core.h"
#include "json/writer.h"

namespace fencepost::herder {

namespace {

std::string task_configs_body(const std::vector<Properties>& configs) {
  std::string body;
  json::Writer writer(body);
  writer.begin_array();
  for (const Properties& config : configs) {
    writer.begin_object();
    for (const auto& [key, value] : config) {
      writer.key(key);
      if (value) {
        writer.string(*value);
      } else {
        writer.null();
      }
    }
    writer.end_object();
  }
  writer.end_array();
  return body;
}

}  // namespace

void Herder::Core::change_as_leader(const std::string& what, std::function<void(const Error&)> refused,
                                    std::function<void(ConfigWriter::Done)> go) {
  writer_.submit(what, [this, what, refused = std::move(refused), go = std::move(go)](const ConfigWriter::Done& done) {
    const auto give_up = [refused, done](const Error& error) {
      refused(error);
      done();
    };
    log_.read_to_end_as_leader(what, [go, done, give_up](const Answer& answer) {
      if (!answer && answer.error().kind() == ErrorKind::Conflict) {
        return give_up(Error(ErrorKind::Conflict, std::string(kConflictingOperation) + ": " + answer.error().message() + "."));
      }
      if (!answer) return give_up(Error(answer.error()).while_doing("reading the config topic to its end"));
      go(done);
    });
  });
}

void Herder::Core::fence_through_leader(const std::string& connector, const Then& then) {
  if (membership_.leads()) return fencing_.fence(connector, then);
  const std::string url = membership_.leader_url();
  if (url.empty()) return then(failure(ErrorKind::Conflict, "no worker is known to lead the group"));
  auto signature = keys_.sign(membership_.protocol(), "");
  if (!signature) return then(Failure(signature.error()));
  const RequestId id = questions_.ask("asking the leader at " + url + " to fence " + connector, options_.request_timeout, then);
  turn_.order(AskLeaderToFence{.request = id, .leader_url = url, .connector = connector, .signature = *std::move(signature)});
}

void Herder::Core::publish_task_configs(const std::string& connector, const std::vector<Properties>& configs, const Then& then) {
  if (membership_.leads()) return write_task_configs(connector, configs, then);
  const std::string url = membership_.leader_url();
  if (url.empty()) return then(failure(ErrorKind::Conflict, "no worker is known to lead the group"));
  std::string body = task_configs_body(configs);
  auto signature = keys_.sign(membership_.protocol(), body);
  if (!signature) return then(Failure(signature.error()));
  const RequestId id =
      questions_.ask("sending the task configs of " + connector + " to the leader at " + url, options_.request_timeout, then);
  turn_.order(SendTaskConfigsToLeader{
      .request = id, .leader_url = url, .connector = connector, .body = std::move(body), .signature = *std::move(signature)});
}

// The tasks and the commit that puts them into force: together where the log takes them together, so that no leader that is lost
// between the two leaves half of them; else the commit once the tasks are known to be there. What says nothing new is not
// written: a follower that repeats its request must not restart the tasks.
void Herder::Core::write_task_configs(const std::string& connector, const std::vector<Properties>& configs, const Then& then) {
  change_as_leader(
      "writing the task configs of connector " + connector, [then](const Error& error) { then(Failure(error)); },
      [this, connector, configs, then](const ConfigWriter::Done& done) {
        const auto finish = [then, done](const Answer& answer) {
          then(answer);
          done();
        };
        if (!configs_.contains(connector)) return finish(failure(ErrorKind::NotFound, "Connector " + connector + " not found"));
        if (configs_.target_state(connector) == protocol::TargetState::Stopped && !configs.empty()) {
          return finish(
              failure(ErrorKind::Conflict, "Cannot submit task configs for connector " + connector + " as it is stopped"));
        }
        if (!task_configs_are_news(configs_, connector, configs)) return finish(std::string());
        const std::string what = "task configurations of connector " + connector;
        std::vector<protocol::Record> records;
        for (const Properties& config : configs) {
          records.push_back(protocol::task_record(TaskId{connector, static_cast<std::int32_t>(records.size())}, config));
        }
        const auto commit = protocol::commit_record(connector, static_cast<std::int32_t>(configs.size()));
        if (records.empty() || log_.transactional()) {
          records.push_back(commit);
          return log_.write(std::move(records), true, what, finish);
        }
        log_.write(std::move(records), true, what, [this, commit, what, finish](const Answer& written) {
          if (!written) return finish(written);
          log_.write({commit}, true, what, finish);
        });
      });
}

// ---- restarts asked for in the config topic (KIP-745): each worker restarts what it runs ----

namespace {

bool failed(const protocol::Status* status) { return status != nullptr && status->state == protocol::RunState::Failed; }

}  // namespace

void Herder::Core::apply_restart(const protocol::RestartRequest& request) {
  const std::string& connector = request.connector;
  if (!configs_.contains(connector)) return;
  const auto restarts = [&](const protocol::StatusOwner& owner) {
    return !request.only_failed || failed(board_.state().find(owner));
  };
  const auto write_restarting = [&](const protocol::StatusOwner& owner) {
    board_.write(owner, protocol::RunState::Restarting, "", membership_.generation(), protocol::StatusWrites::Always);
  };
  if (workload_.assigned(connector) && restarts(connector)) {
    write_restarting(connector);
    workload_.restart(connector, [] {});
  }
  if (!request.include_tasks) return;
  for (const TaskId& task : configs_.tasks(connector)) {
    if (!workload_.assigned(task) || !restarts(task)) continue;
    write_restarting(task);
    workload_.restart(task, [] {});
  }
}

ConnectorStatus Herder::Core::planned(const std::string& name, const protocol::RestartRequest& request) const {
  ConnectorStatus plan =
      board_.status(name).value_or(ConnectorStatus{.name = name, .connector = {}, .tasks = {}, .kind = board_.kind_of(name)});
  const auto set_restarting = [&](StateInfo& state) {
    if (request.only_failed && state.state != "FAILED") return;
    state.state = "RESTARTING";
    state.trace.clear();
  };
  set_restarting(plan.connector);
  if (request.include_tasks) {
    for (auto& task : plan.tasks) set_restarting(task.state);
  }
  return plan;
}

}  // namespace fencepost::herder
