#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/properties.h"
#include "base/time.h"
#include "regex/pattern.h"
#include "runtime/scheduler.h"

namespace fencepost::runtime {

/// The topics of a sink: those that `topics` names, or those of the cluster that `topics.regex` matches. The client underneath
/// reads expressions of another kind than Java's, so it is only ever given names: the cluster's topics are listed as often as a
/// consumer of Java's refreshes its metadata, and matched here.
class SinkTopics {
 public:
  /// `consumer`: the settings of the sink's consumer. InvalidConfig for an expression that cannot be read.
  [[nodiscard]] static Result<SinkTopics> of(const Properties& connector, const Properties& consumer);

  /// To subscribe to; with an expression, none before the first list().
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// When the cluster's topics are to be listed next; nothing where they are named, or while they are being listed.
  [[nodiscard]] std::optional<Steady::time_point> next_listing() const { return next_; }
  void listing_begun() { next_.reset(); }
  /// All topics of the cluster; whether names() is another list now.
  bool listed(const std::vector<std::string>& all, Steady::time_point now);
  void listing_failed(Steady::time_point now);

 private:
  std::vector<std::string> names_;
  std::optional<regex::Pattern> pattern_;
  bool with_internal_ = false;
  Duration refresh_{300'000};
  std::optional<Steady::time_point> next_;
};

}  // namespace fencepost::runtime
