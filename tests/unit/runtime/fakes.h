#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fencepost/transform.h"
#include "runtime/ports.h"
#include "runtime/worker.h"

namespace fencepost::runtime::test {

using namespace std::chrono_literals;

/// What happened, in its order, told by all fakes; a test waits for lines.
class Journal {
 public:
  void add(std::string line) {
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(std::move(line));
    }
    changed_.notify_all();
  }
  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  [[nodiscard]] bool has(const std::string& part) const {
    const std::lock_guard lock(mutex_);
    return contains(part);
  }
  /// False after five seconds without such a line.
  bool wait_for(const std::string& part) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 5s, [&] { return contains(part); });
  }
  /// The same for the n-th such line.
  bool wait_for_nth(const std::string& part, std::ptrdiff_t n) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 5s, [&] {
      return std::count_if(lines_.begin(), lines_.end(), [&](const auto& l) { return l.find(part) != std::string::npos; }) >= n;
    });
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& line : lines()) out += line + "\n";
    return out;
  }
  [[nodiscard]] std::ptrdiff_t place(const std::string& part) const {
    const auto all = lines();
    const auto at = std::find_if(all.begin(), all.end(), [&](const auto& l) { return l.find(part) != std::string::npos; });
    return at == all.end() ? -1 : at - all.begin();
  }

 private:
  bool contains(const std::string& part) const {
    return std::any_of(lines_.begin(), lines_.end(), [&](const auto& l) { return l.find(part) != std::string::npos; });
  }
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
};

class FakeOffsets final : public OffsetsPort {
 public:
  explicit FakeOffsets(Journal& journal) : journal_(journal) {}
  std::optional<std::string> get(std::string_view key) const override {
    const std::lock_guard lock(mutex_);
    const auto at = table.find(key);
    return at == table.end() ? std::nullopt : std::optional(at->second);
  }
  OffsetTable of_connector(std::string_view) const override { return table; }
  void read_to_end(Completion done) override {
    journal_.add("offsets read");
    if (late_by > 0) {
      --late_by;
    } else {
      for (const auto& record : std::exchange(late, {})) set(record);
    }
    done({});
  }
  void write(std::vector<OffsetRecord> records, Completion done) override {
    for (const auto& [key, value] : records) {
      journal_.add("global " + key + " " + value.value_or("null"));
      set({key, value});
    }
    done({});
  }
  std::string topic() const override { return "connect-offsets"; }

  void set(const OffsetRecord& record) {
    const std::lock_guard lock(mutex_);
    if (record.second) {
      table[record.first] = *record.second;
    } else {
      table.erase(record.first);
    }
  }

  mutable std::mutex mutex_;
  OffsetTable table;
  std::vector<OffsetRecord> late;  ///< committed, and not yet before the last stable offset
  int late_by = 0;                 ///< so many reads do not see them

 private:
  Journal& journal_;
};

class FakeFencer final : public FencerPort {
 public:
  explicit FakeFencer(Journal& journal) : journal_(journal) {}
  void fence(const std::string& id, Completion done) override {
    journal_.add("fence " + id);
    done({});
  }

 private:
  Journal& journal_;
};

/// A fault that a test may set while the worker runs on other threads.
template <class T>
class Fault {
 public:
  Fault& operator=(std::optional<T> value) {
    const std::lock_guard lock(mutex_);
    value_ = std::move(value);
    return *this;
  }
  [[nodiscard]] std::optional<T> get() const {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  [[nodiscard]] std::optional<T> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(value_, std::nullopt);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<T> value_;
};

/// What the fake producers do wrong.
struct Faults {
  Fault<Error> delivery;             ///< each record of a topic of data
  Fault<Error> refusal;              ///< each record that is offered
  Fault<TransactionFailure> commit;  ///< the first commit
  Fault<TransactionFailure> abort;   ///< the first abort
  Fault<Error> init;
  Fault<TransactionFailure> dead;
};

class FakeProducer final : public ProducerPort {
 public:
  using Kept = std::function<void(const std::string& topic, OffsetRecord record)>;
  FakeProducer(Journal& journal, Faults& faults, Kept kept, std::function<void(const Delivery&)> delivered)
      : journal_(journal), faults_(faults), kept_(std::move(kept)), delivered_(std::move(delivered)) {}
  ~FakeProducer() override { journal_.add("client closed"); }

