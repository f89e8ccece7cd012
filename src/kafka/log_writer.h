#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "kafka/client_settings.h"
#include "kafka/producer.h"

namespace fencepost::kafka {

/// One plain producer for the worker's own topics, shared by their logs. It is made at the first record.
///
/// Threads: any. Each record's callback comes exactly once: from the producer's thread with what became of the record, or, where
/// it was refused at once or never sent, from send(), purge() or the destructor. Callbacks must not block; they may send.
class LogWriter {
 public:
  /// Where the record landed, or why it did not.
  using Callback = std::function<void(const Result<std::int64_t>&)>;

  LogWriter(Translated producer, Log log);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  void send(std::string_view topic, std::optional<std::string_view> key, std::optional<std::string_view> value,
            Callback callback);
  /// Connects and learns where the topic is, so that its first record need not wait for that.
  void prepare(const std::string& topic, std::chrono::milliseconds timeout);
  /// Waits for all that was sent before.
  [[nodiscard]] Result<void> flush(std::chrono::milliseconds timeout);

 private:
  Result<Producer*> producer();  // with the mutex held
  void delivered(const Delivered& delivery);
  Callback take(std::uint64_t id);

  Translated settings_;
  Log log_;
  std::mutex produce_mutex_;  // one produce() at a time
  std::mutex callbacks_mutex_;
  std::unordered_map<std::uint64_t, Callback> callbacks_;
  std::uint64_t last_id_ = 0;
  std::unique_ptr<Producer> producer_;  // its thread uses what is above
};

/// The settings with which the worker writes its own topics, before the user's: at once, in order, and with an end to waiting.
[[nodiscard]] Properties log_producer_defaults();

}  // namespace fencepost::kafka
