#include "runtime/connector_run.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/settings.h"
#include "runtime/topic_creation.h"
#include "runtime/traces.h"

namespace fencepost::runtime {
namespace {

/// Runs a plugin's code: what it throws comes back as a trace.
template <class Call>
std::optional<std::string> trace_of_call(Call call) {
  try {
    call();
    return std::nullopt;
  } catch (...) {
    return trace_of(std::current_exception());
  }
}

bool has_reference(const std::string& value) {
  const auto begin = value.find("${");
  return begin != std::string::npos && value.find('}', begin) != std::string::npos;
}

/// Task configs are stored in the config topic, so a setting that the user wrote as a reference to a secret goes back to being
/// the reference.
void put_references_back(const Properties& written, Properties& task) {
  for (const auto& [name, value] : written) {
    if (value && has_reference(*value) && task.contains(name)) task.set(name, value);
  }
}

}  // namespace

ConnectorRun::ConnectorRun(herder::StartConnector order, RunSurroundings surroundings)
    : Actor(surroundings.scheduler),
      order_(std::move(order)),
      surroundings_(std::move(surroundings)),
      plugin_log_(surroundings_.log),
      target_(order_.target) {}

void ConnectorRun::begin() {
  post([this] { move_to(target_); });
}

ConnectorRun::~ConnectorRun() = default;

void ConnectorRun::stop() {
  if (stopping_.exchange(true)) return;
  wake();
}

void ConnectorRun::change_target(herder::TargetState target) {
  post([this, target] { move_to(target); });
}

void ConnectorRun::give_up() {
  if (!ended_.exchange(true)) surroundings_.report(herder::ConnectorEnded{order_.connector, order_.run});
}

Steady::time_point ConnectorRun::proceed() {
  if (stopping_ && !ended_) {
    stop_plugin();
    give_up();
  }
  return Steady::time_point::max();
}

void ConnectorRun::move_to(herder::TargetState target) {
  if (stopping_) return;
  target_ = target;
  if (target == herder::TargetState::Started) {
    if (state_ == State::Running) return report(herder::RunState::Running);
    if (const auto started = start_plugin(); !started) return fail(started.error().message());
    state_ = State::Running;
    return report(herder::RunState::Running);
  }
  if (state_ == State::Failed) return;  // it stays failed until it is restarted
  stop_plugin();
  const bool paused = target == herder::TargetState::Paused;
  state_ = paused ? State::Paused : State::Stopped;
  report(paused ? herder::RunState::Paused : herder::RunState::Stopped);
}

/// The error's message is a whole trace.
Result<void> ConnectorRun::start_plugin() {
  const auto refuse = [](const Error& error) { return failure(error.kind(), trace_of(error)); };
  const auto& ports = surroundings_.ports;
  const auto config = ports.resolve ? ports.resolve(order_.config) : Result<Properties>(order_.config);
  if (!config) return refuse(config.error());
  const std::string name = config->get_or("connector.class", "");
  plugin_ = ports.plugins->find(PluginKind::Source, name);
  if (plugin_ != nullptr) {
    if (const auto rules = TopicRules::from(*config); !rules) return refuse(rules.error());
    offsets_ = std::make_unique<ConnectorOffsets>(order_.connector,
                                                  OffsetsPlace::of(surroundings_.options, *config, ports.offsets->topic()),
                                                  surroundings_.options, *ports.offsets, *ports.clients, surroundings_.log);
  } else {
    plugin_ = ports.plugins->find(PluginKind::Sink, name);
  }
  if (plugin_ == nullptr) return refuse(Error(ErrorKind::InvalidConfig, "connector.class: no connector is called " + name));
  const auto trace = trace_of_call([&] {
    if (const auto* source = std::get_if<SourcePlugin>(&plugin_->factory)) {
      connector_ = source->connector();
    } else {
      connector_ = std::get<SinkPlugin>(plugin_->factory).connector();
    }
    connector_->start(to_config_map(*config), *this);
  });
  if (!trace) return {};
  connector_.reset();
  return failure(ErrorKind::Failed, *trace);
}

void ConnectorRun::stop_plugin() noexcept {
  if (connector_) connector_->stop();
  connector_.reset();
  offsets_.reset();
}

void ConnectorRun::fail(std::string trace) {
  surroundings_.log.error("connector failed: " + trace);
  stop_plugin();
  state_ = State::Failed;
  report(herder::RunState::Failed, std::move(trace));
}

void ConnectorRun::report(herder::RunState state, std::string trace) {
  if (ended_ || stopping_) return;
  surroundings_.report(herder::ConnectorStateChanged{order_.connector, order_.run, state, std::move(trace)});
}

void ConnectorRun::generate_task_configs(Properties config) {
  post([this, config = std::move(config)] {
    if (ended_) return;
    surroundings_.report(herder::TaskConfigsGenerated{order_.connector, order_.run, task_configs(config)});
  });
}

Result<std::vector<Properties>> ConnectorRun::task_configs(const Properties& config) {
  if (!connector_) {
    return failure(ErrorKind::Unavailable,
                   fmt::format("connector {} does not run, so it cannot say what its tasks are", order_.connector));
  }
  FENCEPOST_TRY(const auto tasks_max, whole_number(config, "tasks.max", 1));
  std::vector<ConfigMap> made;
  if (const auto trace = trace_of_call([&] { made = connector_->task_configs(static_cast<std::int32_t>(tasks_max)); })) {
    return failure(ErrorKind::Failed, *trace);
  }
  if (std::cmp_greater(made.size(), tasks_max)) {
    const std::string text = fmt::format(
        "The connector {} has generated {} tasks, which is greater than {}, the maximum number of tasks it is configured to "
        "create",
        order_.connector, made.size(), tasks_max);
    if (flag(config, "tasks.max.enforce", true)) return failure(ErrorKind::Failed, text);
    surroundings_.log.warn(text);
  }
  const auto* source = std::get_if<SourcePlugin>(&plugin_->factory);
  const std::string& task_class = source != nullptr ? source->task_class : std::get<SinkPlugin>(plugin_->factory).task_class;
  std::vector<Properties> out;
  for (const ConfigMap& settings : made) {
    Properties task;
    for (const auto& [name, value] : settings) task.set(name, value);
    task.set("task.class", task_class);
    if (source == nullptr) {
      for (const char* topics : {"topics", "topics.regex"}) {
        if (const auto value = config.get(topics)) task.set(topics, value);
      }
    }
    put_references_back(config, task);
    out.push_back(std::move(task));
  }
  return out;
}

void ConnectorRun::request_task_reconfiguration() {
  if (!ended_ && !stopping_) surroundings_.report(herder::TaskReconfigurationRequested{order_.connector, order_.run});
}

void ConnectorRun::raise_error(const ConnectError& reason) {
  post([this, trace = trace_of(std::make_exception_ptr(reason))] {
    if (!stopping_ && state_ != State::Failed) fail(trace);
  });
}

}  // namespace fencepost::runtime
