#include "builtin/transforms/regex_router.h"

#include "builtin/regex_setting.h"
#include "fencepost/settings.h"

namespace fencepost::builtin {

ConfigDef RegexRouter::config_def() const {
  return ConfigDef()
      .define({.name = "regex",
               .validator = valid_regex(),
               .importance = Importance::High,
               .documentation = "Regular expression that a topic's whole name must match."})
      .define({.name = "replacement",
               .importance = Importance::High,
               .documentation = "Replaces the first match; $1 or ${name} stand for groups."});
}

void RegexRouter::configure(const ConfigMap& config) {
  const Settings settings = config_def().parse(config);
  pattern_ = compile_setting("regex", settings.get_string("regex"));
  replacement_ = settings.get_string("replacement");
  last_from_.reset();
}

bool RegexRouter::apply(ConnectRecord& record) {
  if (!last_from_ || *last_from_ != record.topic) {
    last_to_ = route(record.topic);
    last_from_ = record.topic;
  }
  record.topic = last_to_;
  return true;
}

SharedString RegexRouter::route(const SharedString& topic) const {
  if (!pattern_->matches(topic.view())) return topic;
  auto routed = pattern_->replace_first(topic.view(), replacement_);
  if (!routed) throw ConnectError(routed.error().message());
  return SharedString(*std::move(routed));
}

}  // namespace fencepost::builtin
