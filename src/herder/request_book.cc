#include "herder/request_book.h"

#include <algorithm>
#include <utility>

namespace fencepost::herder {

namespace {

// Most rebalances are over sooner than a client could repeat its request.
constexpr Duration kHeldAtMost = std::chrono::seconds(5);

}  // namespace

void RequestBook::open(const RequestReceived& e) { open_.emplace(e.request, turn_.now() + options_.request_timeout); }

void RequestBook::reply(RequestId request, Response response) {
  if (open_.erase(request) == 0) return;
  turn_.order(Reply{.request = request, .response = std::move(response)});
}

void RequestBook::refuse(RequestId request, ErrorKind kind, const std::string& sentence) {
  reply(request, Error(kind, sentence + " " + stage_text_()));
}

void RequestBook::refuse_rebalancing(RequestId request) {
  refuse(request, ErrorKind::Conflict, std::string(kConflictingOperation) + ".");
}

void RequestBook::hold(const RequestReceived& e) { held_.push_back(Held{.event = e, .until = turn_.now() + kHeldAtMost}); }

void RequestBook::started() {
  for (Held& held : held_) held.until = turn_.now() + kHeldAtMost;
}

std::vector<RequestReceived> RequestBook::take_held() {
  std::vector<RequestReceived> events;
  for (Held& held : std::exchange(held_, {})) {
    if (is_open(held.event.request)) events.push_back(std::move(held.event));
  }
  return events;
}

void RequestBook::answer_all(ErrorKind kind, const std::string& sentence) {
  held_.clear();
  for (const auto& [request, deadline] : std::map(open_)) refuse(request, kind, sentence);
}

void RequestBook::on_time() {
  std::vector<Held> keep;
  for (Held& held : std::exchange(held_, {})) {
    if (held.until <= turn_.now()) {
      refuse_rebalancing(held.event.request);
    } else {
      keep.push_back(std::move(held));
    }
  }
  held_ = std::move(keep);
  for (const auto& [request, deadline] : std::map(open_)) {
    if (deadline <= turn_.now()) refuse(request, ErrorKind::Timeout, "Request timed out.");
  }
}

std::optional<Time> RequestBook::next_deadline() const {
  std::optional<Time> next;
  for (const auto& [request, deadline] : open_) {
    if (!next || deadline < *next) next = deadline;
  }
  for (const Held& held : held_) {
    if (held.until == Time::max()) continue;
    if (!next || held.until < *next) next = held.until;
  }
  return next;
}

}  // namespace fencepost::herder
