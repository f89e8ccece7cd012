// How a source task comes to life: the part of SourceTaskRun that carries out exactly_once::SourceTaskStart.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kafka/client_settings.h"
#include "runtime/plain_writer.h"
#include "runtime/settings.h"
#include "runtime/source_task_run.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

/// A step that failed and may pass is repeated after a pause that doubles from here.
constexpr auto kStartBackoff = 200ms;
/// Brokers allow transactions of 15 minutes unless told otherwise, so only a timeout beyond the default of a minute is likely to
/// be refused; that is found out at the start then, not with the first record.
constexpr std::int64_t kTransactionTimeoutUsualMs = 60'000;

Result<exactly_once::Boundary> boundary_of(const Properties& config) {
  const std::string text = lower(config.get_or("transaction.boundary", "poll"));
  if (text == "poll") return exactly_once::Boundary::Poll;
  if (text == "interval") return exactly_once::Boundary::Interval;
  if (text == "connector") return exactly_once::Boundary::Connector;
  return failure(ErrorKind::InvalidConfig, "transaction.boundary is '" + text + "'; use poll, interval or connector");
}

}  // namespace

void SourceTaskRun::begin_start() {
  ++life_;
  phase_ = Phase::Starting;
  start_failures_ = 0;
  if (const auto ready = set_up(); !ready) {
    fail(trace_of(ready.error()));
    return;
  }
  if (order().exactly_once) {
    start_.emplace();
    drive_start(exactly_once::StartOrdered{});
  } else {
    load_offsets();
  }
}

Result<void> SourceTaskRun::set_up() {
  const RunSurroundings& around = surroundings();
  FENCEPOST_TRY(config_, around.ports.resolve ? around.ports.resolve(order().connector_config)
                                              : Result<Properties>(order().connector_config));
  FENCEPOST_TRY(const Properties task_config,
                around.ports.resolve ? around.ports.resolve(order().task_config) : Result<Properties>(order().task_config));
  const std::string connector_class = config_.get_or("connector.class", "");
  const PluginDescriptor* plugin = around.ports.plugins->find(PluginKind::Source, connector_class);
  if (plugin == nullptr)
    return failure(ErrorKind::InvalidConfig, "connector.class: no source connector is called " + connector_class);

  FENCEPOST_TRY(auto transforms, make_transforms(*around.ports.plugins, config_));
  FENCEPOST_TRY(auto converters, make_converters(*around.ports.plugins, config_, around.options.worker));
  FENCEPOST_TRY(const auto policy, ErrorPolicy::from(config_));
  pipeline_ = std::make_unique<SourcePipeline>(std::move(transforms), std::move(converters), policy, log());

  auto place = OffsetsPlace::of(around.options, config_, around.ports.offsets->topic());
  FENCEPOST_TRY(auto rules, TopicRules::from(config_));
  topics_ = std::make_unique<TopicMaker>(std::move(rules), around.options.topic_creation_enabled, place.admin,
                                         *around.ports.clients, log());
  offsets_ = std::make_unique<ConnectorOffsets>(order().task.connector, std::move(place), around.options, *around.ports.offsets,
                                                *around.ports.clients, log());
  FENCEPOST_TRY(const auto boundary, boundary_of(config_));
  context_ =
      std::make_unique<SourceContext>(to_config_map(task_config), *offsets_,
                                      order().exactly_once && boundary == exactly_once::Boundary::Connector, log(), [this] {
                                        records_waiting_ = true;
                                        wake();
                                      });
  std::shared_ptr<SourceTask> made = std::get<SourcePlugin>(plugin->factory).task();
  wants_records_ = made->wants_commit_record();
  {
    const std::lock_guard lock(pointers_mutex_);
    plugin_ = std::move(made);
  }
  return set_up_writer(config_);
}

Result<void> SourceTaskRun::set_up_writer(const Properties& config) {
  const RunSurroundings& around = surroundings();
  const auto delivery = order().exactly_once ? kafka::Delivery::ExactlyOnce : kafka::Delivery::AtLeastOnce;
  Properties producer =
      kafka::task_client_properties(kafka::ClientKind::Producer, around.options.worker, kafka::source_producer_defaults(delivery),
                                    config.with_prefix("producer.override."));
  if (!producer.contains("client.id")) producer.set("client.id", "connector-producer-" + order().task.to_string());
  std::shared_ptr<SourceWriter> writer;
  if (order().exactly_once) {
    FENCEPOST_TRY(const auto boundary, boundary_of(config));
    FENCEPOST_TRY(const auto interval,
                  whole_number(config, "transaction.boundary.interval.ms", around.options.offset_flush_interval.count()));
    FENCEPOST_TRY(const auto timeout, whole_number(producer, "transaction.timeout.ms", kTransactionTimeoutUsualMs));
    // The worker's own wire client knows the coordinators of the worker's Kafka only.
    take_id_by_client_ = timeout > kTransactionTimeoutUsualMs || offsets_->place().elsewhere;
    transactional_id_ = around.options.group_id + "-" + order().task.to_string();
    producer.set("transactional.id", transactional_id_);
    transactions_ = around.transactions.record(order().task, transactional_id_);
    transactions_->running(true);
    auto made = std::make_shared<ExactlyOnceWriter>(ExactlyOnceWriter::Settings{.connector = order().task.connector,
                                                                                .producer = std::move(producer),
                                                                                .transactional_id = transactional_id_,
                                                                                .boundary = boundary,
                                                                                .interval = Duration(interval),
                                                                                .restarts = restarts_},
                                                    static_cast<WriterHost&>(*this), *around.ports.clients, *around.ports.offsets,
                                                    *offsets_, *topics_, transactions_, log());
    exactly_once_writer_ = made.get();
    writer = std::move(made);
  } else {
    writer = std::make_shared<PlainWriter>(PlainWriter::Settings{.connector = order().task.connector,
                                                                 .producer = std::move(producer),
                                                                 .flush_interval = around.options.offset_flush_interval,
                                                                 .flush_timeout = around.options.offset_flush_timeout,
                                                                 .tolerate = pipeline_->policy().tolerate},
                                           static_cast<WriterHost&>(*this), *around.ports.clients, *around.ports.offsets,
                                           *offsets_, *topics_, log());
  }
  const std::lock_guard lock(pointers_mutex_);
  writer_ = std::move(writer);
  return {};
}

