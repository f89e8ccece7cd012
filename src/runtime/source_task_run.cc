#include "runtime/source_task_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "runtime/traces.h"

namespace fencepost::runtime {

using namespace std::chrono_literals;
namespace {

/// An empty poll is repeated after a pause that doubles up to this.
constexpr auto kPollBackoffMin = 5ms;
constexpr auto kPollBackoffMax = 1'000ms;
/// About what a new plan takes where the connector's earlier producers are fenced too.
constexpr auto kHold = 1'000ms;

Error contradiction_of(const exactly_once::ContradictingRequests& requests, const std::vector<SourceRecord>& records) {
  constexpr std::string_view kCure = "; nothing of this batch was written, and the connector's code has to choose one of them";
  if (!requests.record || *requests.record >= records.size()) {
    return Error(ErrorKind::Failed, fmt::format("Connector requested both commit and abort of same transaction{}", kCure));
  }
  const SourceRecord& record = records[*requests.record];
  const std::string partition = record.kafka_partition ? std::to_string(*record.kafka_partition) : "null";
  return Error(ErrorKind::Failed,
               fmt::format("Connector requested both commit and abort of same record against topic/partition {}/{}{}",
                           record.topic.view(), partition, kCure));
}

}  // namespace

SourceTaskRun::SourceTaskRun(herder::StartTask order, RunSurroundings surroundings)
    : TaskRun(std::move(order), std::move(surroundings)) {}

SourceTaskRun::~SourceTaskRun() = default;

void SourceTaskRun::interrupt() noexcept {
  std::shared_ptr<SourceTask> plugin;
  {
    const std::lock_guard lock(pointers_mutex_);
    plugin = plugin_;
  }
  if (plugin) plugin->stop();
}

void SourceTaskRun::hurry() noexcept {
  std::shared_ptr<SourceWriter> writer;
  {
    const std::lock_guard lock(pointers_mutex_);
    writer = writer_;
  }
  if (writer) writer->interrupt();
  wake();
}

void SourceTaskRun::hold() {
  post([this] { held_until_ = Steady::now() + kHold; });
}

Steady::time_point SourceTaskRun::proceed() {
  const auto now = Steady::now();
  if (phase_ == Phase::Over) return Steady::time_point::max();
  if (anew_ && calls_apart_ == 0 && !stopping()) {
    anew_ = false;
    tear_down();
    phase_ = Phase::Waiting;
  }
  if (stopping() && phase_ != Phase::Ending) begin_end();
  switch (phase_) {
    case Phase::Waiting:
      if (target() != herder::TargetState::Started) {
        if (!std::exchange(paused_told_, true)) report_state(herder::RunState::Paused);
        return Steady::time_point::max();
      }
      begin_start();
      return phase_ == Phase::Ending ? end_turn() : Steady::time_point::max();
    case Phase::Starting:
      if (!start_retry_) return Steady::time_point::max();
      if (now < start_retry_at_) return start_retry_at_;
      drive_start(*std::exchange(start_retry_, std::nullopt));
      return phase_ == Phase::Starting ? Steady::time_point::max() : now;
    case Phase::Running:
    case Phase::Paused:
      return run_turn(now);
    case Phase::Ending:
      return end_turn();
    default:
      return Steady::time_point::max();
  }
}

Steady::time_point SourceTaskRun::run_turn(Steady::time_point now) {
  if (anew_) return Steady::time_point::max();
  Steady::time_point due = writer_->proceed(now);
  if (phase_ != Phase::Running && phase_ != Phase::Paused) return now;
  if (target() != herder::TargetState::Started) {
    if (phase_ == Phase::Paused) return due;
    writer_->drain();
    if (phase_ != Phase::Running || anew_) return now;
    if (!writer_->drained()) return due;
    phase_ = Phase::Paused;
    report_state(herder::RunState::Paused);
    return due;
  }
  if (phase_ == Phase::Paused) {
    phase_ = Phase::Running;
    poll_at_ = now;
    report_state(herder::RunState::Running);
  }
  if (!batch_ && now >= held_until_) poll(now);
  if (batch_ && !batch_->converted() && now >= convert_at_) convert(now);
  if (phase_ != Phase::Running) return now;
  if (!batch_) return std::min(due, std::max(poll_at_, held_until_));
  if (!batch_->converted()) return std::min(due, convert_at_);
  if (!writer_->ready()) return std::min(due, writer_->proceed(now));
  writer_->write(*std::exchange(batch_, std::nullopt));
  return Steady::now();
}

void SourceTaskRun::poll(Steady::time_point now) {
  if (!records_waiting_.exchange(false) && now < poll_at_) return;
  Batch batch;
  try {
    batch.records = plugin_->poll();
  } catch (const RetriableError& e) {
    log().warn(std::string("poll failed and is tried again: ") + e.what());
    back_off(now);
    return;
  } catch (...) {
    if (!stopping()) fail(trace_of(std::current_exception()));
    return;
  }
  slowest_poll_ = std::max(slowest_poll_, Steady::now() - now);
  const auto requests = context_->take_requests();
  if (const auto* contradiction = std::get_if<exactly_once::ContradictingRequests>(&requests)) {
    fail(trace_of(contradiction_of(*contradiction, batch.records)));
    return;
  }
  batch.polled = std::get<exactly_once::BatchPolled>(requests);
  batch.polled.records = batch.records.size();
  if (batch.records.empty() && !batch.polled.on_batch) {
    back_off(now);
    return;
  }
  back_off_ = {};
  poll_at_ = now;
  convert_at_ = now;
  batch_ = std::move(batch);
}

void SourceTaskRun::back_off(Steady::time_point now) {
  back_off_ = std::clamp<Steady::duration>(back_off_ * 2, kPollBackoffMin, kPollBackoffMax);
  poll_at_ = now + back_off_;
}

void SourceTaskRun::convert(Steady::time_point now) {
  Batch& batch = *batch_;
  batch.ready.reserve(batch.records.size());
  for (; batch.done < batch.records.size(); ++batch.done) {
    SourceRecord& record = batch.records[batch.done];
    if (batch.ready.size() == batch.done) {
      const auto kept = wants_records_ ? plugin_->kept(record) : SourceTask::Kept::Nothing;
      batch.ready.emplace_back().kept = kept != SourceTask::Kept::Nothing;
      // The task is shown its own record later, not what transforms made of it.
      if (kept == SourceTask::Kept::Record) batch.copy = record;
    }
    ReadyRecord& ready = batch.ready.back();
    StageOutcome outcome = pipeline_->run(batch.copy ? *batch.copy : record, ready, now);
    if (outcome.kind == StageOutcome::Kind::RetryAt) {
      convert_at_ = outcome.retry_at;
      return;
    }
    if (outcome.kind == StageOutcome::Kind::Failed) {
      fail(std::move(outcome.trace));
      return;
    }
    // What is left of a record whose place alone is kept is what transforms made, which is nobody's business any more.
    if (ready.kept && !batch.copy) static_cast<ConnectRecord&>(record) = ConnectRecord();
    batch.copy.reset();
  }
}

// ---- ending ----

void SourceTaskRun::begin_end() {
  phase_ = Phase::Ending;
  batch_.reset();
  start_retry_.reset();
  if (start_ && !start_->over()) drive_start(exactly_once::StopOrdered{});
}

Steady::time_point SourceTaskRun::end_turn() {
  if (writer_) {
    const auto due = writer_->proceed(Steady::now());
    if (phase_ == Phase::Over) return Steady::time_point::max();
    writer_->drain();
    if (!writer_->drained()) return std::min(due, Steady::now() + 100ms);
  }
  if (calls_apart_ > 0) return Steady::time_point::max();
  tear_down();
  phase_ = Phase::Over;
  if (transactions_) transactions_->running(false);
  end();
  return Steady::time_point::max();
}

void SourceTaskRun::tear_down() {
  ++life_;
  std::shared_ptr<SourceTask> plugin;
  std::shared_ptr<SourceWriter> writer;
  {
    const std::lock_guard lock(pointers_mutex_);
    plugin = std::exchange(plugin_, nullptr);
    writer = std::exchange(writer_, nullptr);
  }
  if (plugin && plugin_started_ && !stopping()) plugin->stop();
  // The records go before the plugin: their bytes may lie in what its client fetched, and librdkafka waits for those in destroy.
  batch_.reset();
  exactly_once_writer_ = nullptr;
  writer.reset();
  plugin.reset();
  plugin_started_ = false;
  start_.reset();
  start_retry_.reset();
  pipeline_.reset();
  topics_.reset();
  context_.reset();
  offsets_.reset();
}

// ---- what the writer asks for ----

void SourceTaskRun::call_apart(std::function<void()> blocking, std::function<void()> then) {
  ++calls_apart_;
  call<int>(
      [blocking = std::move(blocking)] {
        blocking();
        return 0;
      },
      [this, life = life_, then = std::move(then)](int) {
        --calls_apart_;
        if (life == life_) then();
      });
}

void SourceTaskRun::later(std::function<void()> then) {
  post([this, then = std::move(then)] {
    if (writer_) then();
  });
}

void SourceTaskRun::ask_owner(std::function<void(exactly_once::OwnershipAnswered)> then) {
  ask_ownership([this, life = life_, then = std::move(then)](exactly_once::OwnershipAnswered answer) {
    if (life == life_) then(std::move(answer));
  });
}

void SourceTaskRun::fail(std::string trace) {
  if (phase_ == Phase::Over || (phase_ == Phase::Ending && !stopping())) return;
  log().error("task failed: " + trace);
  if (!stopping()) report_state(herder::RunState::Failed, std::move(trace));
  phase_ = Phase::Ending;
  batch_.reset();
  start_retry_.reset();
  wake();
}

void SourceTaskRun::yield_to_successor(const std::string& reason) {
  log().info("ends without a status: " + reason);
  phase_ = Phase::Ending;
  batch_.reset();
  wake();
}

void SourceTaskRun::start_anew(const std::string& note) {
  if (phase_ == Phase::Ending || phase_ == Phase::Over) return;  // a task that has failed stays so until somebody restarts it
  log().warn("begins anew from the committed offsets: " + note);
  if (transactions_) transactions_->restarted(note);
  ++restarts_;
  anew_ = true;
  batch_.reset();
  wake();
}

void SourceTaskRun::record_done(const SourceRecord& record, const RecordMetadata* metadata) {
  if (!plugin_ || !wants_records_) return;
  try {
    plugin_->commit_record(record, metadata);
  } catch (...) {
    log().error("the task failed in commit_record(), which is passed over: " + message_of(std::current_exception()));
  }
}

void SourceTaskRun::commit_done() {
  restarts_ = 0;
  if (!plugin_) return;
  try {
    plugin_->commit();
  } catch (...) {
    log().error("the task failed in commit(), which is passed over: " + message_of(std::current_exception()));
  }
}

Duration SourceTaskRun::slowest_poll() {
  return std::chrono::duration_cast<Duration>(std::exchange(slowest_poll_, Steady::duration(0)));
}

}  // namespace fencepost::runtime
