#include "store/config_log.h"

#include <fmt/format.h>

#include <utility>

#include "store/write_round.h"

namespace fencepost::store {
namespace {

std::optional<std::string> copied(const std::optional<std::string_view>& bytes) {
  return bytes ? std::optional<std::string>(*bytes) : std::nullopt;
}

}  // namespace

std::vector<herder::TopicRecord> to_topic_records(std::span<const kafka::LogRecord> records) {
  std::vector<herder::TopicRecord> out;
  out.reserve(records.size());
  for (const auto& record : records) {
    out.push_back(herder::TopicRecord{.partition = record.partition,
                                      .offset = LogPosition(record.offset),
                                      .timestamp_ms = record.timestamp_ms,
                                      .key = copied(record.key),
                                      .value = copied(record.value)});
  }
  return out;
}

ConfigLog::ConfigLog(ConfigLogOptions options, std::shared_ptr<kafka::LogWriter> writer, const Log& log, Post post)
    : topic_(options.log.topic.name),
      read_timeout_(options.read_timeout),
      post_(std::move(post)),
      writer_(std::move(writer)),
      log_(std::move(options.log), log,
           [this](std::span<const kafka::LogRecord> records) { post_(herder::ConfigRecordsRead{to_topic_records(records)}); }) {
  if (options.leader) leader_ = std::make_unique<LeaderWriter>(topic_, *std::move(options.leader), options.write_timeout, log);
}

ConfigLog::~ConfigLog() {
  leader_.reset();
  log_.stop();
}

Result<void> ConfigLog::start(std::chrono::milliseconds timeout) {
  FENCEPOST_CHECK(log_.start(timeout));
  writer_->prepare(log_.topic(), kPrepareTime);
  return {};
}

void ConfigLog::read_to_end(RequestId request) {
  log_.read_to_end(read_timeout_, [post = post_, request](Result<kafka::TopicLog::Ends> ends) {
    if (ends) {
      post(herder::ConfigLogEndReached{request, LogPosition(ends->at(0))});
    } else {
      post(herder::ConfigLogEndReached{request, Failure(std::move(ends).error())});
    }
  });
}

void ConfigLog::claim() {
  if (leader_) leader_->claim();
}

void ConfigLog::release() {
  if (leader_) leader_->release();
}

void ConfigLog::write(const herder::WriteConfigRecords& order) {
  if (!leader_ || !order.as_leader) {
    write_plain(order);
    return;
  }
  leader_->write(order.records, [this, request = order.request](const Result<std::int64_t>& written) {
    // Who reads to the end after this answer finds what was written.
    if (written) log_.must_reach(0, *written);
    post_(herder::ConfigWriteCompleted{request, written ? std::nullopt : std::optional(written.error())});
  });
}

void ConfigLog::write_plain(const herder::WriteConfigRecords& order) {
  const auto round = WriteRound::begin(
      order.records.size(), [post = post_, request = order.request, topic = topic_](std::optional<Error> error) {
        if (error) error = std::move(*error).while_doing(fmt::format("Failed to write to the config topic '{}'", topic));
        post(herder::ConfigWriteCompleted{request, std::move(error)});
      });
  for (const auto& record : order.records) {
    writer_->send(topic_, record.key, record.value, [round](const Result<std::int64_t>& written) { round->written(written); });
  }
}

}  // namespace fencepost::store
