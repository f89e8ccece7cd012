#include "builtin/connectors/file_stream_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>

#include "builtin/version.h"
#include "fencepost/settings.h"

namespace fencepost::builtin {

namespace {

constexpr const char* kFile = "file";
constexpr const char* kTopic = "topic";
constexpr const char* kBatchSize = "batch.size";
constexpr const char* kFilenameField = "filename";
constexpr const char* kPositionField = "position";
constexpr std::size_t kReadBytes = 256 * 1024;
constexpr std::size_t kProbeBytes = 4 * 1024;  // most looks at a file find nothing new

std::string reason(int error) { return std::generic_category().message(error); }

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string filename_of(const ConfigMap& config) {
  return FileStreamSourceConnector().config_def().parse(config).find_string(kFile).value_or("");
}

}  // namespace

std::string FileStreamSourceConnector::version() const { return kVersion; }

ConfigDef FileStreamSourceConnector::config_def() const {
  ConfigDef def;
  def.define({.name = kFile,
              .default_value = std::monostate{},
              .importance = Importance::High,
              .documentation = "The file to read. Not set: standard input."})
      .define({.name = kTopic,
               .validator = validators::non_empty_string(),
               .importance = Importance::High,
               .documentation = "The topic to write the lines to."})
      .define({.name = kBatchSize,
               .type = ConfigType::Int,
               .default_value = 2000,
               .importance = Importance::Low,
               .documentation = "The most lines that the task reads in one go."});
  return def;
}

void FileStreamSourceConnector::start(const ConfigMap& config, ConnectorContext& context) {
  config_ = config;
  const std::string filename = filename_of(config);
  context.log().info("Starting file source connector reading from " + (filename.empty() ? "standard input" : filename));
}

std::vector<ConfigMap> FileStreamSourceConnector::task_configs(std::int32_t /*tasks_max*/) {
  // A file has one beginning, so there is never more than one task.
  return {config_};
}

std::optional<ExactlyOnceSupport> FileStreamSourceConnector::exactly_once_support(const ConfigMap& config) const {
  // A file that is only appended to can be read again from a place; standard input cannot.
  return filename_of(config).empty() ? ExactlyOnceSupport::Unsupported : ExactlyOnceSupport::Supported;
}

bool FileStreamSourceConnector::alter_offsets(const ConfigMap& config, const SourceOffsetChanges& changes) {
  if (filename_of(config).empty()) {
    throw ConnectError(
        "Offsets cannot be modified if the 'file' configuration is unspecified: then standard input is read, whose offsets are "
        "not "
        "tracked.");
  }
  for (const auto& [partition, offset] : changes) {
    if (!offset) continue;  // whatever it is, it may be forgotten
    const Value* position = offset->find(kPositionField);
    if (position == nullptr) throw ConnectError("Offset objects should either be null or contain the key 'position'");
    if (!position->is_integer())
      throw ConnectError("The value for the 'position' key in the offset is expected to be a Long value");
    if (position->as_integer() < 0) {
      throw ConnectError("The value for the 'position' key in the offset should be a non-negative value");
    }
    if (partition.find(kFilenameField) == nullptr) throw ConnectError("Partition objects should contain the key 'filename'");
  }
  return true;
}

void LineCutter::add(std::string_view bytes) {
  if (block_.use_count() == 1) {
    // Nobody holds a line of it, so a line that grows over many reads is not copied each time.
    block_->erase(0, begin_);
    block_->append(bytes);
  } else {
    auto block = std::make_shared<std::string>();
    block->reserve(block_->size() - begin_ + bytes.size());
    block->append(*block_, begin_).append(bytes);
    block_ = std::move(block);
  }
  scanned_ -= begin_;
  begin_ = 0;
}

std::optional<LineCutter::Line> LineCutter::next() {
  const std::string_view block = *block_;
  const std::size_t end = block.find_first_of("\r\n", scanned_);
  if (end == std::string_view::npos) {
    scanned_ = block.size();
    return std::nullopt;
  }
  if (block[end] == '\r' && end + 1 == block.size()) {
    scanned_ = end;
    return std::nullopt;
  }
  const std::size_t after = end + (block[end] == '\r' && block[end + 1] == '\n' ? 2 : 1);
  position_ += static_cast<std::int64_t>(after - begin_);
  Line line{Bytes(block_, block.substr(begin_, end - begin_)), position_};
  begin_ = scanned_ = after;
  return line;
}

FileStreamSourceTask::~FileStreamSourceTask() {
  if (fd_ > STDIN_FILENO) ::close(fd_);
}

std::string FileStreamSourceTask::version() const { return kVersion; }

void FileStreamSourceTask::start(const ConfigMap& config, SourceTaskContext& context) {
  const Settings settings = FileStreamSourceConnector().config_def().parse(config);
  context_ = &context;
  filename_ = settings.find_string(kFile).value_or("");
  topic_ = SharedString(settings.get_string(kTopic));
  batch_size_ = static_cast<std::size_t>(std::max(settings.get_int(kBatchSize), 1));
  if (filename_.empty()) {
    fd_ = STDIN_FILENO;
    lines_.emplace(0);
  } else {
    partition_ = SourcePartition(FieldMap{{kFilenameField, filename_}});
    offset_field_ = SharedString(kPositionField);
  }
}

bool FileStreamSourceTask::open() {
  // A pipe without a writer would block here otherwise.
  fd_ = ::open(filename_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0 && errno == ENOENT) {
    if (!told_missing_)
      context_->log().warn("Couldn't find file " + filename_ + " for FileStreamSourceTask, waiting for it to be created");
    told_missing_ = true;
    return false;
  }
  if (fd_ < 0) throw ConnectError("Error while trying to open file " + filename_ + ": " + reason(errno));
  seek_to_last_offset();
  return true;
}

void FileStreamSourceTask::seek_to_last_offset() {
  std::int64_t position = 0;
  if (const auto offset = context_->offsets().offset(partition_.fields())) {
    const Value* recorded = offset->find(kPositionField);
    if (recorded != nullptr && !recorded->is_null() && !recorded->is_integer()) {
      throw ConnectError("Offset position is the incorrect type: " + std::string(to_string(recorded->kind())) +
                         ", not a whole number");
    }
    if (recorded != nullptr && !recorded->is_null()) position = recorded->as_integer();
  }
  struct stat status {};
  if (::fstat(fd_, &status) != 0)
    throw ConnectError("Error while trying to read the size of file " + filename_ + ": " + reason(errno));
  if (S_ISDIR(status.st_mode)) throw ConnectError("Error while trying to open file " + filename_ + ": it is a directory");
  if (S_ISREG(status.st_mode)) {
    if (position > status.st_size) {
      throw ConnectError(
          "The last offset of file " + filename_ + " is " + std::to_string(position) + " but the file has " +
          std::to_string(status.st_size) +
          " bytes: it was cut or replaced. Stop the connector and reset its offsets to read the file from its beginning.");
    }
    if (::lseek(fd_, position, SEEK_SET) < 0) {
      throw ConnectError("Error while trying to seek to previous offset in file " + filename_ + ": " + reason(errno));
    }
  }
  lines_.emplace(position);
}

std::string_view FileStreamSourceTask::read_some() {
  if (fd_ == STDIN_FILENO) {
    // Standard input is shared with others, so it is asked instead of being switched to non-blocking.
    pollfd ready{.fd = fd_, .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, 0) <= 0) return {};
  }
  // What the last read brought is still in there: less than a probe, and there is little more to come.
  buffer_.resize(buffer_.size() < kProbeBytes ? kProbeBytes : kReadBytes);
  const ssize_t count = ::read(fd_, buffer_.data(), buffer_.size());
  if (count > 0) {
    buffer_.resize(static_cast<std::size_t>(count));
    return buffer_;
  }
  const int why = errno;
  std::string().swap(buffer_);  // an idle task keeps no buffer
  if (count == 0) return {};
  if (why == EAGAIN || why == EINTR) return {};
  throw ConnectError("Error while reading file " + (filename_.empty() ? "standard input" : filename_) + ": " + reason(why));
}

void FileStreamSourceTask::take_lines(std::vector<SourceRecord>& records, std::size_t& bytes) {
  const std::int64_t now = now_ms();
  while (records.size() < batch_size_ && bytes < context_->batch_bytes_max()) {
    auto line = lines_->next();
    if (!line) return;
    SourceRecord& record = records.emplace_back();
    record.topic = topic_;
    record.value_schema = Schema::string();
    record.value = Value::string(std::move(line->text));
    record.timestamp_ms = now;
    if (partition_.has_value()) {
      record.partition = partition_;
      record.offset = SourceOffset(offset_field_, line->end);
    }
    bytes += record.size_estimate();
  }
}

std::vector<SourceRecord> FileStreamSourceTask::poll() {
  std::vector<SourceRecord> records;
  if (fd_ < 0 && !open()) return records;
  std::size_t bytes = 0;
  take_lines(records, bytes);
  while (records.size() < batch_size_ && bytes < context_->batch_bytes_max()) {
    const std::string_view more = read_some();
    if (more.empty()) break;
    lines_->add(more);
    take_lines(records, bytes);
  }
  return records;
}

}  // namespace fencepost::builtin
