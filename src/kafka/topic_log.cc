#include "kafka/topic_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

namespace fencepost::kafka {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr auto kRequestTime = 2'000ms;  // one question to the brokers; a longer wait is made of several
constexpr auto kIdlePoll = 1'000ms;     // new requests and stop() wake the poll, so it may be long
constexpr auto kRetryAfter = 200ms;
constexpr std::size_t kRecordsMax = 2'000;

milliseconds until(std::chrono::steady_clock::time_point deadline) {
  return std::max(0ms, std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()));
}

std::string not_read_in_time(const std::string& topic, bool transactions_awaited) {
  return fmt::format("topic {} could not be read to its end in time{}", topic,
                     transactions_awaited ? "; a transaction may be open in it for so long: GET /connectors/NAME/transactions or "
                                            "kafka-transactions.sh find-hanging tells whose"
                                          : "");
}

}  // namespace

Properties log_consumer_defaults() { return {{"auto.offset.reset", "earliest"}, {"fetch.min.bytes", "1"}}; }

TopicLog::TopicLog(TopicLogOptions options, Log log, RecordsCallback records)
    : options_(std::move(options)), log_(std::move(log)), records_(std::move(records)) {
  options_.topic.configs.try_emplace("cleanup.policy", "compact");
}

TopicLog::~TopicLog() { stop(); }

bool TopicLog::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void TopicLog::stop() {
  std::thread ending;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (consumer_) consumer_->wakeup();
    ending = std::move(thread_);
  }
  stopping_.notify_all();
  if (ending.joinable()) ending.join();
}

Result<void> TopicLog::start(milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  std::string told;
  const auto step = [this](std::string_view doing, std::string_view last_failure) {
    if (options_.on_start_step) options_.on_start_step(doing, last_failure);
  };
  step("opening", {});
  while (true) {
    auto opened = open(deadline);
    if (opened) break;
    // A topic that is missing is an invalid config: this is one that some brokers know already and others do not.
    const bool spreading = opened.error().kind() == ErrorKind::NotFound;
    if (!(opened.error().retriable() || spreading) || Clock::now() >= deadline || stopped()) {
      return Failure(std::move(opened).error().while_doing(fmt::format("opening topic {}", topic())));
    }
    if (std::exchange(told, opened.error().message()) != opened.error().message()) {
      log_.warn(fmt::format("topic {} cannot be opened yet, trying again: {}", topic(), opened.error().message()));
      step("opening", told);
    }
    std::unique_lock lock(mutex_);
    stopping_.wait_for(lock, kRetryAfter, [this] { return stopped_; });
  }
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) thread_ = std::thread([this] { run(); });
  }
  step("reading", {});
  auto read = read_to_end(until(deadline));
  if (!read) return Failure(std::move(read).error().while_doing(fmt::format("reading topic {}", topic())));
  step({}, {});
  const std::lock_guard lock(mutex_);
  started_ = true;
  return {};
}

