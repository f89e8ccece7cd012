#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/properties.h"
#include "base/time.h"
#include "fencepost/plugin.h"

namespace fencepost::runtime {

// What the runtime needs of other parts of the worker. The daemon binds these to the stores, the wire client, the plugin registry
// and librdkafka; tests bind them to memory.

/// A record of an offsets topic, as bytes; nothing is a tombstone.
using OffsetRecord = std::pair<std::string, std::optional<std::string>>;
using OffsetTable = std::map<std::string, std::string, std::less<>>;
using Completion = std::function<void(Result<void>)>;

/// The worker's global offsets topic. Threads: any; completions come from any thread, exactly once.
class OffsetsPort {
 public:
  virtual ~OffsetsPort() = default;
  /// The newest committed value of a key that was read so far.
  [[nodiscard]] virtual std::optional<std::string> get(std::string_view key) const = 0;
  /// All keys with a value whose JSON names this connector.
  [[nodiscard]] virtual OffsetTable of_connector(std::string_view connector) const = 0;
  /// Reads up to the last record as it is now; where transactions are open, that takes until they have ended.
  virtual void read_to_end(Completion done) = 0;
  /// Writes in the order given; done once all are acknowledged.
  virtual void write(std::vector<OffsetRecord> records, Completion done) = 0;
  [[nodiscard]] virtual std::string topic() const = 0;
};

/// Bumps the epoch of one transactional id: aborts what its last producer left open and bars that producer from then on.
/// Threads: any; the completion comes from any thread, exactly once.
class FencerPort {
 public:
  virtual ~FencerPort() = default;
  virtual void fence(const std::string& transactional_id, Completion done) = 0;
};

/// Finds plugins by any of their names. Null pointer: there is none. Threads: any.
class PluginsPort {
 public:
  virtual ~PluginsPort() = default;
  [[nodiscard]] virtual const PluginDescriptor* find(PluginKind kind, std::string_view name) const = 0;
};

/// Replaces ${provider:path:key} in the values of a config. Threads: any; may block.
using ConfigResolver = std::function<Result<Properties>(const Properties&)>;

// ---- Kafka clients of one task ----

struct HeaderOut {
  std::string_view key;
  std::optional<std::string_view> value;
};
struct RecordOut {
  std::string_view topic;
  std::int32_t partition = -1;  ///< -1: by the key
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::int64_t timestamp_ms = -1;  ///< -1: now
  std::span<const HeaderOut> headers{};
  std::uint64_t tag = 0;  ///< comes back with the delivery
};
struct Delivery {
  std::uint64_t tag = 0;
  std::string_view topic;
  std::int32_t partition = -1;
  std::int64_t offset = -1;
  std::optional<Error> error;  ///< nothing: written
};
struct TransactionFailure {
  bool fatal = false;
  bool requires_abort = false;
  bool retriable = false;
  bool fenced = false;
  Error error{ErrorKind::Failed, {}};
};
using TransactionOutcome = tl::expected<void, TransactionFailure>;

/// A producer, transactional or not. Threads: one at a time; cancel() from any. Deliveries come in the calls of that thread.
class ProducerPort {
 public:
  virtual ~ProducerPort() = default;
  /// Copies the record. Blocks while the queue is full, so that a slow broker slows the poll. Conflict: its transaction failed
  /// before.
  [[nodiscard]] virtual Result<void> produce(const RecordOut& record) = 0;
  virtual void poll() = 0;
  [[nodiscard]] virtual Result<void> flush(Duration timeout) = 0;
  [[nodiscard]] virtual std::size_t pending() const = 0;
  [[nodiscard]] virtual TransactionOutcome init_transactions(Duration timeout) = 0;
  [[nodiscard]] virtual TransactionOutcome begin() = 0;
  [[nodiscard]] virtual TransactionOutcome commit(Duration timeout) = 0;
  [[nodiscard]] virtual TransactionOutcome abort(Duration timeout) = 0;
  /// Why it can do nothing more, if so.
  [[nodiscard]] virtual std::optional<TransactionFailure> dead() const = 0;
  /// Dead, or its sequence numbers have a hole: the next transaction is another producer's.
  [[nodiscard]] virtual bool spent() const = 0;
  [[nodiscard]] virtual Duration transaction_timeout() const = 0;
  virtual void cancel() = 0;
};

// ---- consumers of sinks ----

struct Place {
  std::string topic;
  std::int32_t partition = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};
using PlaceOffsets = std::map<Place, std::int64_t>;

/// A record as it was read; views live as long as its batch.
struct RecordIn {
  std::string_view topic;
  std::int32_t partition = 0;
  std::int64_t offset = 0;
  std::int64_t timestamp_ms = -1;
  bool log_append_time = false;
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
  std::vector<HeaderOut> headers{};
};
struct RecordsIn {
  std::shared_ptr<const void> owner;  ///< keeps the bytes
  std::vector<RecordIn> records;
};

/// Told in poll(), and of the last revocation in the consumer's end; must not throw.
struct ConsumerListener {
  /// Returns where to begin; a partition that is left out begins at its committed offset.
  std::function<PlaceOffsets(const std::vector<Place>&)> assigned;
  /// `lost`: others may own them already, nothing can be committed.
  std::function<void(const std::vector<Place>&, bool lost)> revoked;
};

/// A member of a consumer group. Threads: one at a time.
class ConsumerPort {
 public:
  virtual ~ConsumerPort() = default;
  /// Names, in place of those before; none: it leaves the group until there are some.
  [[nodiscard]] virtual Result<void> subscribe(const std::vector<std::string>& topics) = 0;
  /// What is there, at once; must be called every few hundred milliseconds so that the group sees progress.
  [[nodiscard]] virtual Result<RecordsIn> poll() = 0;
  [[nodiscard]] virtual Result<void> commit(const PlaceOffsets& offsets) = 0;
  [[nodiscard]] virtual Result<void> pause(const std::vector<Place>& partitions) = 0;
  [[nodiscard]] virtual Result<void> resume(const std::vector<Place>& partitions) = 0;
  [[nodiscard]] virtual Result<void> seek(const PlaceOffsets& to) = 0;
};

struct TopicToCreate {
  std::string name;
  std::int32_t partitions = -1;          ///< -1: the broker's default
  std::int32_t replication_factor = -1;  ///< -1: the broker's default
  Properties configs;
};

/// Makes the clients of tasks. Properties are Java client settings without prefix. Threads: any; calls may block.
class ClientsPort {
 public:
  virtual ~ClientsPort() = default;
  /// `transactional`: settings that would weaken exactly once are refused.
  [[nodiscard]] virtual Result<std::unique_ptr<ProducerPort>> producer(const Properties& settings, bool transactional,
                                                                       const Log& log,
                                                                       std::function<void(const Delivery&)> delivered) = 0;
  /// Partitions of a topic; nothing where it does not exist. Never creates it.
  [[nodiscard]] virtual Result<std::optional<std::int32_t>> topic_partitions(const Properties& admin,
                                                                             const std::string& topic) = 0;
  /// All topics of the cluster that a client with these settings may see.
  [[nodiscard]] virtual Result<std::vector<std::string>> topic_names(const Properties& client) = 0;
  /// Success too where it exists already.
  [[nodiscard]] virtual Result<void> create_topic(const Properties& admin, const TopicToCreate& topic) = 0;
  /// Everything that was committed to an offsets topic, also behind transactions that are open now: newest value by key. Blocks
  /// until those have ended.
  [[nodiscard]] virtual Result<OffsetTable> read_offsets_topic(const Properties& consumer, const std::string& topic) = 0;
  /// `records_waiting` comes from any thread, quick, whenever something waits after there was nothing.
  [[nodiscard]] virtual Result<std::unique_ptr<ConsumerPort>> group_consumer(const Properties& settings, const Log& log,
                                                                             ConsumerListener listener,
                                                                             std::function<void()> records_waiting) = 0;
  [[nodiscard]] virtual Result<PlaceOffsets> group_offsets(const Properties& admin, const std::string& group) = 0;
  /// Nothing for a partition: its offset is forgotten. Conflict where the group has members.
  [[nodiscard]] virtual Result<void> change_group_offsets(const Properties& admin, const std::string& group,
                                                          const std::map<Place, std::optional<std::int64_t>>& changes) = 0;
  /// A group that does not exist is no error. Conflict where it has members.
  [[nodiscard]] virtual Result<void> delete_group(const Properties& admin, const std::string& group) = 0;
};

/// Settings of the worker that tasks need.
struct WorkerOptions {
  Properties worker;  ///< everything in the worker's properties file, as Java knows it
  std::string group_id;
  Duration offset_flush_interval{60'000};
  Duration offset_flush_timeout{5'000};
  Duration graceful_shutdown_timeout{5'000};
  bool topic_creation_enabled = true;
  std::int32_t offsets_partitions = 25;
  std::int32_t offsets_replication_factor = 3;
};

/// Ports outlive the worker.
struct WorkerPorts {
  OffsetsPort* offsets = nullptr;
  FencerPort* fencer = nullptr;
  const PluginsPort* plugins = nullptr;
  ClientsPort* clients = nullptr;
  ConfigResolver resolve;
};

}  // namespace fencepost::runtime
