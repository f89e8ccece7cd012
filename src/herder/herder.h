#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "herder/actions.h"
#include "herder/events.h"
#include "herder/options.h"

namespace fencepost::herder {

/// All connectors as GET /connectors?expand= shows them, by name. Immutable once published.
using View = std::map<std::string, std::shared_ptr<const ConnectorView>>;

/// What a worker decides. Told what happened, it says what to do: it joins the group, runs what it is assigned, serves requests,
/// and as the leader writes the config topic and fences.
///
/// Threads: none; one thread at a time may call. Time and chance come in with events, so that equal events give equal actions.
/// The answers to actions come back as events in any order; each is recognised by its RequestId or RunId.
class Herder {
 public:
  explicit Herder(Options options);
  ~Herder();
  Herder(const Herder&) = delete;
  Herder& operator=(const Herder&) = delete;

  /// The orders that follow from a fact, to be carried out in their order. `now` never runs backwards.
  [[nodiscard]] Actions apply(const Event& event, Time now);
  /// When TimePassed must come at the latest; nothing: no need.
  [[nodiscard]] std::optional<Time> next_deadline() const;
  /// A snapshot for reads of other threads; null until the worker has started. Cheap when nothing changed since the last call.
  [[nodiscard]] std::shared_ptr<const View> view() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace fencepost::herder