Result<void> TopicLog::open(Clock::time_point deadline) {
  const auto timeout = std::clamp(until(deadline), 1ms, milliseconds(5'000));
  if (!options_.shared_admin) {
    FENCEPOST_TRY(options_.shared_admin, Admin::create(options_.admin, log_));
  }
  FENCEPOST_TRY(const std::int32_t partitions, checked_partitions(timeout));
  Translated settings = options_.consumer;
  FENCEPOST_TRY(auto consumer, AssignedConsumer::create(settings, log_, true));
  // Makes the client know its brokers first: it looks for the leaders of unknown topics by a timer of half a second.
  FENCEPOST_CHECK(consumer->partition_count(topic(), timeout));
  std::vector<OffsetQuestion> questions;
  for (std::int32_t p = 0; p < partitions; ++p) questions.push_back({.at = {topic(), p}, .when = kOffsetBeginning});
  FENCEPOST_TRY(const auto beginnings, consumer->offsets_at(questions, timeout));
  positions_.assign(beginnings.size(), 0);
  for (const auto& begin : beginnings) positions_[static_cast<std::size_t>(begin.at.partition)] = begin.offset;
  FENCEPOST_CHECK(consumer->start(beginnings));
  const std::lock_guard lock(mutex_);
  consumer_ = std::move(consumer);
  return {};
}

Result<std::int32_t> TopicLog::checked_partitions(milliseconds timeout) {
  Admin& admin = *options_.shared_admin;
  FENCEPOST_TRY(auto info, admin.describe_topic(topic(), timeout));
  if (!info && options_.create_if_missing) {
    FENCEPOST_TRY(const bool made, admin.create_topic(options_.topic, timeout));
    if (made) log_.info(fmt::format("created topic {} with {} partitions", topic(), options_.topic.partitions));
    FENCEPOST_TRY(info, admin.describe_topic(topic(), timeout));
    // Just made, and not known to this broker yet.
    if (!info) return failure(ErrorKind::Unavailable, fmt::format("topic {} was created but is not visible yet", topic()));
  }
  if (!info) {
    return failure(ErrorKind::InvalidConfig, fmt::format("{}: topic '{}' does not exist; create it with cleanup.policy=compact",
                                                         options_.setting, topic()));
  }
  if (options_.single_partition && info->partitions != 1) {
    return failure(
        ErrorKind::InvalidConfig,
        fmt::format("{}: topic '{}' has {} partitions, but its records only keep their order in one; create a topic with "
                    "exactly one partition and cleanup.policy=compact",
                    options_.setting, topic(), info->partitions));
  }
  auto configs = admin.describe_topic_configs({topic()}, timeout);
  if (!configs && configs.error().kind() == ErrorKind::Forbidden) {
    log_.warn(fmt::format("{}: cleanup.policy of topic '{}' cannot be checked (it must be compact): {}", options_.setting,
                          topic(), configs.error().message()));
    return info->partitions;
  }
  if (!configs) return Failure(std::move(configs).error());
  const std::string policy = (*configs)[topic()]["cleanup.policy"].value;
  if (policy != "compact") {
    return failure(
        ErrorKind::InvalidConfig,
        fmt::format("{}: topic '{}' has cleanup.policy={}, so its old records would be deleted and what they say lost; set "
                    "it to compact: kafka-configs.sh --alter --entity-type topics --entity-name {} --add-config "
                    "cleanup.policy=compact",
                    options_.setting, topic(), policy, topic()));
  }
  return info->partitions;
}

void TopicLog::read_to_end(milliseconds timeout, EndCallback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopped_) {
      new_requests_.push_back(Waiting{.deadline = Clock::now() + timeout, .callback = std::move(callback), .targets = {}});
      callback = nullptr;
      if (consumer_) consumer_->wakeup();
    }
  }
  if (callback) callback(failure(ErrorKind::Unavailable, fmt::format("topic {} is not read any more", topic())));
}

Result<TopicLog::Ends> TopicLog::read_to_end(milliseconds timeout) {
  auto promise = std::make_shared<std::promise<Result<Ends>>>();
  auto future = promise->get_future();
  read_to_end(timeout, [promise](Result<Ends> ends) { promise->set_value(std::move(ends)); });
  return future.get();
}

void TopicLog::must_reach(std::int32_t partition, std::int64_t position) {
  const std::lock_guard lock(mutex_);
  const auto p = static_cast<std::size_t>(partition);
  if (floors_.size() <= p) floors_.resize(p + 1, 0);
  floors_[p] = std::max(floors_[p], position);
}

void TopicLog::run() {
  while (!stopped()) {
    auto batch = consumer_->poll(waiting_.empty() ? kIdlePoll : 50ms, kRecordsMax);
    if (batch) {
      deliver(**batch);
    } else {
      log_.error(fmt::format("reading topic {}: {}", topic(), batch.error().message()));
      std::unique_lock lock(mutex_);
      stopping_.wait_for(lock, kIdlePoll, [this] { return stopped_; });
    }
    take_new_requests();
    find_targets();
    complete_reached();
  }
  take_new_requests();
  for (auto& request : waiting_) {
    request.callback(failure(ErrorKind::Unavailable, fmt::format("topic {} is not read any more", topic())));
  }
  waiting_.clear();
}

