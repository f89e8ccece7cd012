#pragma once

#include <optional>
#include <string>

#include "fencepost/transform.h"
#include "regex/pattern.h"

namespace fencepost::builtin {

/// Sends records whose whole topic name matches an expression to another topic.
class RegexRouter : public Transformation {
 public:
  void configure(const ConfigMap& config) override;
  [[nodiscard]] ConfigDef config_def() const override;
  [[nodiscard]] bool apply(ConnectRecord& record) override;

 private:
  [[nodiscard]] SharedString route(const SharedString& topic) const;

  std::optional<regex::Pattern> pattern_;
  std::string replacement_;
  // Records come in runs of one topic: its answer is kept.
  std::optional<SharedString> last_from_;
  SharedString last_to_;
};

}  // namespace fencepost::builtin
