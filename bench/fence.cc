// How long it takes to fence many transactional ids, idle and with a transaction open on each.
//   fence --bootstrap HOST:PORT [--ids 1000] [--runs 5]
// A line of JSON for each run: {"ids":..,"open":true|false,"seconds":..}
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fencer/fencer.h"
#include "net/cluster.h"
#include "net/settings.h"

namespace {

using namespace std::chrono_literals;
using namespace fencepost;
using Clock = std::chrono::steady_clock;

/// Clients of librdkafka that exist at the same time while transactions are opened: each has four threads.
constexpr std::size_t kClientsAtOnce = 50;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "fence: %s\n", what.c_str());
  std::exit(1);
}

void check(rd_kafka_error_t* error) {
  if (error != nullptr) fail(rd_kafka_error_string(error));
}

struct Destroy {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
};

/// Begins a transaction, writes a record into it and goes away without an end, as a worker that was killed.
void leave_open(const std::string& servers, const std::string& topic, const std::string& id) {
  std::array<char, 512> text{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  const std::map<std::string, std::string> settings = {
      {"bootstrap.servers", servers}, {"transactional.id", id}, {"transaction.timeout.ms", "600000"}, {"linger.ms", "0"}};
  for (const auto& [name, value] : settings) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text.data(), text.size()) != RD_KAFKA_CONF_OK) fail(text.data());
  }
  const std::unique_ptr<rd_kafka_t, Destroy> client(rd_kafka_new(RD_KAFKA_PRODUCER, conf, text.data(), text.size()));
  if (!client) fail(text.data());
  check(rd_kafka_init_transactions(client.get(), 60'000));
  check(rd_kafka_begin_transaction(client.get()));
  std::string value = "left open";
  if (rd_kafka_producev(client.get(), RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                        RD_KAFKA_V_VALUE(value.data(), value.size()), RD_KAFKA_V_END) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    fail("a record was not taken");
  }
  if (rd_kafka_flush(client.get(), 60'000) != RD_KAFKA_RESP_ERR_NO_ERROR) fail("a record was not written");
}

void leave_all_open(const std::string& servers, const std::string& topic, const std::vector<std::string>& ids) {
  for (std::size_t from = 0; from < ids.size(); from += kClientsAtOnce) {
    std::vector<std::jthread> threads;
    for (std::size_t i = from; i < std::min(from + kClientsAtOnce, ids.size()); ++i)
      threads.emplace_back([&, i] { leave_open(servers, topic, ids[i]); });
  }
}

/// A fencer on a loop of its own.
class Shell {
 public:
  explicit Shell(const net::Settings& network) {
    auto cluster = net::Cluster::create(loop_, network, Log{});
    if (!cluster) fail(cluster.error().message());
    cluster_ = *std::move(cluster);
    fencer_ = std::make_unique<fencer::Fencer>(*cluster_, Log{});
    thread_ = std::jthread([this] { loop_.run(); });
  }
  ~Shell() {
    loop_.stop();
    thread_.join();
  }
  Shell(const Shell&) = delete;
  Shell& operator=(const Shell&) = delete;

  double seconds(const std::vector<std::string>& ids) {
    std::promise<fencer::Fenced> promise;
    const auto start = Clock::now();
    fencer_->fence({.transactional_ids = ids}, [&](fencer::Fenced fenced) { promise.set_value(std::move(fenced)); });
    const auto fenced = promise.get_future().get();
    const std::chrono::duration<double> took = Clock::now() - start;
    if (const auto failed = first_failure(fenced)) fail(failed->message());
    return took.count();
  }

 private:
  net::Loop loop_;
  std::unique_ptr<net::Cluster> cluster_;
  std::unique_ptr<fencer::Fencer> fencer_;
  std::jthread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> given = {{"ids", "1000"}, {"runs", "5"}, {"topic", "fence-bench"}};
  for (int i = 1; i + 1 < argc; i += 2) given[std::string(argv[i]).substr(2)] = argv[i + 1];
  const auto network = net::settings_from(Properties{{"bootstrap.servers", given["bootstrap"]}});
  if (!network) fail(network.error().message());
  Shell shell(*network);
  std::vector<std::string> ids;
  for (unsigned long i = 0; i < std::stoul(given["ids"]); ++i) ids.push_back(fmt::format("fence-bench-{}", i));
  shell.seconds(ids);  // the coordinator makes them known
  for (unsigned long run = 0; run < std::stoul(given["runs"]); ++run) {
    fmt::print("{{\"ids\":{},\"open\":false,\"seconds\":{:.3f}}}\n", ids.size(), shell.seconds(ids));
    leave_all_open(given["bootstrap"], given["topic"], ids);
    fmt::print("{{\"ids\":{},\"open\":true,\"seconds\":{:.3f}}}\n", ids.size(), shell.seconds(ids));
    std::fflush(stdout);
  }
  return 0;
}
