#include "runtime/sink_task_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kafka/client_settings.h"
#include "runtime/settings.h"
#include "runtime/traces.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;

namespace {

/// The group must see progress, and rebalances be heard of, also when no record comes.
constexpr auto kPollAtLeast = 500ms;
/// After RetriableError from put(), unless the task asked for another time (Connect's retry.backoff.ms for sinks).
constexpr auto kPutAgain = 3s;

Place to_place(const TopicPartition& at) { return {at.topic, at.partition}; }
TopicPartition to_partition(const Place& place) { return {place.topic, place.partition}; }

std::vector<TopicPartition> to_partitions(const std::vector<Place>& places) {
  std::vector<TopicPartition> out;
  for (const Place& place : places) out.push_back(to_partition(place));
  return out;
}

std::vector<Place> to_places(const std::set<TopicPartition>& partitions) {
  std::vector<Place> out;
  for (const TopicPartition& at : partitions) out.push_back(to_place(at));
  return out;
}

}  // namespace

SinkTaskRun::SinkTaskRun(herder::StartTask order, RunSurroundings surroundings)
    : TaskRun(std::move(order), std::move(surroundings)), plugin_log_(TaskRun::log()) {}

SinkTaskRun::~SinkTaskRun() = default;

/// Runs a plugin's code; false where the task failed in it.
template <class Call>
bool SinkTaskRun::guarded(Call call) {
  try {
    call();
    return true;
  } catch (...) {
    fail(trace_of(std::current_exception()));
    return false;
  }
}

Steady::time_point SinkTaskRun::proceed() {
  if (phase_ == Phase::Over) return Steady::time_point::max();
  if (stopping()) phase_ = Phase::Ending;
  if (phase_ == Phase::Waiting) {
    if (target() != herder::TargetState::Started) {
      if (!std::exchange(paused_told_, true)) report_state(herder::RunState::Paused);
      return Steady::time_point::max();
    }
    begin_start();
  }
  if (phase_ == Phase::Running || phase_ == Phase::Paused) {
    const auto due = run_turn(Steady::now());
    if (phase_ != Phase::Ending) return due;
  }
  end_turn();
  return Steady::time_point::max();
}

void SinkTaskRun::begin_start() {
  if (const auto ready = set_up(); !ready) return fail(trace_of(ready.error()));
  plugin_started_ = true;
  if (!guarded([this] { plugin_->start(task_config_, *this); })) return;
  phase_ = Phase::Running;
  next_commit_ = Steady::now() + surroundings().options.offset_flush_interval;
  report_state(herder::RunState::Running);
}

Result<void> SinkTaskRun::set_up() {
  const auto& ports = surroundings().ports;
  const auto resolve = [&](const Properties& written) {
    return ports.resolve ? ports.resolve(written) : Result<Properties>(written);
  };
  FENCEPOST_TRY(const Properties config, resolve(order().connector_config));
  FENCEPOST_TRY(const Properties task_config, resolve(order().task_config));
  task_config_ = to_config_map(task_config);
  const std::string name = config.get_or("connector.class", "");
  const PluginDescriptor* plugin = ports.plugins->find(PluginKind::Sink, name);
  if (plugin == nullptr) return failure(ErrorKind::InvalidConfig, "connector.class: no sink connector is called " + name);
  FENCEPOST_TRY(auto transforms, make_transforms(*ports.plugins, config));
  FENCEPOST_TRY(auto converters, make_converters(*ports.plugins, config, surroundings().options.worker));
  FENCEPOST_TRY(const auto policy, ErrorPolicy::from(config));
  FENCEPOST_TRY(auto letters, dead_letters(config));
  pipeline_ =
      std::make_unique<SinkPipeline>(std::move(transforms), std::move(converters), policy, std::move(letters), TaskRun::log());
  const auto& factory = std::get<SinkPlugin>(plugin->factory);
  plugin_class_ = factory.task_class;
  plugin_ = factory.task();
  return subscribe(config);
}

Result<std::unique_ptr<DeadLetterQueue>> SinkTaskRun::dead_letters(const Properties& config) const {
  const auto topic = config.get("errors.deadletterqueue.topic.name");
  if (!topic || topic->empty()) return std::unique_ptr<DeadLetterQueue>();
  const Properties& worker = surroundings().options.worker;
  FENCEPOST_TRY(const auto replicas, whole_number(config, "errors.deadletterqueue.topic.replication.factor", 3));
  Properties producer = kafka::task_client_properties(kafka::ClientKind::Producer, worker,
                                                      kafka::source_producer_defaults(kafka::Delivery::AtLeastOnce),
                                                      config.with_prefix("producer.override."));
  if (!producer.contains("client.id")) producer.set("client.id", "connector-dlq-producer-" + order().task.to_string());
  return DeadLetterQueue::open(
      {.task = order().task,
       .topic = *topic,
       .replication_factor = static_cast<std::int32_t>(replicas),
       .context_headers = flag(config, "errors.deadletterqueue.context.headers.enable", false),
       .producer = std::move(producer),
       .admin = kafka::task_client_properties(kafka::ClientKind::Admin, worker, {}, config.with_prefix("admin.override."))},
      *surroundings().ports.clients, TaskRun::log());
}

