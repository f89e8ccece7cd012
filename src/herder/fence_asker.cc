#include "herder/fence_asker.h"

#include <utility>
#include <vector>

namespace fencepost::herder {

namespace {

// A refusal that does not pass by itself may still be one of a leader that is just being replaced; after this it is believed.
constexpr Duration kPatience = std::chrono::seconds(60);

bool passes_by_itself(ErrorKind kind) {
  return kind == ErrorKind::Conflict || kind == ErrorKind::Unavailable || kind == ErrorKind::Timeout || kind == ErrorKind::Fenced;
}

}  // namespace

void FenceAsker::want(const std::string& connector) {
  const auto [it, added] = asked_.try_emplace(connector);
  if (!added) return;
  it->second.since = turn_.now();
  it->second.number = ++last_number_;
  ask(connector);
}

void FenceAsker::ask(const std::string& connector) {
  Asked& asked = asked_.at(connector);
  if (!hooks_.settled()) {
    asked.again_at.reset();  // settled() asks
    return;
  }
  asked.under_way = true;
  asked.again_at.reset();
  hooks_.fence(connector, [this, connector, number = asked.number](const Answer& answer) {
    const auto it = asked_.find(connector);
    if (it != asked_.end() && it->second.number == number) answered(connector, answer);
  });
}

void FenceAsker::answered(const std::string& connector, const Answer& answer) {
  if (answer) {
    // The record is in the log; this worker acts once it has read it.
    hooks_.read_log("the fence of " + connector + " is in it",
                    [this, connector, number = asked_.at(connector).number](const Answer&) {
                      const auto it = asked_.find(connector);
                      if (it == asked_.end() || it->second.number != number) return;
                      asked_.erase(it);
                      hooks_.fenced(connector);
                    });
    return;
  }
  Asked& asked = asked_.at(connector);
  asked.under_way = false;
  const bool is_news = std::exchange(asked.last_refusal, answer.error().message()) != answer.error().message();
  const bool passes = passes_by_itself(answer.error().kind());
  if (!passes && turn_.now() - asked.since >= kPatience) {
    const Error why = answer.error();
    asked_.erase(connector);
    hooks_.given_up(connector, why);
    return;
  }
  turn_.note(passes || !is_news ? LogLevel::Info : LogLevel::Error, connector + "|worker",
             "the tasks wait, as their predecessors are not fenced yet: " + answer.error().message());
  asked.again_at = turn_.now() + asked.backoff.next();
}

void FenceAsker::settled() {
  std::vector<std::string> due;
  for (const auto& [connector, asked] : asked_) {
    if (!asked.under_way) due.push_back(connector);
  }
  for (const auto& connector : due) {
    if (asked_.contains(connector)) ask(connector);
  }
}

void FenceAsker::on_time() {
  std::vector<std::string> due;
  for (const auto& [connector, asked] : asked_) {
    if (asked.again_at && *asked.again_at <= turn_.now()) due.push_back(connector);
  }
  for (const auto& connector : due) {
    if (asked_.contains(connector)) ask(connector);
  }
}

std::optional<Time> FenceAsker::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [connector, asked] : asked_) {
    if (asked.again_at && (!next || *asked.again_at < *next)) next = asked.again_at;
  }
  return next;
}

std::optional<Stage> FenceAsker::stage() const {
  if (asked_.empty()) return std::nullopt;
  const auto& [connector, asked] = *asked_.begin();
  std::string text = "waiting for the fence of " + connector + " by the leader";
  if (asked_.size() > 1) text += " and of " + std::to_string(asked_.size() - 1) + " others";
  if (!asked.last_refusal.empty()) text += " (last refusal: " + asked.last_refusal + ")";
  return Stage{.component = "source tasks", .doing = std::move(text), .since_ms = asked.since.time_since_epoch().count()};
}

}  // namespace fencepost::herder
