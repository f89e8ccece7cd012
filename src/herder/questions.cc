#include "herder/questions.h"

#include <utility>

namespace fencepost::herder {

RequestId Questions::ask(std::string doing, std::optional<Duration> within, Then then) {
  const RequestId id = turn_.next_request();
  Open open{.doing = std::move(doing), .since = turn_.now(), .deadline = std::nullopt, .then = std::move(then)};
  if (within) open.deadline = turn_.now() + *within;
  open_.emplace(id, std::move(open));
  return id;
}

void Questions::answer(RequestId id, const Answer& answer) {
  const auto it = open_.find(id);
  if (it == open_.end()) return;
  const Then then = std::move(it->second.then);
  open_.erase(it);
  then(answer);
}

void Questions::answer_all(const Answer& what) {
  std::vector<RequestId> ids;
  for (const auto& [id, open] : open_) ids.push_back(id);
  for (const RequestId id : ids) answer(id, what);
}

void Questions::expire() {
  std::vector<std::pair<RequestId, std::string>> late;
  for (const auto& [id, open] : open_) {
    if (open.deadline && *open.deadline <= turn_.now()) late.emplace_back(id, open.doing);
  }
  for (const auto& [id, doing] : late) answer(id, failure(ErrorKind::Timeout, "no answer in time while " + doing));
}

std::optional<Time> Questions::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [id, open] : open_) {
    if (open.deadline && (!next || *open.deadline < *next)) next = open.deadline;
  }
  return next;
}

std::optional<Stage> Questions::oldest(std::string component) const {
  if (open_.empty()) return std::nullopt;
  const Open& open = open_.begin()->second;  // ids grow with time
  return Stage{.component = std::move(component), .doing = open.doing, .since_ms = open.since.time_since_epoch().count()};
}

}  // namespace fencepost::herder
