#pragma once

#include "fencepost/transform.h"

namespace fencepost::builtin {

/// Drops every record it is given: of use with a predicate.
class Filter : public Transformation {
 public:
  void configure(const ConfigMap& /*config*/) override {}
  [[nodiscard]] ConfigDef config_def() const override { return {}; }
  [[nodiscard]] bool apply(ConnectRecord& /*record*/) override { return false; }
};

}  // namespace fencepost::builtin