void SourceTaskRun::drive_start(const exactly_once::StartEvent& event) {
  if (!start_) {  // without exactly once there is one step, the offsets
    load_offsets();
    return;
  }
  for (const auto& action : start_->apply(event)) carry_out(action);
}

void SourceTaskRun::carry_out(const exactly_once::StartAction& action) {
  if (std::holds_alternative<exactly_once::FenceOwnId>(action)) {
    fence_own_id();
  } else if (std::holds_alternative<exactly_once::AskOwnership>(action)) {
    ask_owner([this](const exactly_once::OwnershipAnswered& answer) { drive_start(answer); });
  } else if (std::holds_alternative<exactly_once::LoadOffsets>(action)) {
    load_offsets();
  } else if (std::holds_alternative<exactly_once::StartPolling>(action)) {
    start_plugin();
  } else if (const auto* abandon = std::get_if<exactly_once::AbandonStart>(&action)) {
    yield_to_successor(abandon->reason);
  } else if (const auto* failed = std::get_if<exactly_once::FailStart>(&action)) {
    fail(trace_of(failed->error));
  }
}

void SourceTaskRun::fence_own_id() {
  if (take_id_by_client_) {
    auto outcome = std::make_shared<Result<void>>();
    call_apart([this, outcome] { *outcome = exactly_once_writer_->make_client(); },
               [this, outcome] {
                 if (*outcome) {
                   drive_start(exactly_once::StepDone{});
                 } else {
                   step_failed(outcome->error());
                 }
               });
    return;
  }
  surroundings().ports.fencer->fence(transactional_id_, [self = shared_from_this(), this, life = life_](Result<void> fenced) {
    post([this, life, fenced = std::move(fenced)] {
      if (life != life_) return;
      if (fenced) {
        drive_start(exactly_once::StepDone{});
      } else {
        step_failed(fenced.error());
      }
    });
  });
}

void SourceTaskRun::load_offsets() {
  auto outcome = std::make_shared<Result<void>>();
  call_apart([this, outcome] { *outcome = offsets_->load(); },
             [this, outcome] {
               if (phase_ != Phase::Starting) return;
               if (!*outcome) {
                 step_failed(outcome->error());
               } else if (start_) {
                 drive_start(exactly_once::StepDone{});
               } else {
                 start_plugin();
               }
             });
}

void SourceTaskRun::step_failed(const Error& error) {
  if (phase_ != Phase::Starting) return;
  log().warn("a step of the start failed: " + error.message());
  ++start_failures_;
  if (!start_ && (!error.retriable() || start_failures_ >= exactly_once::kStartAttemptsMax)) {
    fail(trace_of(error));
    return;
  }
  // The machine decides whether to repeat it; it is told after a pause so that a repetition has a chance.
  start_retry_ = exactly_once::StepFailed{error};
  start_retry_at_ = Steady::now() + kStartBackoff * (1 << std::min(start_failures_ - 1, 5));
  if (!error.retriable() && error.kind() != ErrorKind::Fenced) start_retry_at_ = Steady::now();
  wake();
}

void SourceTaskRun::start_plugin() {
  // A connector made anew under an old name goes on where the old one was, which surprises people.
  if (const std::size_t known = offsets_->all().size(); known > 0) {
    log().info(
        fmt::format("goes on from the committed offsets of {} source partitions of connector {}; to begin from the start, "
                    "stop it and DELETE /connectors/{}/offsets",
                    known, order().task.connector, order().task.connector));
  }
  try {
    plugin_started_ = true;
    plugin_->start(context_->configs(), *context_);
  } catch (...) {
    fail(trace_of(std::current_exception()));
    return;
  }
  if (phase_ != Phase::Starting) return;
  phase_ = Phase::Running;
  poll_at_ = Steady::now();
  report_state(herder::RunState::Running);
  wake();
}

}  // namespace fencepost::runtime
