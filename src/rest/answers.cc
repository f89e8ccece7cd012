#include "rest/answers.h"

#include <fmt/format.h>

#include <type_traits>
#include <variant>

#include "json/writer.h"

namespace fencepost::rest {
namespace {

using json::Writer;

std::string_view name_of(herder::ConnectorKind kind) {
  switch (kind) {
    case herder::ConnectorKind::Source:
      return "source";
    case herder::ConnectorKind::Sink:
      return "sink";
    case herder::ConnectorKind::Unknown:
      return "unknown";
  }
  return "unknown";
}

void put(Writer& out, const Properties& config) {
  out.begin_object();
  for (const auto& [name, value] : config) {
    out.key(name);
    value ? out.string(*value) : out.null();
  }
  out.end_object();
}

void put(Writer& out, const TaskId& task) {
  out.begin_object().key("connector").string(task.connector).key("task").integer(task.task).end_object();
}

void put(Writer& out, const herder::ConnectorInfo& info) {
  out.begin_object().key("name").string(info.name).key("config");
  put(out, info.config);
  out.key("tasks").begin_array();
  for (const TaskId& task : info.tasks) put(out, task);
  out.end_array().key("type").string(name_of(info.kind)).end_object();
}

/// The members only: a task's state stands beside its number.
void put_members(Writer& out, const herder::StateInfo& state) {
  out.key("state").string(state.state).key("worker_id").string(state.worker_id);
  if (!state.version.empty()) out.key("version").string(state.version);
  if (!state.trace.empty()) out.key("trace").string(state.trace);
}

void put(Writer& out, const herder::TaskStateInfo& task) {
  out.begin_object().key("id").integer(task.task);
  put_members(out, task.state);
  out.end_object();
}

void put(Writer& out, const herder::ConnectorStatus& status) {
  out.begin_object().key("name").string(status.name).key("connector").begin_object();
  put_members(out, status.connector);
  out.end_object().key("tasks").begin_array();
  for (const auto& task : status.tasks) put(out, task);
  out.end_array().key("type").string(name_of(status.kind)).end_object();
}

template <class T>
HttpReply reply_with(int status, const T& value) {
  std::string body;
  Writer out(body);
  put(out, value);
  return HttpReply::json(status, std::move(body));
}

HttpReply reply(const herder::Done&) { return {204, {}, {}}; }
HttpReply reply(const herder::Accepted&) { return {202, {}, {}}; }
HttpReply reply(const herder::ConnectorInfo& info) { return reply_with(200, info); }
HttpReply reply(const herder::Created& created) { return reply_with(201, created.info); }
HttpReply reply(const herder::Config& config) { return reply_with(200, config.config); }
HttpReply reply(const herder::ConnectorStatus& status) { return reply_with(200, status); }
HttpReply reply(const herder::TaskStateInfo& state) { return reply_with(200, state); }
HttpReply reply(const herder::RestartPlanned& plan) { return reply_with(202, plan.status); }
HttpReply reply(const Error& error) { return error_reply(status_of(error.kind()), error.message()); }

HttpReply reply(const herder::Names& names) {
  std::string body;
  Writer out(body);
  out.begin_array();
  for (const auto& name : names.names) out.string(name);
  out.end_array();
  return HttpReply::json(200, std::move(body));
}

HttpReply reply(const herder::TaskConfigs& configs) {
  std::string body;
  Writer out(body);
  out.begin_array();
  for (const auto& [task, config] : configs.tasks) {
    out.begin_object().key("id");
    put(out, task);
    out.key("config");
    put(out, config);
    out.end_object();
  }
  out.end_array();
  return HttpReply::json(200, std::move(body));
}

HttpReply reply(const herder::ActiveTopics& active) {
  std::string body;
  Writer out(body);
  out.begin_object().key(active.connector).begin_object().key("topics").begin_array();
  for (const auto& topic : active.topics) out.string(topic);
  out.end_array().end_object().end_object();
  return HttpReply::json(200, std::move(body));
}

HttpReply reply(const herder::Offsets& offsets) {
  std::string body;
  Writer(body).begin_object().key("offsets").raw(offsets.offsets_json).end_object();
  return HttpReply::json(200, std::move(body));
}

HttpReply reply(const herder::Message& message) {
  std::string body;
  Writer(body).begin_object().key("message").string(message.text).end_object();
  return HttpReply::json(200, std::move(body));
}

/// A ready worker answers exactly as Java's. One that is not names each part that it waits for, since when.
HttpReply reply(const herder::Health& health) {
  std::string body;
  Writer out(body);
  out.begin_object().key("status").string(health.ready ? "healthy" : "starting").key("message");
  if (health.ready) {
    out.string("Worker has completed startup and is ready to handle requests.");
  } else {
    out.string(health.message.empty() ? "Worker is still starting up." : "Worker is still starting up. " + health.message);
    out.key("components").begin_array();
    for (const auto& stage : health.stages) {
      out.begin_object().key("component").string(stage.component).key("doing").string(stage.doing);
      out.key("since").integer(stage.since_ms).end_object();
    }
    out.end_array();
  }
  out.end_object();
  return HttpReply::json(health.ready ? 200 : 503, std::move(body));
}

HttpReply reply(const herder::ForwardTo&) { return error_reply(409, herder::kConflictingOperation); }

}  // namespace

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::InvalidConfig:
      return 400;
    case ErrorKind::NotFound:
      return 404;
    case ErrorKind::Conflict:
      return 409;
    case ErrorKind::Forbidden:
      return 403;
    case ErrorKind::Unavailable:
      return 503;
    case ErrorKind::Timeout:
    case ErrorKind::Fenced:
    case ErrorKind::Corrupt:
    case ErrorKind::Failed:
    case ErrorKind::Bug:
      return 500;
  }
  return 500;
}

HttpReply to_reply(const herder::Response& response) {
  return std::visit([](const auto& answer) { return reply(answer); }, response);
}

std::string expand(const herder::View& views, bool with_status, bool with_info) {
  std::string body;
  Writer out(body);
  out.begin_object();
  for (const auto& [name, view] : views) {
    // As in Java, a connector of which something asked for is not known yet is left out.
    if (with_status && !view->status) continue;
    out.key(name).begin_object();
    if (with_status) {
      out.key("status");
      put(out, *view->status);
    }
    if (with_info) {
      out.key("info");
      put(out, view->info);
    }
    out.end_object();
  }
  out.end_object();
  return body;
}

}  // namespace fencepost::rest