void TopicLog::deliver(const Batch& batch) {
  const auto advance = [this](std::int32_t partition, std::int64_t position) {
    auto& known = positions_[static_cast<std::size_t>(partition)];
    known = std::max(known, position);
  };
  records_of_batch_.clear();
  for (const auto& m : batch.messages) {
    records_of_batch_.push_back(
        LogRecord{.partition = m.partition, .offset = m.offset, .timestamp_ms = m.timestamp_ms, .key = m.key, .value = m.value});
    advance(m.partition, m.offset + 1);
  }
  for (const auto& end : batch.ends) advance(end.partition, end.offset);
  for (const auto& error : batch.errors) {
    if (std::exchange(last_warning_, error.error.message()) != error.error.message()) log_.warn(error.error.message());
  }
  if (!records_of_batch_.empty() && records_) records_(records_of_batch_);
}

void TopicLog::take_new_requests() {
  const std::lock_guard lock(mutex_);
  std::move(new_requests_.begin(), new_requests_.end(), std::back_inserter(waiting_));
  new_requests_.clear();
}

bool TopicLog::awaits_open_transactions() const {
  const std::lock_guard lock(mutex_);
  return options_.open_transactions == OpenTransactions::Awaited ||
         (options_.open_transactions == OpenTransactions::AwaitedAfterStart && started_);
}

void TopicLog::find_targets() {
  if (std::none_of(waiting_.begin(), waiting_.end(), [](const Waiting& w) { return w.targets.empty(); })) return;
  std::vector<TopicPartition> partitions;
  for (std::size_t p = 0; p < positions_.size(); ++p) partitions.push_back({topic(), static_cast<std::int32_t>(p)});
  const auto latest =
      std::max_element(waiting_.begin(), waiting_.end(), [](auto& a, auto& b) { return a.deadline < b.deadline; });
  const bool stable = options_.consumer.get("isolation.level") == "read_committed" && !awaits_open_transactions();
  const auto time = std::clamp(until(latest->deadline), 1ms, milliseconds(kRequestTime));
  const auto answers = options_.shared_admin->end_offsets(partitions, stable, time);
  if (answers) {
    Ends ends(positions_.size(), 0);
    for (const auto& [at, offset] : *answers) ends[static_cast<std::size_t>(at.partition)] = offset;
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t p = 0; p < std::min(ends.size(), floors_.size()); ++p) ends[p] = std::max(ends[p], floors_[p]);
    }
    for (auto& request : waiting_) {
      if (request.targets.empty()) request.targets = ends;
    }
    return;
  }
  // Brokers away: ask again at the next round, until a request's time is over.
  const ErrorKind kind = answers.error().kind();
  const bool hopeless = kind == ErrorKind::Forbidden || kind == ErrorKind::InvalidConfig || kind == ErrorKind::Bug;
  std::vector<EndCallback> given_up;
  std::erase_if(waiting_, [&](Waiting& request) {
    if (!request.targets.empty() || (!hopeless && Clock::now() < request.deadline)) return false;
    given_up.push_back(std::move(request.callback));
    return true;
  });
  for (const auto& callback : given_up) callback(Failure(answers.error()));
}

bool TopicLog::reached(const Ends& targets) {
  for (std::size_t p = 0; p < targets.size(); ++p) {
    if (positions_[p] >= targets[p]) continue;
    // Transaction markers take offsets too; the consumer's own position counts them.
    if (const auto position = consumer_->position({topic(), static_cast<std::int32_t>(p)})) {
      positions_[p] = std::max(positions_[p], *position);
    }
    if (positions_[p] < targets[p]) return false;
  }
  return true;
}

void TopicLog::complete_reached() {
  std::vector<std::pair<EndCallback, Result<Ends>>> done;
  std::erase_if(waiting_, [&](Waiting& request) {
    if (request.targets.empty()) return false;
    if (reached(request.targets)) {
      done.emplace_back(std::move(request.callback), std::move(request.targets));
      return true;
    }
    if (Clock::now() < request.deadline) return false;
    done.emplace_back(std::move(request.callback),
                      failure(ErrorKind::Timeout, not_read_in_time(topic(), awaits_open_transactions())));
    return true;
  });
  for (auto& [callback, result] : done) callback(std::move(result));
}

}  // namespace fencepost::kafka
