#include "mirror/topic_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fencepost::mirror {

using namespace std::chrono_literals;

namespace {

// After a look that failed: soon, then less and less often.
constexpr TopicWatch::Clock::duration kRetryMin = 1s;
constexpr TopicWatch::Clock::duration kRetryMax = 30s;
// Connections that are used less often than this are not kept: idle connectors are many.
constexpr TopicWatch::Clock::duration kKeepConnections = 15s;

TopicWatch::Clock::duration seconds_of(const ConfigMap& config, std::string_view name) {
  // A year at most: more would leave the clock's range.
  return std::chrono::seconds(std::clamp<std::int64_t>(number_of(config, name), 1, 31'536'000));
}

}  // namespace

void TopicWatch::GatedLog::write(Severity severity, std::string_view line) const {
  const std::lock_guard lock(mutex_);
  if (log_ != nullptr) log_->write(severity, line);
}

void TopicWatch::GatedLog::shut() {
  const std::lock_guard lock(mutex_);
  log_ = nullptr;
}

TopicWatch::TopicWatch(const ConfigMap& config, ConnectorContext& context)
    : log_(context.log()),
      plan_(config, log_, [this] { return closed(); }),
      refreshes_(flag_of(config, "refresh.topics.enabled")),
      copies_settings_(flag_of(config, "sync.topic.configs.enabled")),
      refresh_interval_(seconds_of(config, "refresh.topics.interval.seconds")),
      settings_interval_(seconds_of(config, "sync.topic.configs.interval.seconds")),
      retry_(kRetryMin),
      context_(&context) {}

bool TopicWatch::closed() {
  const std::lock_guard lock(mutex_);
  return context_ == nullptr;
}

void TopicWatch::close() {
  log_.shut();
  const std::lock_guard lock(mutex_);
  context_ = nullptr;
  changed_.notify_all();
}

std::string TopicWatch::trouble() {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

std::optional<TopicPlan::Partitions> TopicWatch::partitions(Clock::duration patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return known_.has_value() || context_ == nullptr || !trouble_.empty(); });
  return known_;
}

void TopicWatch::learn(TopicPlan::Partitions partitions) {
  const std::lock_guard lock(mutex_);
  trouble_.clear();
  const bool changed = known_ && *known_ != partitions;
  known_ = std::move(partitions);
  changed_.notify_all();
  if (changed && context_ != nullptr) context_->request_task_reconfiguration();
}

bool TopicWatch::refresh() {
  const auto looked = [this]() -> Result<TopicPlan::Partitions> {
    FENCEPOST_TRY(const auto source, plan_.source_partitions());
    return plan_.prepare_target(source);
  }();
  if (looked) {
    learn(*looked);
    return true;
  }
  log_.warn("the topics could not be looked at and will be again: " + looked.error().message());
  const std::lock_guard lock(mutex_);
  trouble_ = looked.error().message();
  changed_.notify_all();
  return false;
}

TopicWatch::Clock::duration TopicWatch::look() {
  bool good = true;
  if (!syncs_topic_made_) {
    const auto made = plan_.make_offset_syncs_topic();
    syncs_topic_made_ = made.has_value();
    if (!made) log_.warn("the topic of offset syncs is not there: " + made.error().message());
    good = syncs_topic_made_;
  }
  if (Clock::now() >= refresh_due_) {
    const bool seen = refresh();
    good = good && seen;
    if (seen) refresh_due_ = refreshes_ ? Clock::now() + refresh_interval_ : Clock::time_point::max();
  }
  // A new topic is made with its settings; those of older ones may have changed while nobody looked.
  const auto known = partitions(0s);
  if (known && copies_settings_ && Clock::now() >= settings_due_) {
    if (const auto done = plan_.copy_settings(*known); !done)
      log_.warn("the settings of topics could not be copied: " + done.error().message());
    settings_due_ = Clock::now() + settings_interval_;
  }
  retry_ = good ? kRetryMin : std::min(retry_ * 2, kRetryMax);
  if (!good) return retry_;
  const auto due = copies_settings_ ? std::min(refresh_due_, settings_due_) : refresh_due_;
  const auto pause = due == Clock::time_point::max() ? std::chrono::hours(24 * 365) : due - Clock::now();
  if (pause > kKeepConnections) plan_.disconnect();
  return pause;
}

}  // namespace fencepost::mirror
