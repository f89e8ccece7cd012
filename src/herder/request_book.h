#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "herder/events.h"
#include "herder/options.h"
#include "herder/requests.h"
#include "herder/turn.h"

namespace fencepost::herder {

/// Clients' requests that have no answer yet. Each gets exactly one: its own, or the one that its deadline gives it, which says
/// what the worker was doing. Requests that need a settled group wait here while it rebalances, for a moment only.
class RequestBook {
 public:
  /// `stage_text` says what the worker is doing now, since when and on whom it waits.
  RequestBook(Turn& turn, const Options& options, std::function<std::string()> stage_text)
      : turn_(turn), options_(options), stage_text_(std::move(stage_text)) {}

  void open(const RequestReceived& e);
  /// Nothing happens if it was answered already (by its deadline).
  void reply(RequestId request, Response response);
  void refuse(RequestId request, ErrorKind kind, const std::string& sentence);
  /// 409 of a group that rebalances.
  void refuse_rebalancing(RequestId request);
  [[nodiscard]] bool is_open(RequestId request) const { return open_.contains(request); }

  /// Keep it until the group has settled.
  [[nodiscard]] bool holds_any() const { return !held_.empty(); }
  void hold(const RequestReceived& e);
  /// The same for as long as the worker starts; no more than its own deadline ends it.
  void hold_until_started(const RequestReceived& e) { held_.push_back(Held{.event = e, .until = Time::max()}); }
  /// The worker has started: what it held so far waits for the group as hold() does.
  void started();
  [[nodiscard]] std::vector<RequestReceived> take_held();
  void answer_all(ErrorKind kind, const std::string& sentence);
  void on_time();
  [[nodiscard]] std::optional<Time> next_deadline() const;

 private:
  struct Held {
    RequestReceived event;
    Time until{};
  };
  Turn& turn_;
  const Options& options_;
  std::function<std::string()> stage_text_;
  std::map<RequestId, Time> open_;  ///< with its deadline
  std::vector<Held> held_;
};

}  // namespace fencepost::herder
