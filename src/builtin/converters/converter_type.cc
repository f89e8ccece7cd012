#include "builtin/converters/converter_type.h"

namespace fencepost::builtin {

ConfigDef converter_config_def() {
  ConfigDef def;
  def.define({.name = "converter.type",
              .validator = validators::one_of({"key", "value", "header"}),
              .importance = Importance::Low,
              .documentation = "What this converter is used for; set by the framework."});
  return def;
}

}  // namespace fencepost::builtin
