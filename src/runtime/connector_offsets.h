#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "fencepost/offset_storage_reader.h"
#include "runtime/ports.h"

namespace fencepost::runtime {

/// Where the offsets of one connector lie: the worker's global topic alone, or a topic of its own with the global one as the
/// fallback (KIP-618).
struct OffsetsPlace {
  std::optional<std::string> own_topic;
  Properties consumer;     ///< settings of a client that reads the own topic
  Properties admin;        ///< settings of a client that makes it
  bool elsewhere = false;  ///< under exactly once: the connector writes to another Kafka than the worker's

  /// Nothing as own topic where it would be the global one on the same cluster.
  [[nodiscard]] static OffsetsPlace of(const WorkerOptions& options, const Properties& connector,
                                       const std::string& global_topic);
};

/// The committed offsets of one connector, and what this run of a task has seen of them.
///
/// Threads: any, one lock inside. load() and offsets() may block.
class ConnectorOffsets final : public OffsetStorageReader {
 public:
  ConnectorOffsets(std::string connector, OffsetsPlace place, const WorkerOptions& options, OffsetsPort& global,
                   ClientsPort& clients, Log log);

  /// Makes the own topic where it is missing, and reads both to their ends, behind all transactions. Blocks.
  [[nodiscard]] Result<void> load();
  /// Reads again; whether everything that this run looked up or committed still is as it knows it. Blocks.
  [[nodiscard]] Result<bool> still_as_known();
  /// A commit of this run succeeded.
  void committed(const std::vector<OffsetRecord>& records);

  [[nodiscard]] std::vector<std::optional<FieldMap>> offsets(const std::vector<FieldMap>& partitions) override;

  /// Newest value by key, tombstones left out: own topic over global one.
  [[nodiscard]] OffsetTable all() const;
  [[nodiscard]] const OffsetsPlace& place() const { return place_; }
  /// The topic that a transaction of the task writes its offsets to.
  [[nodiscard]] std::string commit_topic() const { return place_.own_topic ? *place_.own_topic : global_.topic(); }

 private:
  [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

  const std::string connector_;
  const OffsetsPlace place_;
  const WorkerOptions& options_;
  OffsetsPort& global_;
  ClientsPort& clients_;
  const Log log_;
  mutable std::mutex mutex_;
  bool own_topic_made_ = false;
  bool fresh_ = false;  ///< loaded and not looked up since: the first lookup needs no further read
  OffsetTable own_;
  std::map<std::string, std::optional<std::string>> known_;
};

/// Reads the global topic to its end and waits for it.
[[nodiscard]] Result<void> read_to_end(OffsetsPort& global);
/// Writes to the global topic and waits for it.
[[nodiscard]] Result<void> write_and_wait(OffsetsPort& global, std::vector<OffsetRecord> records);

}  // namespace fencepost::runtime
