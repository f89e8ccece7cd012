#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <variant>

#include "herder/actions.h"
#include "runtime/connector_offsets.h"
#include "runtime/plugin_log_adapter.h"
#include "runtime/task_run.h"

namespace fencepost::runtime {

/// One run of a connector on this worker, from StartConnector to ConnectorEnded. It has no thread of its own.
///
/// Threads: public functions from any thread; the plugin is called in turns only.
class ConnectorRun final : public Actor, private ConnectorContext {
 public:
  ConnectorRun(herder::StartConnector order, RunSurroundings surroundings);
  ~ConnectorRun() override;
  /// Its first turn.
  void begin();

  void stop();
  void change_target(herder::TargetState target);
  void generate_task_configs(Properties config);
  /// ConnectorEnded is reported although the plugin still blocks.
  void give_up();
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  enum class State : unsigned char { New, Running, Paused, Stopped, Failed };

  Steady::time_point proceed() override;
  void move_to(herder::TargetState target);
  [[nodiscard]] Result<void> start_plugin();
  void stop_plugin() noexcept;
  void fail(std::string trace);
  void report(herder::RunState state, std::string trace = {});
  [[nodiscard]] Result<std::vector<Properties>> task_configs(const Properties& config);

  // ConnectorContext
  void request_task_reconfiguration() override;
  void raise_error(const ConnectError& reason) override;
  OffsetStorageReader* offsets() override { return offsets_.get(); }
  const PluginLog& log() const override { return plugin_log_; }

  const herder::StartConnector order_;
  const RunSurroundings surroundings_;
  const PluginLogAdapter plugin_log_;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> stopping_ = false;
  State state_ = State::New;
  herder::TargetState target_;
  const PluginDescriptor* plugin_ = nullptr;
  std::unique_ptr<ConnectorOffsets> offsets_;
  std::unique_ptr<Connector> connector_;
};

}  // namespace fencepost::runtime
