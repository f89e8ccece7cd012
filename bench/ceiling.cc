// The ceiling of a mirror: librdkafka's bare loop that consumes a topic and produces it again in transactions, with nothing
// around it.
//   ceiling --bootstrap HOST:PORT --from TOPIC --to TOPIC --count N [--per-commit 10000] [--through librdkafka|fencepost]
//   ceiling --bootstrap HOST:PORT --fill TOPIC --count N [--size 100] [--partitions 1]
// Topics that are missing are made.
// --through fencepost does the same through the classes of src/kafka, to show what they cost.
// The last line is JSON: {"records":..,"seconds":..,"records_per_s":..,"cpu_s":..,"commits":..}
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kafka/admin.h"
#include "kafka/consumer.h"
#include "kafka/producer.h"

namespace {

using namespace std::chrono_literals;
using namespace fencepost;
using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "ceiling: %s\n", what.c_str());
  std::exit(1);
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6; };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Arguments {
  std::map<std::string, std::string> given;
  [[nodiscard]] std::string text(const std::string& name, const char* fallback = nullptr) const {
    if (const auto at = given.find(name); at != given.end()) return at->second;
    if (fallback == nullptr) fail("--" + name + " is missing");
    return fallback;
  }
  [[nodiscard]] std::size_t number(const std::string& name, const char* fallback = nullptr) const {
    return std::stoul(text(name, fallback));
  }
};

/// Counts from the first record on and prints the result.
class Meter {
 public:
  void begin() {
    if (begun_) return;
    begun_ = true;
    start_ = Clock::now();
    cpu_ = cpu_seconds();
  }
  void print(std::size_t records, std::size_t commits) const {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    fmt::print("{{\"records\":{},\"seconds\":{:.3f},\"records_per_s\":{:.0f},\"cpu_s\":{:.3f},\"commits\":{}}}\n", records,
               seconds, static_cast<double>(records) / seconds, cpu_seconds() - cpu_, commits);
  }

 private:
  bool begun_ = false;
  Clock::time_point start_{};
  double cpu_ = 0;
};

rd_kafka_t* make_client(rd_kafka_type_t type, const std::vector<std::pair<std::string, std::string>>& settings) {
  std::array<char, 512> text{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text.data(), text.size()) != RD_KAFKA_CONF_OK) fail(text.data());
  }
  // Without it each commit waits in steps of 10 ms for the deliveries.
  if (type == RD_KAFKA_PRODUCER) {
    rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* m, void*) {
      if (m->err != RD_KAFKA_RESP_ERR_NO_ERROR) fail(rd_kafka_err2str(m->err));
    });
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, text.data(), text.size());
  if (client == nullptr) fail(text.data());
  return client;
}

void check(rd_kafka_error_t* error) {
  if (error != nullptr) fail(rd_kafka_error_string(error));
}