Result<void> SinkTaskRun::subscribe(const Properties& config) {
  const Properties defaults{{"group.id", "connect-" + order().task.connector},
                            {"client.id", "connector-consumer-" + order().task.to_string()},
                            {"auto.offset.reset", "earliest"}};
  Properties settings = kafka::task_client_properties(kafka::ClientKind::Consumer, surroundings().options.worker, defaults,
                                                      config.with_prefix("consumer.override."));
  settings.set("enable.auto.commit", "false");
  FENCEPOST_TRY(consumer_,
                surroundings().ports.clients->group_consumer(
                    settings, TaskRun::log(),
                    {.assigned = [this](const std::vector<Place>& partitions) { return assigned(partitions); },
                     .revoked = [this](const std::vector<Place>& partitions, bool lost) { revoked(partitions, lost); }},
                    [this] { wake(); }));
  FENCEPOST_TRY(topics_, SinkTopics::of(config, settings));
  consumer_settings_ = std::move(settings);
  return topics_->names().empty() ? Result<void>() : consumer_->subscribe(topics_->names());
}

void SinkTaskRun::follow_topics(Steady::time_point now) {
  const auto due = topics_->next_listing();
  if (!due || *due > now) return;
  topics_->listing_begun();
  call<Result<std::vector<std::string>>>(
      [clients = surroundings().ports.clients, settings = consumer_settings_] { return clients->topic_names(settings); },
      [this](const Result<std::vector<std::string>>& all) {
        if (phase_ == Phase::Running || phase_ == Phase::Paused) subscribe_anew(all);
      });
}

void SinkTaskRun::subscribe_anew(const Result<std::vector<std::string>>& all) {
  if (!all) {
    TaskRun::log().warn("topics.regex: the topics cannot be listed now, those before go on: " + all.error().message());
    return topics_->listing_failed(Steady::now());
  }
  if (!topics_->listed(*all, Steady::now())) return;
  TaskRun::log().info(
      fmt::format("topics.regex matches {} topics: {}", topics_->names().size(), fmt::join(topics_->names(), ", ")));
  if (const auto subscribed = consumer_->subscribe(topics_->names()); !subscribed) fail(trace_of(subscribed.error()));
}

Steady::time_point SinkTaskRun::run_turn(Steady::time_point now) {
  const bool want_paused = target() != herder::TargetState::Started;
  if (want_paused != (phase_ == Phase::Paused)) change_pause(want_paused);
  if (!rewinds_.empty()) rewind();
  follow_topics(now);
  poll();
  if (phase_ == Phase::Ending) return now;
  if (in_hand_ && phase_ == Phase::Running && now >= again_at_) {
    convert(now);
    if (phase_ == Phase::Running && in_hand_ && converted_ == raw_.records.size()) put(now);
  }
  if (reported_failure_) fail(*std::exchange(reported_failure_, std::nullopt));
  if (phase_ == Phase::Ending) return now;
  if (now >= next_commit_ || commit_requested_) {
    const auto places = to_places(assignment_);
    commit({places.begin(), places.end()}, false);
  }
  if (phase_ == Phase::Ending) return now;
  if (in_hand_ && phase_ == Phase::Running) return std::min(again_at_, now + kPollAtLeast);
  return raw_.records.empty() ? std::min(next_commit_, now + kPollAtLeast) : now;
}

void SinkTaskRun::change_pause(bool paused) {
  const auto places = to_places(assignment_);
  if (paused) {
    commit({places.begin(), places.end()}, false);
    if (phase_ == Phase::Ending) return;
    if (const auto done = consumer_->pause(places); !done) TaskRun::log().warn(done.error().message());
    phase_ = Phase::Paused;
    report_state(herder::RunState::Paused);
    return;
  }
  phase_ = Phase::Running;
  if (!holding_) go_on();
  report_state(herder::RunState::Running);
}

void SinkTaskRun::poll() {
  auto polled = consumer_->poll();
  if (phase_ == Phase::Ending) return;
  if (!polled) return fail(trace_of(polled.error()));
  if (in_hand_) {
    // Everything is paused while a batch is held, so what still comes was fetched before: it follows in order.
    const bool more = !polled->records.empty();
    if (!more) return;
    auto owners =
        std::make_shared<std::pair<std::shared_ptr<const void>, std::shared_ptr<const void>>>(raw_.owner, polled->owner);
    raw_.owner = owners;
    std::move(polled->records.begin(), polled->records.end(), std::back_inserter(raw_.records));
    return;
  }
  raw_ = *std::move(polled);
  converted_ = 0;
  batch_.clear();
  in_hand_ = !raw_.records.empty();
  again_at_ = {};
}

