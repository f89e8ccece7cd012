#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metrics/catalog.h"

namespace fencepost::metrics {

using Labels = std::vector<std::pair<std::string, std::string>>;

/// What was measured at one moment. Parts of the worker add theirs when they are asked: nothing is counted twice, and what nobody
/// asks for costs nothing.
class Samples {
 public:
  void add(Id id, Labels labels, double value) { by_metric_[id].push_back({std::move(labels), value}); }

  /// Prometheus' text format (0.0.4): each metric once, in the catalogue's order; metrics without samples are left out.
  [[nodiscard]] std::string to_prometheus() const;

 private:
  struct Sample {
    Labels labels;
    double value = 0;
  };
  std::map<Id, std::vector<Sample>> by_metric_;
};

/// The media type of to_prometheus().
inline constexpr const char* kPrometheusMediaType = "text/plain; version=0.0.4; charset=utf-8";

/// A part of the worker that can be measured. Threads: any.
class Source {
 public:
  virtual ~Source() = default;
  virtual void measure(Samples& into) const = 0;
};

}  // namespace fencepost::metrics
