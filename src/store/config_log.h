#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/log.h"
#include "herder/actions.h"
#include "herder/events.h"
#include "kafka/log_writer.h"
#include "kafka/topic_log.h"
#include "store/leader_writer.h"

namespace fencepost::store {

/// Hands a fact to the herder; from any thread, must not block.
using Post = std::function<void(herder::Event)>;

struct ConfigLogOptions {
  kafka::TopicLogOptions log{};
  /// With exactly.once.source.support preparing or enabled: the leader's transactional producer (connect-cluster-GROUP).
  std::optional<kafka::Translated> leader{};
  std::chrono::milliseconds read_timeout{30'000};
  std::chrono::milliseconds write_timeout{30'000};
};

/// The config topic. What is read is posted as ConfigRecordsRead.
///
/// Threads: any.
class ConfigLog {
 public:
  ConfigLog(ConfigLogOptions options, std::shared_ptr<kafka::LogWriter> writer, const Log& log, Post post);
  ~ConfigLog();

  /// See TopicLog::start(). When it returns all that was in the topic has been posted.
  [[nodiscard]] Result<void> start(std::chrono::milliseconds timeout);
  void stop() { log_.stop(); }

  /// -> ConfigLogEndReached.
  void read_to_end(RequestId request);
  /// -> ConfigWriteCompleted. As leader: in one transaction where the worker does exactly once.
  void write(const herder::WriteConfigRecords& order);
  /// Without exactly once there is nothing to claim or release.
  void claim();
  void release();

 private:
  void write_plain(const herder::WriteConfigRecords& order);

  std::string topic_;
  std::chrono::milliseconds read_timeout_;
  Post post_;
  std::shared_ptr<kafka::LogWriter> writer_;
  std::unique_ptr<LeaderWriter> leader_;
  kafka::TopicLog log_;
};

/// Records of a log as facts for the herder.
[[nodiscard]] std::vector<herder::TopicRecord> to_topic_records(std::span<const kafka::LogRecord> records);

}  // namespace fencepost::store
