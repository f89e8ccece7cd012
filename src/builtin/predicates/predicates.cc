#include "builtin/predicates/predicates.h"

#include "builtin/regex_setting.h"
#include "fencepost/settings.h"

namespace fencepost::builtin {

ConfigDef TopicNameMatches::config_def() const {
  return ConfigDef().define({.name = "pattern",
                             .validator = validators::all_of({validators::non_empty_string(), valid_regex()}),
                             .documentation = "Regular expression that a topic's whole name must match."});
}

void TopicNameMatches::configure(const ConfigMap& config) {
  pattern_ = compile_setting("pattern", config_def().parse(config).get_string("pattern"));
  last_topic_.reset();
}

bool TopicNameMatches::test(const ConnectRecord& record) const {
  if (!last_topic_ || *last_topic_ != record.topic) {
    last_answer_ = pattern_->matches(record.topic.view());
    last_topic_ = record.topic;
  }
  return last_answer_;
}

ConfigDef HasHeaderKey::config_def() const {
  return ConfigDef().define({.name = "name",
                             .validator = validators::non_empty_string(),
                             .documentation = "Name of the header that a record must have."});
}

void HasHeaderKey::configure(const ConfigMap& config) { name_ = config_def().parse(config).get_string("name"); }

}  // namespace fencepost::builtin
