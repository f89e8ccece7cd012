#include "daemon/stores.h"

#include <fmt/format.h>

#include <future>

#include "daemon/translate_settings.h"

namespace fencepost::daemon {
namespace {

Result<kafka::TopicLogOptions> log_options(const config::WorkerConfig& config, const config::InternalTopic& topic,
                                           const std::string& setting, std::string_view purpose,
                                           const std::shared_ptr<kafka::Admin>& admin, EventBox& events) {
  kafka::TopicLogOptions out;
  out.topic.name = topic.name;
  out.topic.partitions = topic.partitions;
  out.topic.replication_factor = topic.replication_factor;
  for (const auto& [key, value] : topic.settings) {
    if (value) out.topic.configs[key] = *value;
  }
  out.setting = setting;
  FENCEPOST_TRY(out.consumer, worker_client(config, kafka::ClientKind::Consumer, purpose, kafka::log_consumer_defaults()));
  out.shared_admin = admin;
  out.on_start_step = [&events, component = fmt::format("{} log", setting.substr(0, setting.find('.'))),
                       what = fmt::format("the topic '{}' ({})", topic.name, setting),
                       brokers = fmt::format("a broker at {}", fmt::join(config.bootstrap_servers, ","))](
                          std::string_view doing, std::string_view last_failure) {
    if (doing.empty()) return void(events.put(herder::StartStepTaken{component, {}, {}}));
    std::string waits_for = brokers;
    if (!last_failure.empty()) waits_for += fmt::format(" (the last try: {})", last_failure);
    events.put(herder::StartStepTaken{component, fmt::format("{} {}", doing, what), std::move(waits_for)});
  };
  return out;
}

}  // namespace

Result<std::unique_ptr<Stores>> Stores::make(const config::WorkerConfig& config, EventBox& events, const Log& log) {
  auto out = std::make_unique<Stores>();
  const auto post = [&events](herder::Event event) { events.put(std::move(event)); };
  FENCEPOST_TRY(kafka::Translated producer,
                worker_client(config, kafka::ClientKind::Producer, "stores", kafka::log_producer_defaults()));
  out->writer_ = std::make_shared<kafka::LogWriter>(std::move(producer), log);

  FENCEPOST_TRY(const kafka::Translated admin_settings, worker_client(config, kafka::ClientKind::Admin, "stores"));
  FENCEPOST_TRY(const std::shared_ptr<kafka::Admin> admin, kafka::Admin::create(admin_settings, log));

  store::ConfigLogOptions configs;
  FENCEPOST_TRY(configs.log, log_options(config, config.config_topic, "config.storage.topic", "configs", admin, events));
  configs.log.single_partition = true;
  if (config.transactional_leader()) {
    const Properties musts{
        {"transactional.id", config.leader_transactional_id()}, {"enable.idempotence", "true"}, {"acks", "all"}};
    FENCEPOST_TRY(configs.leader,
                  worker_client(config, kafka::ClientKind::Producer, "leader", kafka::log_producer_defaults(), musts));
  }
  out->configs_ = std::make_unique<store::ConfigLog>(std::move(configs), out->writer_, log, post);

  FENCEPOST_TRY(kafka::TopicLogOptions statuses,
                log_options(config, config.status_topic, "status.storage.topic", "statuses", admin, events));
  out->statuses_ = std::make_unique<store::StatusLog>(std::move(statuses), out->writer_, log, post);
  FENCEPOST_TRY(kafka::TopicLogOptions offsets,
                log_options(config, config.offset_topic, "offset.storage.topic", "offsets", admin, events));
  // A task must see all that its predecessor committed, be it behind the open transaction of another task that has died; a worker
  // may start before that one is over.
  offsets.open_transactions = kafka::OpenTransactions::AwaitedAfterStart;
  out->offsets_ = std::make_unique<store::OffsetLog>(std::move(offsets), out->writer_, log);
  return out;
}

Result<void> Stores::start(std::chrono::milliseconds timeout) {
  auto statuses = std::async(std::launch::async, [&] { return statuses_->start(timeout); });
  auto offsets = std::async(std::launch::async, [&] { return offsets_->start(timeout); });
  Result<void> configs = configs_->start(timeout);
  for (const Result<void>& outcome : {configs, statuses.get(), offsets.get()}) {
    if (!outcome) return Failure(outcome.error());
  }
  return {};
}

void Stores::stop() {
  if (configs_ != nullptr) configs_->stop();
  if (statuses_ != nullptr) statuses_->stop();
  if (offsets_ != nullptr) offsets_->stop();
}

}  // namespace fencepost::daemon
