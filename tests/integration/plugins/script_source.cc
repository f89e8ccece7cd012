// A source whose every step is written in a file, for tests of transaction.boundary=connector. Each line is one of
//   record TEXT       adds a record to the batch
//   commit N | abort N    ends the transaction after the record of that place in the batch
//   commit | abort        ends it after the batch
//   poll              gives the batch out
// The offset of a record is the number of lines up to the end of its batch.

#include <fstream>
#include <sstream>

#include "fencepost/plugin.h"
#include "fencepost/settings.h"

namespace {

using namespace fencepost;

class ScriptSource final : public SourceConnector {
 public:
  std::string version() const override { return "1"; }
  ConfigDef config_def() const override {
    return ConfigDef()
        .define({.name = "script", .documentation = "The file with the steps."})
        .define({.name = "topic", .documentation = "Where records go."})
        .define({.name = "defines.boundaries",
                 .type = ConfigType::Boolean,
                 .default_value = true,
                 .documentation = "What the connector says of itself."});
  }
  void start(const ConfigMap& config, ConnectorContext& /*context*/) override { config_ = config; }
  std::vector<ConfigMap> task_configs(std::int32_t /*tasks_max*/) override { return {config_}; }
  void stop() noexcept override {}
  std::optional<ExactlyOnceSupport> exactly_once_support(const ConfigMap& /*config*/) const override {
    return ExactlyOnceSupport::Supported;
  }
  bool can_define_transaction_boundaries(const ConfigMap& config) const override {
    return config_def().parse(config).get_bool("defines.boundaries");
  }

 private:
  ConfigMap config_;
};

class ScriptTask final : public SourceTask {
 public:
  std::string version() const override { return "1"; }
  void start(const ConfigMap& config, SourceTaskContext& context) override {
    context_ = &context;
    path_ = config.at("script");
    topic_ = SharedString(config.at("topic"));
    const FieldMap place{{"script", Value(path_)}};
    partition_ = SourcePartition(place);
    if (const auto offset = context.offsets().offset(place)) lines_done_ = offset->find("line")->as_integer();
  }

  std::vector<SourceRecord> poll() override {
    std::ifstream in(path_);
    std::string line;
    std::int64_t number = 0;
    std::vector<SourceRecord> batch;
    std::vector<std::string> endings;
    while (std::getline(in, line)) {
      if (++number <= lines_done_) continue;
      if (line.starts_with("record ")) {
        SourceRecord record;
        record.topic = topic_;
        record.value_schema = Schema::string();
        record.value = Value(line.substr(7));
        record.partition = partition_;
        batch.push_back(std::move(record));
      } else if (line == "poll") {
        lines_done_ = number;
        for (SourceRecord& record : batch) record.offset = SourceOffset(SharedString("line"), number);
        for (const std::string& ending : endings) end_transaction(ending);
        return batch;
      } else {
        endings.push_back(line);
      }
    }
    return {};
  }
  void stop() noexcept override {}

 private:
  void end_transaction(const std::string& line) {
    TransactionContext* transactions = context_->transaction_context();
    if (transactions == nullptr) return;  // another boundary is in use
    std::istringstream words(line);
    std::string verb;
    std::size_t place = 0;
    words >> verb;
    const bool commits = verb == "commit";
    if (!commits && verb != "abort") throw ConnectError("the script says '" + line + "'; use record, commit, abort or poll");
    if (words >> place) {
      commits ? transactions->commit_transaction_after(place) : transactions->abort_transaction_after(place);
    } else {
      commits ? transactions->commit_transaction() : transactions->abort_transaction();
    }
  }

  SourceTaskContext* context_ = nullptr;
  std::string path_;
  SharedString topic_;
  SourcePartition partition_;
  std::int64_t lines_done_ = 0;
};

void list(std::vector<PluginDescriptor>& plugins) {
  plugins.push_back({"org.example.ScriptSource", "1",
                     SourcePlugin{[] { return std::make_unique<ScriptSource>(); }, [] { return std::make_unique<ScriptTask>(); },
                                  "org.example.ScriptTask"}});
}

}  // namespace

FENCEPOST_EXPORT_PLUGINS(list)
