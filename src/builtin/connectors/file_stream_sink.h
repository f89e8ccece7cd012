#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "fencepost/connector.h"
#include "fencepost/task.h"

namespace fencepost::builtin {

/// Appends the value of each record to a file, a line each. Setting: file (none: standard output).
class FileStreamSinkConnector : public SinkConnector {
 public:
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] ConfigDef config_def() const override;
  void start(const ConfigMap& config, ConnectorContext& context) override;
  [[nodiscard]] std::vector<ConfigMap> task_configs(std::int32_t tasks_max) override;
  void stop() noexcept override {}

 private:
  ConfigMap config_;
};

class FileStreamSinkTask : public SinkTask {
 public:
  FileStreamSinkTask() = default;
  ~FileStreamSinkTask() override;
  FileStreamSinkTask(const FileStreamSinkTask&) = delete;
  FileStreamSinkTask& operator=(const FileStreamSinkTask&) = delete;

  [[nodiscard]] std::string version() const override;
  void start(const ConfigMap& config, SinkTaskContext& context) override;
  /// The lines are in the file when it returns, as Java's are. Where it fails, as on a full disk, the file ends with a whole
  /// line, so that the records that come again stand on lines of their own.
  void put(const std::vector<SinkRecord>& records) override;
  void stop() noexcept override {}

 private:
  void take_back_half_a_line(off_t begin, std::string_view written);

  int fd_ = -1;
  std::string filename_;
  std::string lines_;
};

}  // namespace fencepost::builtin
