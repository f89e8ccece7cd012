#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "protocol/status_records.h"

namespace fencepost::protocol {

/// When a status may be written.
enum class StatusWrites : std::uint8_t {
  Always,
  /// Not over what another worker says in a newer generation: for UNASSIGNED at shutdown and for failures, which may come
  /// late, when the task runs elsewhere already.
  Safe
};

/// A status on its way to the topic.
struct StatusWrite {
  StatusOwner owner;
  Status status;
  StatusWrites mode{};
  std::uint64_t sequence = 0;
  Record record;
};

/// The states of connectors and tasks, as the records of the status topic give them in their order, and the rules that keep
/// late writes of former owners out of it. A value.
class StatusState {
 public:
  /// The next record. Malformed or foreign ones leave the state as it is; the answer is why (without the place in the topic),
  /// or empty.
  std::string read(std::optional<std::string_view> key, std::optional<std::string_view> value);

  /// Null pointer where the log says nothing.
  [[nodiscard]] const Status* find(const StatusOwner& owner) const;
  /// A connector's tasks by number.
  [[nodiscard]] const std::map<std::int32_t, Status>& tasks(std::string_view connector) const;
  /// A connector's topics by name.
  [[nodiscard]] const std::map<std::string, TopicStatus>& topics(std::string_view connector) const;
  /// All connectors that have a status of their own.
  [[nodiscard]] std::vector<std::string> connectors() const;
  /// All connectors of which the log holds anything: a status, one of a task, a topic.
  [[nodiscard]] std::vector<std::string> known() const;

  /// The record to write; nothing if it must not be written.
  [[nodiscard]] std::optional<StatusWrite> begin_write(StatusOwner owner, Status status, StatusWrites mode);
  /// Whether a write that failed may be tried again: only while nothing newer was written, and, for a safe one, read.
  [[nodiscard]] bool may_retry(const StatusWrite& write) const;
  /// Tombstones for all that the log holds of a deleted connector, topics and tasks first.
  [[nodiscard]] std::vector<Record> deletion_of(std::string_view connector) const;

 private:
  struct Entry {
    std::optional<Status> connector;
    std::map<std::int32_t, Status> tasks;
    std::map<std::string, TopicStatus> topics;
  };

  std::string read_status(const StatusOwner& owner, std::string_view key, const json::Value* value);
  std::string read_topic(std::string_view key, std::string_view rest, const json::Value* value);
  void remove(const StatusOwner& owner);
  [[nodiscard]] const Entry* entry(std::string_view connector) const;
  [[nodiscard]] bool is_safe(const StatusOwner& owner, const Status& status) const;

  std::map<std::string, Entry, std::less<>> entries_;
  std::map<StatusOwner, std::uint64_t> newest_writes_;
  std::uint64_t next_sequence_ = 1;
  Generation newest_generation_ = kNoGeneration;  ///< of the last write
};

}  // namespace fencepost::protocol
