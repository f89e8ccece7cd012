#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "builtin/connectors/file_stream_sink.h"
#include "builtin/connectors/file_stream_source.h"

namespace fencepost::builtin {
namespace {

namespace fs = std::filesystem;

class SilentLog : public PluginLog {
 public:
  void write(Severity, std::string_view) const override {}
};

class Offsets : public OffsetStorageReader {
 public:
  std::vector<std::optional<FieldMap>> offsets(const std::vector<FieldMap>& partitions) override {
    return std::vector<std::optional<FieldMap>>(partitions.size(), stored);
  }
  std::optional<FieldMap> stored;
};

class Context : public SourceTaskContext {
 public:
  const ConfigMap& configs() const override { return configs_; }
  OffsetStorageReader& offsets() override { return reader; }
  TransactionContext* transaction_context() override { return nullptr; }
  std::size_t batch_bytes_max() const override { return bytes_max; }
  void wake_up() override {}
  const PluginLog& log() const override { return log_; }

  Offsets reader;
  std::size_t bytes_max = 1 << 20;

 private:
  ConfigMap configs_;
  SilentLog log_;
};

class FileStream : public ::testing::Test {
 protected:
  FileStream() {
    char name[] = "/tmp/fencepost-file-stream-XXXXXX";
    folder_ = ::mkdtemp(name);
    file_ = folder_ / "file";
  }
  ~FileStream() override { fs::remove_all(folder_); }

  void append(std::string_view text) const { std::ofstream(file_, std::ios::app | std::ios::binary) << text; }

  ConfigMap config(ConfigMap more = {}) const {
    more.emplace("file", file_.string());
    more.emplace("topic", "t");
    return more;
  }

  static std::vector<std::string> texts(const std::vector<SourceRecord>& records) {
    std::vector<std::string> out;
    for (const SourceRecord& record : records) out.emplace_back(record.value.as_string());
    return out;
  }

