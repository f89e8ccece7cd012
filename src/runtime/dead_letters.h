#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "runtime/ports.h"

namespace fencepost::runtime {

/// Where and why a record was given up.
struct DeadLetter {
  std::string stage;       ///< "VALUE_CONVERTER"
  std::string class_name;  ///< of the plugin that failed
  std::string exception_class;
  std::string message;
  std::string trace;
};

/// The topic in which a sink keeps the records that it could not handle (KIP-298): their bytes as they were read.
/// Threads: one at a time.
class DeadLetterQueue {
 public:
  struct Settings {
    TaskId task;
    std::string topic;
    std::int32_t replication_factor = 3;
    bool context_headers = false;
    Properties producer;
    Properties admin;
  };

  /// Makes the topic where it is missing. Errors name it. Blocks.
  [[nodiscard]] static Result<std::unique_ptr<DeadLetterQueue>> open(Settings settings, ClientsPort& clients, const Log& log);

  /// Puts a record in; an error that came up since the last call is returned here.
  [[nodiscard]] Result<void> add(const RecordIn& record, const DeadLetter& letter);
  /// All that was put in is in the topic.
  [[nodiscard]] Result<void> flush(Duration timeout);

 private:
  explicit DeadLetterQueue(Settings settings) : settings_(std::move(settings)) {}
  Settings settings_;
  std::optional<Error> failure_;
  std::unique_ptr<ProducerPort> producer_;
};

}  // namespace fencepost::runtime