  Result<void> produce(const RecordOut& record) override {
    if (auto refusal = faults_.refusal.get()) return Failure(*std::move(refusal));
    journal_.add("produce " + std::string(record.topic) + " " + std::string(record.key.value_or("-")) + " " +
                 std::string(record.value.value_or("null")));
    Delivery delivery{.tag = record.tag, .topic = {}, .partition = 0, .offset = next_++, .error = std::nullopt};
    if (record.topic != "connect-offsets") delivery.error = faults_.delivery.get();
    pending_.emplace_back(std::string(record.topic), delivery);
    ++produced_;
    if (kept_ && record.key) {
      kept_(std::string(record.topic),
            {std::string(*record.key), record.value ? std::optional(std::string(*record.value)) : std::nullopt});
    }
    return {};
  }
  void poll() override {
    for (auto& [topic, delivery] : std::exchange(pending_, {})) {
      delivery.topic = topic;
      delivered_(delivery);
    }
  }
  Result<void> flush(Duration) override {
    poll();
    return {};
  }
  std::size_t pending() const override { return pending_.size(); }
  TransactionOutcome init_transactions(Duration) override {
    journal_.add("init");
    if (const auto fault = faults_.init.get()) return tl::unexpected(TransactionFailure{.error = *fault});
    return {};
  }
  TransactionOutcome begin() override {
    journal_.add("begin");
    return {};
  }
  TransactionOutcome commit(Duration) override {
    const std::size_t records = std::exchange(produced_, 0);
    bool failed = false;
    for (const auto& [topic, delivery] : pending_) failed = failed || delivery.error.has_value();
    poll();
    if (failed) return tl::unexpected(TransactionFailure{.requires_abort = true, .error = Error(ErrorKind::Failed, "aborted")});
    if (auto fault = faults_.commit.take()) return tl::unexpected(*std::move(fault));
    journal_.add("commit " + std::to_string(records));
    return {};
  }
  TransactionOutcome abort(Duration) override {
    journal_.add("abort");
    pending_.clear();
    if (auto fault = faults_.abort.take()) return tl::unexpected(*std::move(fault));
    return {};
  }
  std::optional<TransactionFailure> dead() const override { return faults_.dead.get(); }
  bool spent() const override { return false; }
  Duration transaction_timeout() const override { return 60s; }
  void cancel() override {}

 private:
  Journal& journal_;
  Faults& faults_;
  Kept kept_;
  std::function<void(const Delivery&)> delivered_;
  std::vector<std::pair<std::string, Delivery>> pending_;
  std::size_t produced_ = 0;  ///< since the last commit
  std::int64_t next_ = 0;
};

class FakeClients final : public ClientsPort {
 public:
  explicit FakeClients(Journal& journal) : journal_(journal) {}
  Result<std::unique_ptr<ProducerPort>> producer(const Properties& settings, bool, const Log&,
                                                 std::function<void(const Delivery&)> delivered) override {
    journal_.add("client " + settings.get_or("transactional.id", "plain"));
    return std::unique_ptr<ProducerPort>(std::make_unique<FakeProducer>(journal_, faults, kept, std::move(delivered)));
  }
  Result<std::optional<std::int32_t>> topic_partitions(const Properties&, const std::string&) override {
    return std::optional(1);
  }
  Result<std::vector<std::string>> topic_names(const Properties&) override { return std::vector<std::string>{"t"}; }
  Result<void> create_topic(const Properties&, const TopicToCreate& topic) override {
    journal_.add("create topic " + topic.name);
    return {};
  }
  Result<OffsetTable> read_offsets_topic(const Properties&, const std::string& topic) override {
    journal_.add("read " + topic);
    if (std::exchange(not_visible_yet, false)) return failure(ErrorKind::NotFound, "no topic " + topic);
    return OffsetTable{};
  }
  Result<std::unique_ptr<ConsumerPort>> group_consumer(const Properties&, const Log&, ConsumerListener,
                                                       std::function<void()>) override {
    return failure(ErrorKind::Unavailable, "no consumers here");
  }
  Result<PlaceOffsets> group_offsets(const Properties&, const std::string&) override { return PlaceOffsets{{{"t", 0}, 3}}; }
  Result<void> change_group_offsets(const Properties&, const std::string& group,
                                    const std::map<Place, std::optional<std::int64_t>>& changes) override {
    for (const auto& [place, offset] : changes) {
      journal_.add("group " + group + " " + place.topic + " " + (offset ? std::to_string(*offset) : "forget"));
    }
    return {};
  }
  Result<void> delete_group(const Properties&, const std::string& group) override {
    journal_.add("delete group " + group);
    return {};
  }
  Faults faults;
  FakeProducer::Kept kept;       ///< told what is produced with a key
  bool not_visible_yet = false;  ///< the first reader of an offsets topic does not find it

 private:
  Journal& journal_;
};

/// What the scripted source task gives out: a test adds batches at any time.
struct Script {
  std::mutex mutex;
  std::deque<std::vector<SourceRecord>> batches;
  SourceTaskContext* context = nullptr;
  bool throws = false;
  std::function<void(TransactionContext&)> ends_transactions;  ///< called when a batch is given out

