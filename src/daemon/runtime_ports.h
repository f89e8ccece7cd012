#pragma once

#include <memory>
#include <string>

#include "config/worker_config.h"
#include "fencer/fencer.h"
#include "kafka/admin.h"
#include "plugin/registry.h"
#include "runtime/ports.h"
#include "store/offset_log.h"

namespace fencepost::daemon {

/// The worker's global offsets topic, for tasks.
class OffsetsBinding final : public runtime::OffsetsPort {
 public:
  explicit OffsetsBinding(store::OffsetLog& log) : log_(log) {}
  [[nodiscard]] std::optional<std::string> get(std::string_view key) const override { return log_.get(key); }
  [[nodiscard]] runtime::OffsetTable of_connector(std::string_view connector) const override;
  void read_to_end(runtime::Completion done) override;
  void write(std::vector<runtime::OffsetRecord> records, runtime::Completion done) override;
  [[nodiscard]] std::string topic() const override { return log_.topic(); }

 private:
  store::OffsetLog& log_;
};

class FencerBinding final : public runtime::FencerPort {
 public:
  explicit FencerBinding(fencer::Fencer& fencer) : fencer_(fencer) {}
  void fence(const std::string& transactional_id, runtime::Completion done) override;

 private:
  fencer::Fencer& fencer_;
};

class PluginsBinding final : public runtime::PluginsPort {
 public:
  explicit PluginsBinding(const plugin::Registry& registry) : registry_(registry) {}
  [[nodiscard]] const PluginDescriptor* find(PluginKind kind, std::string_view name) const override {
    const auto found = registry_.find(kind, name);
    return found ? *found : nullptr;
  }

 private:
  const plugin::Registry& registry_;
};

}  // namespace fencepost::daemon
