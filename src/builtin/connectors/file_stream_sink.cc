#include "builtin/connectors/file_stream_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <system_error>

#include "builtin/java_text.h"
#include "builtin/version.h"
#include "fencepost/settings.h"

namespace fencepost::builtin {
namespace {

// Nothing for pipes and terminals.
std::optional<off_t> size_of_file(int fd) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return status.st_size;
}

}  // namespace

std::string FileStreamSinkConnector::version() const { return kVersion; }

ConfigDef FileStreamSinkConnector::config_def() const {
  ConfigDef def;
  def.define({.name = "file",
              .default_value = std::monostate{},
              .importance = Importance::High,
              .documentation = "The file to append the values to. Not set: standard output."});
  return def;
}

void FileStreamSinkConnector::start(const ConfigMap& config, ConnectorContext& context) {
  config_ = config;
  const std::string filename = config_def().parse(config).find_string("file").value_or("");
  context.log().info("Starting file sink connector writing to " + (filename.empty() ? "standard output" : filename));
}

std::vector<ConfigMap> FileStreamSinkConnector::task_configs(std::int32_t tasks_max) {
  return std::vector<ConfigMap>(static_cast<std::size_t>(tasks_max), config_);
}

FileStreamSinkTask::~FileStreamSinkTask() {
  if (fd_ > STDOUT_FILENO) ::close(fd_);
}

std::string FileStreamSinkTask::version() const { return kVersion; }

void FileStreamSinkTask::start(const ConfigMap& config, SinkTaskContext& /*context*/) {
  filename_ = FileStreamSinkConnector().config_def().parse(config).find_string("file").value_or("");
  if (filename_.empty()) {
    fd_ = STDOUT_FILENO;
    return;
  }
  fd_ = ::open(filename_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) {
    throw ConnectError("Couldn't find or create file '" + filename_ +
                       "' for FileStreamSinkTask: " + std::generic_category().message(errno));
  }
}

void FileStreamSinkTask::put(const std::vector<SinkRecord>& records) {
  lines_.clear();
  for (const SinkRecord& record : records) lines_.append(java_text(record.value)).append("\n");
  const std::optional<off_t> begin = size_of_file(fd_);
  std::string_view rest = lines_;
  while (!rest.empty()) {
    const ssize_t written = ::write(fd_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const std::string reason = std::generic_category().message(errno);
      if (begin) take_back_half_a_line(*begin, std::string_view(lines_).substr(0, lines_.size() - rest.size()));
      throw ConnectError("Error while writing to file '" + filename_ + "': " + reason);
    }
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void FileStreamSinkTask::take_back_half_a_line(off_t begin, std::string_view written) {
  const std::size_t last_end = written.rfind('\n');
  const std::size_t whole = last_end == std::string_view::npos ? 0 : last_end + 1;
  // Where somebody else has written too, the end of the file is not ours to cut.
  if (whole == written.size() || size_of_file(fd_) != begin + static_cast<off_t>(written.size())) return;
  // A cut that fails leaves what a file had before; the task fails with the first reason anyway.
  [[maybe_unused]] const int cut = ::ftruncate(fd_, begin + static_cast<off_t>(whole));
}

}  // namespace fencepost::builtin