void SinkTaskRun::convert(Steady::time_point now) {
  for (; converted_ < raw_.records.size(); ++converted_) {
    const RecordIn& record = raw_.records[converted_];
    const StageOutcome outcome = pipeline_->run(record, raw_.owner, now);
    if (outcome.kind == StageOutcome::Kind::RetryAt) return hold(outcome.retry_at);
    if (outcome.kind == StageOutcome::Kind::Failed) return fail(outcome.trace);
    if (converted_ == 0 || raw_.records[converted_ - 1].topic != record.topic) report_topic(std::string(record.topic));
    read_[{std::string(record.topic), record.partition}] = record.offset + 1;
    if (outcome.kind == StageOutcome::Kind::Ready) batch_.push_back(pipeline_->take());
  }
}

void SinkTaskRun::put(Steady::time_point now) {
  timeout_.reset();
  try {
    plugin_->put(batch_);
  } catch (const RetriableError& e) {
    TaskRun::log().warn(std::string("put() failed and is tried again with the same records: ") + e.what());
    return hold(now + timeout_.value_or(kPutAgain));
  } catch (...) {
    return fail(trace_of("Exiting WorkerSinkTask due to unrecoverable exception.", trace_of(std::current_exception())));
  }
  taken_ = read_;
  in_hand_ = false;
  if (std::exchange(holding_, false)) go_on();
}

/// Nothing more is read until the batch in hand was taken.
void SinkTaskRun::hold(Steady::time_point until) {
  again_at_ = until;
  if (std::exchange(holding_, true)) return;
  if (const auto done = consumer_->pause(to_places(assignment_)); !done) TaskRun::log().warn(done.error().message());
}

void SinkTaskRun::go_on() {
  std::vector<Place> wanted;
  for (const Place& place : to_places(assignment_)) {
    if (!paused_by_plugin_.contains(place)) wanted.push_back(place);
  }
  if (wanted.empty()) return;
  if (const auto done = consumer_->resume(wanted); !done) TaskRun::log().warn(done.error().message());
}

void SinkTaskRun::rewind() {
  PlaceOffsets to = std::exchange(rewinds_, {});
  std::erase_if(to, [&](const auto& entry) { return !assignment_.contains(to_partition(entry.first)); });
  if (to.empty()) return;
  if (const auto done = consumer_->seek(to); !done) return fail(trace_of(done.error()));
  for (const auto& [place, offset] : to) {
    read_[place] = offset;
    taken_[place] = offset;
    committed_.erase(place);
  }
}

/// What the plugin says is safe, as far as it has taken it and still owns it.
void SinkTaskRun::commit(const std::set<Place>& partitions, bool closing) {
  next_commit_ = Steady::now() + surroundings().options.offset_flush_interval;
  commit_requested_ = false;
  SinkOffsets offered;
  for (const auto& [place, offset] : taken_) {
    if (partitions.contains(place)) offered[to_partition(place)] = SinkOffset{.offset = offset};
  }
  if (offered.empty()) return;
  SinkOffsets safe;
  try {
    safe = plugin_->pre_commit(offered);
  } catch (...) {
    TaskRun::log().error("the task could not make its records safe, so no offsets are committed: " +
                         message_of(std::current_exception()));
    if (!closing) {
      for (const auto& [place, offset] : committed_) rewinds_.emplace(place, offset);
    }
    return;
  }
  if (const auto flushed = pipeline_->flush(surroundings().options.offset_flush_timeout); !flushed)
    return fail(trace_of(flushed.error()));
  PlaceOffsets out;
  for (const auto& [at, offset] : safe) {
    const Place place = to_place(at);
    const auto most = taken_.find(place);
    if (most == taken_.end() || !partitions.contains(place)) continue;
    if (offset.offset < 0 || offset.offset > most->second) {
      TaskRun::log().warn(fmt::format("the task wants offset {} of {}-{} committed, but has taken records up to {} only",
                                      offset.offset, place.topic, place.partition, most->second));
      continue;
    }
    const auto known = committed_.find(place);
    if (known == committed_.end() || known->second != offset.offset) out.emplace(place, offset.offset);
  }
  if (out.empty()) return;
  if (const auto done = consumer_->commit(out); !done) {
    TaskRun::log().error("offsets could not be committed and will be tried again: " + done.error().message());
    return;
  }
  for (const auto& [place, offset] : out) committed_[place] = offset;
}