  void add(std::vector<SourceRecord> batch) {
    const std::lock_guard lock(mutex);
    batches.push_back(std::move(batch));
    if (context != nullptr) context->wake_up();
  }
};

class ScriptedTask final : public SourceTask {
 public:
  ScriptedTask(Script& script, Journal& journal) : script_(script), journal_(journal) {}
  std::string version() const override { return "1"; }
  void start(const ConfigMap&, SourceTaskContext& context) override {
    const auto offset = context.offsets().offset({{"file", Value("f")}});
    journal_.add(offset ? "task starts after " + std::to_string(offset->find("at")->as_integer()) : "task starts anew");
    const std::lock_guard lock(script_.mutex);
    script_.context = &context;
  }
  std::vector<SourceRecord> poll() override {
    const std::lock_guard lock(script_.mutex);
    if (script_.throws) throw ConnectError("the disk is gone");
    if (script_.batches.empty()) return {};
    auto batch = std::move(script_.batches.front());
    script_.batches.pop_front();
    TransactionContext* transactions = script_.context->transaction_context();
    if (script_.ends_transactions && transactions != nullptr) script_.ends_transactions(*transactions);
    return batch;
  }
  void stop() noexcept override { journal_.add("task stopped"); }

 private:
  Script& script_;
  Journal& journal_;
};

class ScriptedConnector final : public SourceConnector {
 public:
  std::string version() const override { return "1"; }
  ConfigDef config_def() const override { return {}; }
  void start(const ConfigMap& config, ConnectorContext&) override { config_ = config; }
  std::vector<ConfigMap> task_configs(std::int32_t) override { return {config_, config_}; }
  void stop() noexcept override {}

 private:
  ConfigMap config_;
};

/// Text as it is; refuses "bad", and "later" at the first time.
class TextConverter final : public Converter {
 public:
  void configure(const ConfigMap&, bool) override {}
  std::optional<Bytes> from_connect(std::string_view, Headers&, const SchemaPtr&, const Value& value) override {
    if (value.is_null()) return std::nullopt;
    if (value.as_string() == "bad") throw DataError("not this one");
    if (value.as_string() == "later" && !std::exchange(stumbled_, true)) throw RetriableError("not yet");
    return value.as_bytes();
  }
  SchemaAndValue to_connect(std::string_view, const Headers&, const std::optional<Bytes>&) override { return {}; }

 private:
  bool stumbled_ = false;
};

/// Adds "!" to keys.
class Exclaims final : public Transformation {
 public:
  void configure(const ConfigMap&) override {}
  ConfigDef config_def() const override { return {}; }
  bool apply(ConnectRecord& record) override {
    record.key = Value(std::string(record.key.as_string()) + "!");
    return true;
  }
};
class NoHeaders final : public HeaderConverter {
 public:
  void configure(const ConfigMap&) override {}
  std::optional<Bytes> from_connect_header(std::string_view, std::string_view, const SchemaPtr&, const Value&) override {
    return std::nullopt;
  }
  SchemaAndValue to_connect_header(std::string_view, std::string_view, const std::optional<Bytes>&) override { return {}; }
};

class FakePlugins final : public PluginsPort {
 public:
  FakePlugins(Script& script, Journal& journal) {
    plugins_.push_back({"Scripted", "1",
                        SourcePlugin{[] { return std::make_unique<ScriptedConnector>(); },
                                     [&] { return std::make_unique<ScriptedTask>(script, journal); }, "ScriptedTask"}});
    plugins_.push_back({"Text", "1", Factory<Converter>([] { return std::make_unique<TextConverter>(); })});
    plugins_.push_back({"Exclaims", "1", Factory<Transformation>([] { return std::make_unique<Exclaims>(); })});
    plugins_.push_back({"None", "1", Factory<HeaderConverter>([] { return std::make_unique<NoHeaders>(); })});
  }
  const PluginDescriptor* find(PluginKind kind, std::string_view name) const override {
    for (const auto& plugin : plugins_) {
      if (plugin.kind() == kind && plugin.class_name == name) return &plugin;
    }
    return nullptr;
  }

 private:
  std::vector<PluginDescriptor> plugins_;
};

inline SourceRecord record(const std::string& text, std::int64_t at) {
  SourceRecord out;
  out.topic = "t";
  out.value = Value(text);
  out.partition = SourcePartition(FieldMap{{"file", Value("f")}});
  out.offset = SourceOffset(SharedString("at"), at);
  return out;
}

}  // namespace fencepost::runtime::test
