#pragma once

#include <utility>

#include "base/log.h"
#include "fencepost/plugin_log.h"

namespace fencepost::runtime {

/// The worker's log as plugins see it.
class PluginLogAdapter final : public PluginLog {
 public:
  explicit PluginLogAdapter(Log log) : log_(std::move(log)) {}
  void write(Severity severity, std::string_view line) const override {
    log_.write(static_cast<LogLevel>(static_cast<unsigned char>(severity)), line);
  }

 private:
  Log log_;
};

}  // namespace fencepost::runtime
