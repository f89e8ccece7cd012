#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "fencepost/connector.h"
#include "fencepost/task.h"

namespace fencepost::builtin {

/// Reads a file line by line into a topic, and goes on as lines are added. Settings: file (none: standard input), topic,
/// batch.size. One task; source partition {"filename": F}, source offset {"position": bytes read}. Java's FileStreamSource counts
/// characters instead of bytes, so its offsets agree for ASCII only; a place that does not begin a line is no fault.
class FileStreamSourceConnector : public SourceConnector {
 public:
  [[nodiscard]] std::string version() const override;
  [[nodiscard]] ConfigDef config_def() const override;
  void start(const ConfigMap& config, ConnectorContext& context) override;
  [[nodiscard]] std::vector<ConfigMap> task_configs(std::int32_t tasks_max) override;
  void stop() noexcept override {}
  [[nodiscard]] std::optional<ExactlyOnceSupport> exactly_once_support(const ConfigMap& config) const override;
  bool alter_offsets(const ConfigMap& config, const SourceOffsetChanges& changes) override;

 private:
  ConfigMap config_;
};

/// Cuts lines off the bytes of a file as they come. A line ends in \n, \r or \r\n; what is not ended yet is kept.
/// Lines share the block of memory that they were read into.
class LineCutter {
 public:
  struct Line {
    Bytes text;
    /// Bytes from the start of the stream to the end of this line, its end included.
    std::int64_t end = 0;
  };

  explicit LineCutter(std::int64_t position) : position_(position) {}

  /// Adds bytes that follow those before.
  void add(std::string_view bytes);
  /// The next line that is complete. A \r at the very end of what is there waits: a \n may follow.
  [[nodiscard]] std::optional<Line> next();

 private:
  std::shared_ptr<std::string> block_ = std::make_shared<std::string>();
  std::size_t begin_ = 0;    // of the line that is not complete yet
  std::size_t scanned_ = 0;  // no end of a line before this
  std::int64_t position_;
};

class FileStreamSourceTask : public SourceTask {
 public:
  FileStreamSourceTask() = default;
  ~FileStreamSourceTask() override;
  FileStreamSourceTask(const FileStreamSourceTask&) = delete;
  FileStreamSourceTask& operator=(const FileStreamSourceTask&) = delete;

  [[nodiscard]] std::string version() const override;
  void start(const ConfigMap& config, SourceTaskContext& context) override;
  /// Never blocks: returns nothing while the file is missing or has no complete new line.
  [[nodiscard]] std::vector<SourceRecord> poll() override;
  void stop() noexcept override {}

 private:
  [[nodiscard]] bool open();
  void seek_to_last_offset();
  /// Bytes that are there now; empty at the end of the file.
  [[nodiscard]] std::string_view read_some();
  void take_lines(std::vector<SourceRecord>& records, std::size_t& bytes);

  SourceTaskContext* context_ = nullptr;
  std::string filename_;
  SharedString topic_;
  std::size_t batch_size_ = 0;
  SourcePartition partition_;
  SharedString offset_field_;
  int fd_ = -1;
  bool told_missing_ = false;
  std::string buffer_;
  std::optional<LineCutter> lines_;
};

}  // namespace fencepost::builtin