  fs::path folder_;
  fs::path file_;
  Context context_;
};

using Texts = std::vector<std::string>;

TEST_F(FileStream, GivesEachLineWithThePlaceAfterIt) {
  append("one\nzw\xc3\xb6lf\r\nthree\rrest");
  FileStreamSourceTask task;
  task.start(config(), context_);
  const auto records = task.poll();
  EXPECT_EQ(texts(records), (Texts{"one", "zw\xc3\xb6lf", "three"}));
  EXPECT_EQ(records[0].topic.view(), "t");
  EXPECT_TRUE(records[0].key.is_null());
  EXPECT_TRUE(same_schema(records[0].value_schema, Schema::string()));
  EXPECT_TRUE(records[0].partition.fields() == (FieldMap{{"filename", file_.string()}}));
  EXPECT_TRUE(records[1].offset.fields() == (FieldMap{{"position", std::int64_t{12}}}));
  EXPECT_EQ(records[0].partition.identity(), records[2].partition.identity());
}

TEST_F(FileStream, KeepsAnUnfinishedLineUntilItsEndComes) {
  append("begin");
  FileStreamSourceTask task;
  task.start(config(), context_);
  EXPECT_TRUE(task.poll().empty());
  append("ning\r");
  EXPECT_TRUE(task.poll().empty());  // a \n may still follow
  append("\nnext\n");
  const auto records = task.poll();
  EXPECT_EQ(texts(records), (Texts{"beginning", "next"}));
  EXPECT_EQ(records[0].offset.single()->number, 11);
}

TEST_F(FileStream, WaitsForAFileThatIsNotThereYet) {
  FileStreamSourceTask task;
  task.start(config(), context_);
  EXPECT_TRUE(task.poll().empty());
  append("late\n");
  EXPECT_EQ(texts(task.poll()), Texts{"late"});
}

TEST_F(FileStream, GoesOnAtTheLastOffset) {
  append("one\ntwo\n");
  context_.reader.stored = FieldMap{{"position", std::int64_t{4}}};
  FileStreamSourceTask task;
  task.start(config(), context_);
  EXPECT_EQ(texts(task.poll()), Texts{"two"});
}

TEST_F(FileStream, SaysThatAFileWasCut) {
  append("one\n");
  context_.reader.stored = FieldMap{{"position", std::int64_t{400}}};
  FileStreamSourceTask task;
  task.start(config(), context_);
  EXPECT_THROW((void)task.poll(), ConnectError);
  context_.reader.stored = FieldMap{{"position", "four"}};
  FileStreamSourceTask other;
  other.start(config(), context_);
  EXPECT_THROW((void)other.poll(), ConnectError);
}

TEST_F(FileStream, BoundsABatchByLinesAndByBytes) {
  for (int i = 0; i < 100; ++i) append("line\n");
  FileStreamSourceTask by_lines;
  by_lines.start(config({{"batch.size", "7"}}), context_);
  EXPECT_EQ(by_lines.poll().size(), 7U);
  EXPECT_EQ(by_lines.poll().size(), 7U);
  context_.bytes_max = 1;
  FileStreamSourceTask by_bytes;
  by_bytes.start(config(), context_);
  EXPECT_EQ(by_bytes.poll().size(), 1U);
}

TEST_F(FileStream, CutsLinesAtEveryPlaceOfTheirBytes) {
  const std::string text = "a\nbb\r\n\nccc\rd\r\r\ne";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    LineCutter lines(0);
    Texts found;
    for (const std::string& part : {text.substr(0, cut), text.substr(cut)}) {
      lines.add(part);
      while (const auto line = lines.next()) found.emplace_back(line->text.view());
    }
    EXPECT_EQ(found, (Texts{"a", "bb", "", "ccc", "d", ""})) << cut;
  }
}

TEST_F(FileStream, LinesOutliveTheBlockThatFollows) {
  LineCutter lines(0);
  lines.add("kept\nhalf");
  const auto kept = lines.next();
  lines.add(" done\n");
  EXPECT_EQ(lines.next()->text.view(), "half done");
  EXPECT_EQ(kept->text.view(), "kept");
}

TEST_F(FileStream, ReadsAPipeWithoutBlocking) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  FileStreamSourceTask task;
  task.start(config(), context_);
  EXPECT_TRUE(task.poll().empty());
  const int writer = ::open(file_.c_str(), O_WRONLY);
  ASSERT_GE(writer, 0);
  EXPECT_EQ(::write(writer, "line\n", 5), 5);
  EXPECT_EQ(texts(task.poll()), Texts{"line"});
  ::close(writer);
}

TEST_F(FileStream, RefusesAFolder) {
  fs::create_directory(file_);
  FileStreamSourceTask task;
  task.start(config(), context_);
  EXPECT_THROW((void)task.poll(), ConnectError);
}

TEST(FileStreamSourceConnector, IsExactlyOnceOnlyForARealFile) {
  const FileStreamSourceConnector connector;
  EXPECT_EQ(connector.exactly_once_support({{"topic", "t"}, {"file", "f"}}), ExactlyOnceSupport::Supported);
  EXPECT_EQ(connector.exactly_once_support({{"topic", "t"}}), ExactlyOnceSupport::Unsupported);
  EXPECT_FALSE(connector.can_define_transaction_boundaries({}));
}

TEST(FileStreamSourceConnector, ChecksOffsetsThatAUserWantsToSet) {
  FileStreamSourceConnector connector;
  const ConfigMap config{{"topic", "t"}, {"file", "f"}};
  const FieldMap partition{{"filename", "f"}};
  const auto alter = [&](const FieldMap& of, std::optional<FieldMap> offset) {
    return connector.alter_offsets(config, {{of, std::move(offset)}});
  };
  EXPECT_TRUE(alter(partition, FieldMap{{"position", std::int64_t{3}}}));
  EXPECT_TRUE(alter(FieldMap{{"other", 1}}, std::nullopt));
  EXPECT_THROW((void)alter(partition, FieldMap{{"place", std::int64_t{3}}}), ConnectError);
  EXPECT_THROW((void)alter(partition, FieldMap{{"position", "3"}}), ConnectError);
  EXPECT_THROW((void)alter(partition, FieldMap{{"position", std::int64_t{-3}}}), ConnectError);
  EXPECT_THROW((void)alter(FieldMap{{"file", "f"}}, FieldMap{{"position", std::int64_t{3}}}), ConnectError);
  EXPECT_THROW((void)connector.alter_offsets({{"topic", "t"}}, {}), ConnectError);
}

