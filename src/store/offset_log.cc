#include "store/offset_log.h"

#include <fmt/format.h>

#include "store/write_round.h"

namespace fencepost::store {

OffsetLog::OffsetLog(kafka::TopicLogOptions options, std::shared_ptr<kafka::LogWriter> writer, const Log& log)
    : logger_(log), writer_(std::move(writer)), log_(std::move(options), log, [this](auto records) { read(records); }) {}

OffsetLog::~OffsetLog() { log_.stop(); }

Result<void> OffsetLog::start(std::chrono::milliseconds timeout) {
  FENCEPOST_CHECK(log_.start(timeout));
  if (writer_) writer_->prepare(log_.topic(), kPrepareTime);
  return {};
}

void OffsetLog::read(std::span<const kafka::LogRecord> records) {
  const std::lock_guard lock(mutex_);
  for (const auto& record : records) {
    const std::string reason = state_.read(record.key, record.value);
    if (reason.empty()) continue;
    logger_.warn(fmt::format("offsets topic {}, partition {}, offset {}: the record is no source offset and is ignored: {}",
                             topic(), record.partition, record.offset, reason));
  }
}

void OffsetLog::read_to_end(std::chrono::milliseconds timeout, Callback callback) {
  log_.read_to_end(timeout, [callback = std::move(callback)](Result<kafka::TopicLog::Ends> ends) {
    callback(ends ? Result<void>() : Failure(std::move(ends).error()));
  });
}

Result<void> OffsetLog::read_to_end(std::chrono::milliseconds timeout) {
  FENCEPOST_TRY([[maybe_unused]] const auto ends, log_.read_to_end(timeout));
  return {};
}

std::optional<std::string> OffsetLog::get(std::string_view key) const {
  const auto parsed = protocol::parse_offset_key(key);
  if (!parsed) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto& partitions = state_.partitions(parsed->connector);
  const auto at = partitions.find(key);
  return at == partitions.end() ? std::nullopt : std::optional(at->second.offset);
}

std::vector<OffsetLog::Entry> OffsetLog::entries(std::string_view connector) const {
  const std::lock_guard lock(mutex_);
  std::vector<Entry> out;
  for (const auto& [key, entry] : state_.partitions(connector)) out.push_back(Entry{.key = key, .value = entry.offset});
  return out;
}

void OffsetLog::write(const Records& records, Callback callback) {
  if (!writer_) {
    callback(failure(ErrorKind::Bug, fmt::format("offsets topic {} was opened for reading only", topic())));
    return;
  }
  const auto round =
      WriteRound::begin(records.size(), [callback = std::move(callback), name = topic()](std::optional<Error> error) {
        if (error) {
          callback(Failure(std::move(*error).while_doing(fmt::format("writing to the offsets topic '{}'", name))));
        } else {
          callback({});
        }
      });
  for (const auto& [key, value] : records) {
    writer_->send(topic(), key, value, [round](const Result<std::int64_t>& written) { round->written(written); });
  }
}

}  // namespace fencepost::store
