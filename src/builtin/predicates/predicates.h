#pragma once

#include <optional>
#include <string>

#include "fencepost/transform.h"
#include "regex/pattern.h"

namespace fencepost::builtin {

/// True for records whose topic's whole name matches an expression.
class TopicNameMatches : public Predicate {
 public:
  void configure(const ConfigMap& config) override;
  [[nodiscard]] ConfigDef config_def() const override;
  [[nodiscard]] bool test(const ConnectRecord& record) const override;

 private:
  std::optional<regex::Pattern> pattern_;
  // Records come in runs of one topic: its answer is kept.
  mutable std::optional<SharedString> last_topic_;
  mutable bool last_answer_ = false;
};

/// True for records that have at least one header of a name.
class HasHeaderKey : public Predicate {
 public:
  void configure(const ConfigMap& config) override;
  [[nodiscard]] ConfigDef config_def() const override;
  [[nodiscard]] bool test(const ConnectRecord& record) const override { return record.headers.last(name_) != nullptr; }

 private:
  std::string name_;
};

/// True for records without a value.
class RecordIsTombstone : public Predicate {
 public:
  void configure(const ConfigMap& /*config*/) override {}
  [[nodiscard]] ConfigDef config_def() const override { return {}; }
  [[nodiscard]] bool test(const ConnectRecord& record) const override { return record.value.is_null(); }
};

}  // namespace fencepost::builtin