void produce_again(rd_kafka_t* producer, rd_kafka_topic_t* to, const rd_kafka_message_t& m) {
  std::array<rd_kafka_vu_t, 6> v{};
  v[0].vtype = RD_KAFKA_VTYPE_RKT;
  v[0].u.rkt = to;
  v[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  v[1].u.i32 = m.partition;
  v[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  v[2].u.i = RD_KAFKA_MSG_F_COPY;
  v[3].vtype = RD_KAFKA_VTYPE_VALUE;
  v[3].u.mem = {m.payload, m.len};
  v[4].vtype = RD_KAFKA_VTYPE_KEY;
  v[4].u.mem = {m.key, m.key_len};
  v[5].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
  v[5].u.i64 = rd_kafka_message_timestamp(&m, nullptr);
  while (rd_kafka_error_t* error = rd_kafka_produceva(producer, v.data(), v.size())) {
    if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__QUEUE_FULL) check(error);
    rd_kafka_error_destroy(error);
    rd_kafka_poll(producer, 1);
  }
}

void bare_loop(const Arguments& arguments) {
  const std::size_t count = arguments.number("count");
  const std::size_t per_commit = arguments.number("per-commit", "10000");
  const std::string servers = arguments.text("bootstrap");
  rd_kafka_t* producer = make_client(RD_KAFKA_PRODUCER, {{"bootstrap.servers", servers},
                                                         {"transactional.id", fmt::format("ceiling-{}", ::getpid())},
                                                         {"queue.buffering.max.messages", "100000"},
                                                         {"linger.ms", "200"}});
  check(rd_kafka_init_transactions(producer, 30'000));
  rd_kafka_topic_t* to = rd_kafka_topic_new(producer, arguments.text("to").c_str(), nullptr);
  rd_kafka_t* consumer = make_client(RD_KAFKA_CONSUMER, {{"bootstrap.servers", servers},
                                                         {"fetch.queue.backoff.ms", "1"},
                                                         {"queued.max.messages.kbytes", "8192"},
                                                         {"queued.min.messages", "1000000"}});
  rd_kafka_queue_t* queue = rd_kafka_queue_new(consumer);
  rd_kafka_topic_t* from = rd_kafka_topic_new(consumer, arguments.text("from").c_str(), nullptr);
  const rd_kafka_metadata_t* metadata = nullptr;
  if (rd_kafka_metadata(consumer, 0, from, &metadata, 10'000) != RD_KAFKA_RESP_ERR_NO_ERROR) fail("no metadata");
  for (int p = 0; p < metadata->topics[0].partition_cnt; ++p)
    rd_kafka_consume_start_queue(from, p, RD_KAFKA_OFFSET_BEGINNING, queue);

  Meter meter;
  std::array<rd_kafka_message_t*, 1'000> messages{};
  std::size_t done = 0;
  std::size_t open = 0;
  std::size_t commits = 0;
  while (done < count) {
    const auto got = rd_kafka_consume_batch_queue(queue, 5, messages.data(), messages.size());
    if (got > 0) meter.begin();
    for (ssize_t i = 0; i < got; ++i) {
      rd_kafka_message_t* m = messages[static_cast<std::size_t>(i)];
      if (m->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        if (open++ == 0) check(rd_kafka_begin_transaction(producer));
        produce_again(producer, to, *m);
        ++done;
      }
      rd_kafka_message_destroy(m);
    }
    rd_kafka_poll(producer, 0);
    if (open > 0 && (open >= per_commit || done >= count)) {
      check(rd_kafka_commit_transaction(producer, 30'000));
      open = 0;
      ++commits;
    }
  }
  meter.print(done, commits);
  std::fflush(stdout);
  std::_Exit(0);  // the operating system is quicker at tidying up
}

template <class T>
T expect(Result<T> result) {
  if (!result) fail(result.error().message());
  return *std::move(result);
}

void expect(const kafka::TransactionResult& result) {
  if (!result) fail(result.error().message);
}

void wrapped_loop(const Arguments& arguments) {
  const std::size_t count = arguments.number("count");
  const std::size_t per_commit = arguments.number("per-commit", "10000");
  const std::string servers = arguments.text("bootstrap");
  const auto producer_settings = expect(kafka::translate(
      kafka::ClientKind::Producer, {{"bootstrap.servers", servers}, {"transactional.id", fmt::format("ceiling-{}", ::getpid())}},
      kafka::Delivery::ExactlyOnce));
  const auto consumer_settings = expect(kafka::translate(kafka::ClientKind::Consumer, {{"bootstrap.servers", servers}}));
  auto producer = expect(kafka::Producer::create(producer_settings, Log(), [](const kafka::Delivered& d) {
    if (d.code != 0) fail(d.reason());
  }));
  expect(producer->init_transactions(30s));
  auto consumer = expect(kafka::AssignedConsumer::create(consumer_settings, Log()));
  const std::string from = arguments.text("from");
  const std::string to = arguments.text("to");
  std::vector<kafka::PartitionOffset> places;
  const auto partitions = expect(consumer->partition_count(from, 10s));
  for (std::int32_t p = 0; p < partitions; ++p) places.push_back({{from, p}, kafka::kOffsetBeginning});
  if (const auto started = consumer->start(places); !started) fail(started.error().message());

  Meter meter;
  std::size_t done = 0;
  std::size_t open = 0;
  std::size_t commits = 0;
  while (done < count) {
    const auto batch = expect(consumer->poll(100ms, 1'000));
    if (!batch->messages.empty()) meter.begin();
    for (const auto& m : batch->messages) {
      if (open++ == 0) expect(producer->begin());
      const auto headers = m.headers();
      const auto sent = producer->produce({.topic = to,
                                           .partition = m.partition,
                                           .key = m.key,
                                           .value = m.value,
                                           .timestamp_ms = m.timestamp_ms,
                                           .headers = headers});
      if (!sent) fail(sent.error().message());
      ++done;
    }
    producer->poll(0ms);
    if (open > 0 && (open >= per_commit || done >= count)) {
      expect(producer->commit(30s));
      open = 0;
      ++commits;
    }
  }
  meter.print(done, commits);
}

void make_topic(const Arguments& arguments, const std::string& topic) {
  auto admin = expect(kafka::Admin::create(
      expect(kafka::translate(kafka::ClientKind::Admin, {{"bootstrap.servers", arguments.text("bootstrap")}})), Log()));
  const auto partitions = static_cast<std::int32_t>(arguments.number("partitions", "1"));
  (void)expect(admin->create_topic({.name = topic, .partitions = partitions, .replication_factor = 1}, 10s));
}

void fill(const Arguments& arguments) {
  const std::size_t count = arguments.number("count");
  const std::string value(arguments.number("size", "100"), 'x');
  const std::string topic = arguments.text("fill");
  const auto settings =
      expect(kafka::translate(kafka::ClientKind::Producer, {{"bootstrap.servers", arguments.text("bootstrap")}}));
  auto producer = expect(kafka::Producer::create(settings, Log(), {}));
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto sent = producer->produce({.topic = topic, .value = value}); !sent) fail(sent.error().message());
    if (i % 1'000 == 0) producer->poll(0ms);
  }
  if (const auto flushed = producer->flush(60s); !flushed) fail(flushed.error().message());
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (!name.starts_with("--")) fail("'" + name + "' is no option");
    arguments.given[name.substr(2)] = argv[i + 1];
  }
  make_topic(arguments, arguments.text(arguments.given.contains("fill") ? "fill" : "to"));
  if (arguments.given.contains("fill")) {
    fill(arguments);
  } else if (arguments.text("through", "librdkafka") == "fencepost") {
    wrapped_loop(arguments);
  } else {
    bare_loop(arguments);
  }
  return 0;
}