PlaceOffsets SinkTaskRun::assigned(const std::vector<Place>& partitions) {
  for (const Place& place : partitions) assignment_.insert(to_partition(place));
  guarded([&] { plugin_->open(to_partitions(partitions)); });
  if (phase_ == Phase::Paused || holding_) {
    // The pause holds for what came later too; it takes effect after this call, once fetching would begin.
    post([this, partitions] {
      if (consumer_ && (phase_ == Phase::Paused || holding_)) (void)consumer_->pause(partitions);
    });
  }
  PlaceOffsets from;
  for (const Place& place : partitions) {
    if (auto wanted = rewinds_.extract(place); !wanted.empty()) from.insert(std::move(wanted));
  }
  return from;
}

void SinkTaskRun::revoked(const std::vector<Place>& partitions, bool lost) {
  const std::set<Place> gone(partitions.begin(), partitions.end());
  if (!lost && consumer_) commit(gone, true);
  if (plugin_started_) guarded([&] { plugin_->close(to_partitions(partitions)); });
  for (const Place& place : partitions) {
    assignment_.erase(to_partition(place));
    paused_by_plugin_.erase(place);
    read_.erase(place);
    taken_.erase(place);
    committed_.erase(place);
    rewinds_.erase(place);
  }
  // Records in hand of partitions that went away are the next owner's.
  std::erase_if(batch_, [&](const SinkRecord& r) { return gone.contains({r.original_topic.str(), r.original_partition}); });
  std::size_t kept = 0;
  std::size_t kept_converted = 0;
  for (std::size_t i = 0; i < raw_.records.size(); ++i) {
    const RecordIn& record = raw_.records[i];
    if (gone.contains({std::string(record.topic), record.partition})) continue;
    if (i < converted_) ++kept_converted;
    if (kept != i) raw_.records[kept] = std::move(raw_.records[i]);
    ++kept;
  }
  raw_.records.resize(kept);
  converted_ = kept_converted;
  if (raw_.records.empty()) in_hand_ = false;
}

void SinkTaskRun::end_turn() {
  if (consumer_ && plugin_started_) {
    const auto places = to_places(assignment_);
    commit({places.begin(), places.end()}, true);
  }
  // A failed task lives on until it is replaced; the records that it failed with need not.
  batch_.clear();
  raw_ = {};
  converted_ = 0;
  in_hand_ = false;
  // It leaves its group, and the plugin hears that its partitions are closed.
  consumer_.reset();
  if (plugin_ && plugin_started_) plugin_->stop();
  plugin_.reset();
  if (pipeline_) {
    if (const auto flushed = pipeline_->flush(surroundings().options.offset_flush_timeout); !flushed) {
      TaskRun::log().error(flushed.error().message());
    }
  }
  pipeline_.reset();
  phase_ = Phase::Over;
  end();
}

void SinkTaskRun::fail(std::string trace) {
  if (phase_ == Phase::Ending || phase_ == Phase::Over) return;
  TaskRun::log().error("task failed: " + trace);
  if (pipeline_) (void)pipeline_->flush(surroundings().options.offset_flush_timeout);
  report_state(herder::RunState::Failed, std::move(trace));
  phase_ = Phase::Ending;
  wake();
}

void SinkTaskRun::pause(const std::vector<TopicPartition>& partitions) {
  std::vector<Place> places;
  for (const TopicPartition& at : partitions) {
    if (!assignment_.contains(at))
      throw ConnectError(at.topic + "-" + std::to_string(at.partition) + " is not assigned to this task");
    places.push_back(to_place(at));
  }
  paused_by_plugin_.insert(places.begin(), places.end());
  if (const auto done = consumer_->pause(places); !done) throw ConnectError(done.error().message());
}

void SinkTaskRun::resume(const std::vector<TopicPartition>& partitions) {
  std::vector<Place> places;
  for (const TopicPartition& at : partitions) {
    places.push_back(to_place(at));
    paused_by_plugin_.erase(places.back());
  }
  if (phase_ == Phase::Paused || holding_) return;
  if (const auto done = consumer_->resume(places); !done) throw ConnectError(done.error().message());
}

void SinkTaskRun::offset(const std::map<TopicPartition, std::int64_t>& offsets) {
  for (const auto& [at, offset] : offsets) rewinds_[to_place(at)] = offset;
}

void SinkTaskRun::report(const SinkRecord& record, const std::exception& reason) {
  const auto found = std::find_if(raw_.records.begin(), raw_.records.end(), [&](const RecordIn& raw) {
    return raw.offset == record.original_offset && raw.partition == record.original_partition &&
           raw.topic == record.original_topic.view();
  });
  if (found == raw_.records.end()) {
    TaskRun::log().error(std::string("a record was reported after its batch: ") + reason.what());
    return;
  }
  auto failure = pipeline_->reported(*found, plugin_class_, std::make_exception_ptr(ConnectError(reason.what())));
  if (failure && !reported_failure_) reported_failure_ = std::move(failure);
}

}  // namespace fencepost::runtime
