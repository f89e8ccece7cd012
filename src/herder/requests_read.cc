#include <utility>

#include "herder/core.h"

namespace fencepost::herder {

namespace {

/// What each request needs of the group before it can be served.
struct Needs {
  enum class Group : std::uint8_t { Nothing, ToHaveMet, ToBeSettled };
  Group operator()(const GetHealth&) const { return Group::Nothing; }
  Group operator()(const ListConnectors&) const { return Group::ToHaveMet; }
  Group operator()(const GetConnector&) const { return Group::ToHaveMet; }
  Group operator()(const GetConnectorConfig&) const { return Group::ToHaveMet; }
  Group operator()(const GetConnectorStatus&) const { return Group::ToHaveMet; }
  Group operator()(const GetTaskConfigs&) const { return Group::ToHaveMet; }
  Group operator()(const GetTaskStatus&) const { return Group::ToHaveMet; }
  Group operator()(const GetActiveTopics&) const { return Group::ToHaveMet; }
  Group operator()(const GetOffsets&) const { return Group::ToHaveMet; }
  Group operator()(const ResetActiveTopics&) const { return Group::ToHaveMet; }
  Group operator()(const auto&) const { return Group::ToBeSettled; }
};

}  // namespace

void Herder::Core::on(const RequestReceived& e) {
  book_.open(e);
  if (life_ == Life::Stopping) return book_.refuse(e.request, ErrorKind::Unavailable, "The worker is shutting down.");
  serve(e);
}

void Herder::Core::serve(const RequestReceived& e) {
  const auto need = std::visit(Needs{}, e.what);
  const bool ready =
      need == Needs::Group::Nothing || (need == Needs::Group::ToHaveMet && membership_.ever_settled()) || membership_.settled();
  if (!ready) {
    // A worker that starts has nothing to tell its clients yet, and no conflict either: they wait, as long as any request may.
    return life_ == Life::Starting ? book_.hold_until_started(e) : book_.hold(e);
  }
  std::visit([&](const auto& r) { serve(e, r); }, e.what);
}

void Herder::Core::serve_held() {
  if (life_ != Life::Running || !membership_.settled() || !book_.holds_any()) return;
  for (const RequestReceived& e : book_.take_held()) serve(e);
}

ConnectorInfo Herder::Core::info_of(const std::string& name) const {
  ConnectorInfo info{.name = name, .config = {}, .tasks = configs_.tasks(name), .kind = board_.kind_of(name)};
  if (const Properties* config = configs_.config(name)) info.config = *config;
  return info;
}

bool Herder::Core::known_or_404(RequestId request, const std::string& name, const std::string& before, const std::string& after) {
  if (configs_.contains(name)) return true;
  book_.reply(request, Error(ErrorKind::NotFound, before + name + after));
  return false;
}

void Herder::Core::serve(const RequestReceived& e, const ListConnectors&) {
  book_.reply(e.request, Names{configs_.connectors()});
}

void Herder::Core::serve(const RequestReceived& e, const GetConnector& r) {
  if (known_or_404(e.request, r.name, "Connector ", " not found")) book_.reply(e.request, info_of(r.name));
}

void Herder::Core::serve(const RequestReceived& e, const GetConnectorConfig& r) {
  if (known_or_404(e.request, r.name, "Connector ", " not found")) book_.reply(e.request, Config{*configs_.config(r.name)});
}

void Herder::Core::serve(const RequestReceived& e, const GetConnectorStatus& r) {
  if (auto status = board_.status(r.name)) return book_.reply(e.request, *std::move(status));
  book_.reply(e.request, Error(ErrorKind::NotFound, "No status found for connector " + r.name));
}

void Herder::Core::serve(const RequestReceived& e, const GetTaskStatus& r) {
  if (auto status = board_.status(r.task)) return book_.reply(e.request, *std::move(status));
  book_.reply(e.request, Error(ErrorKind::NotFound, "No status found for task " + r.task.to_string()));
}

void Herder::Core::serve(const RequestReceived& e, const GetTaskConfigs& r) {
  if (!known_or_404(e.request, r.name, "Connector ", " not found")) return;
  TaskConfigs answer;
  for (const TaskId& task : configs_.tasks(r.name)) answer.tasks.emplace_back(task, *configs_.task_config(task));
  book_.reply(e.request, std::move(answer));
}

void Herder::Core::serve(const RequestReceived& e, const GetActiveTopics& r) {
  ActiveTopics answer{.connector = r.name, .topics = {}};
  for (const auto& [topic, status] : board_.state().topics(r.name)) answer.topics.push_back(topic);
  book_.reply(e.request, std::move(answer));
}

void Herder::Core::serve(const RequestReceived& e, const ResetActiveTopics& r) {
  board_.reset_topics(r.name);
  book_.reply(e.request, Accepted{});
}

void Herder::Core::serve(const RequestReceived& e, const GetOffsets& r) {
  if (!known_or_404(e.request, r.name, "Connector ", " not found")) return;
  const RequestId id = questions_.ask("reading the offsets of connector " + r.name, options_.request_timeout,
                                      [this, request = e.request](const Answer& answer) {
                                        if (answer) return book_.reply(request, Offsets{*answer});
                                        book_.reply(request, answer.error());
                                      });
  turn_.order(ReadOffsets{.request = id, .connector = r.name, .config = *configs_.config(r.name)});
}

void Herder::Core::serve(const RequestReceived& e, const GetHealth&) { book_.reply(e.request, health()); }

}  // namespace fencepost::herder