class SinkContext : public SinkTaskContext {
 public:
  const ConfigMap& configs() const override { return configs_; }
  const std::set<TopicPartition>& assignment() const override { return assignment_; }
  void pause(const std::vector<TopicPartition>&) override {}
  void resume(const std::vector<TopicPartition>&) override {}
  void offset(const std::map<TopicPartition, std::int64_t>&) override {}
  void timeout(std::chrono::milliseconds) override {}
  void request_commit() override {}
  ErrantRecordReporter* errant_record_reporter() override { return nullptr; }
  const PluginLog& log() const override { return log_; }

 private:
  ConfigMap configs_;
  std::set<TopicPartition> assignment_;
  SilentLog log_;
};

TEST_F(FileStream, TheSinkAppendsEachValueAsJavaPrintsIt) {
  append("before\n");
  SinkContext context;
  FileStreamSinkTask task;
  task.start({{"file", file_.string()}}, context);
  std::vector<SinkRecord> records;
  const SchemaPtr schema = SchemaBuilder::structure().field("a", Schema::int32()).field("b", Schema::optional_string()).build();
  for (const Value& value :
       {Value("text"), Value(), Value(1.0), Value(1.0e21), Value(ValueList{1, "x", nullptr}), Value(ValueMap{{"k", true}}),
        Value(Struct(schema).put("a", 7)), Value::date_ms(1700000000123), Value(Decimal(150, 2))}) {
    records.emplace_back().value = value;
  }
  task.put(records);
  std::ifstream in(file_);
  const std::string written((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_EQ(written,
            "before\ntext\nnull\n1.0\n1.0E21\n[1, x, null]\n{k=true}\nStruct{a=7}\nTue Nov 14 22:13:20 UTC 2023\n1.50\n");
}

/// Files of this process grow no further than so many bytes, as on a disk that is full.
class NoSpaceBeyond {
 public:
  explicit NoSpaceBeyond(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~NoSpaceBeyond() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  NoSpaceBeyond(const NoSpaceBeyond&) = delete;
  NoSpaceBeyond& operator=(const NoSpaceBeyond&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(FileStream, ASinkThatFindsNoMoreSpaceLeavesWholeLinesAndGoesOnWithThem) {
  append("before\n");
  SinkContext context;
  FileStreamSinkTask task;
  task.start({{"file", file_.string()}}, context);
  std::vector<SinkRecord> records(3);
  records[0].value = Value("one");
  records[1].value = Value("two");
  records[2].value = Value("three");
  const auto text = [this] {
    std::ifstream in(file_);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  };
  {
    const NoSpaceBeyond limit(13);
    try {
      task.put(records);
      ADD_FAILURE() << "it takes records that it cannot write";
    } catch (const ConnectError& error) {
      EXPECT_NE(std::string(error.what()).find(file_.string()), std::string::npos);
    }
    EXPECT_EQ(text(), "before\none\n");
  }
  task.put(records);
  EXPECT_EQ(text(), "before\none\none\ntwo\nthree\n");
}

TEST_F(FileStream, TheSinkNamesAFileThatItCannotWrite) {
  SinkContext context;
  FileStreamSinkTask task;
  try {
    task.start({{"file", (folder_ / "no" / "file").string()}}, context);
    FAIL();
  } catch (const ConnectError& error) {
    EXPECT_NE(std::string(error.what()).find((folder_ / "no" / "file").string()), std::string::npos);
  }
}

}  // namespace
}  // namespace fencepost::builtin
