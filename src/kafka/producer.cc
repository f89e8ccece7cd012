#include "kafka/producer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "kafka/native.h"
#include "kafka/partition_list.h"

namespace fencepost::kafka {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using namespace std::chrono_literals;

struct Producer::State {
  Log log;
  DeliveryCallback delivered;
  std::string transactional_id;
  std::optional<Duration> max_block;
  Duration transaction_timeout{0};
  std::size_t max_request_bytes = 0;
  std::atomic<bool> cancelled = false;
  std::atomic<bool> delivery_failed = false;
  bool aborted_after_failure = false;
  // Handles of topics by name, so that produce() takes no lock to find them.
  std::map<std::string, native::Topic, std::less<>> topics;
  std::string_view last_name;
  rd_kafka_topic_t* last_topic = nullptr;
  native::Client client;
  std::vector<rd_kafka_vu_t> arguments;
  std::jthread poller;  // ends before its client

  static State& of(void* opaque) { return *static_cast<State*>(opaque); }
  static void log_line(const rd_kafka_t* rk, int level, const char* facility, const char* text) {
    native::write_log(of(rd_kafka_opaque(rk)).log, level, facility, text);
  }
  static void failed(rd_kafka_t*, int code, const char* reason, void* opaque) {
    native::write_log(of(opaque).log, 5, rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(code)), reason);
  }
  static void reported(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    State& self = of(opaque);
    const Delivered delivery{.opaque = reinterpret_cast<std::uint64_t>(message->_private),
                             .topic = rd_kafka_topic_name(message->rkt),
                             .partition = message->partition,
                             .offset = message->offset,
                             .code = message->err};
    // What an abort drops by itself leaves no hole.
    if (delivery.code != 0 && !delivery.purged()) self.delivery_failed = true;
    if (self.delivered) self.delivered(delivery);
  }

  rd_kafka_topic_t* topic(std::string_view name);
  rd_kafka_resp_err_t enqueue(rd_kafka_topic_t* topic, const OutRecord& record);
  TransactionError to_value(const rd_kafka_error_t* error) const;
  template <class Call>
  TransactionResult repeat(milliseconds timeout, Call call);
};

Error TransactionError::to_error() const {
  if (fenced) return {ErrorKind::Fenced, message};
  if (timed_out || retriable) return {ErrorKind::Timeout, message};
  return {native::kind_of(static_cast<rd_kafka_resp_err_t>(code)), message};
}

bool Delivered::purged() const { return code == RD_KAFKA_RESP_ERR__PURGE_QUEUE || code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT; }

std::string Delivered::reason() const {
  if (code == 0) return {};
  const auto err = static_cast<rd_kafka_resp_err_t>(code);
  return fmt::format("{} ({})", rd_kafka_err2str(err), rd_kafka_err2name(err));
}

std::optional<Error> Delivered::error() const {
  if (code == 0) return std::nullopt;
  return native::to_error(static_cast<rd_kafka_resp_err_t>(code), fmt::format("writing to topic {}", topic));
}

Producer::Producer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<Producer>> Producer::create(const Translated& settings, Log log, DeliveryCallback delivered,
                                                   Polling polling) {
  FENCEPOST_TRY(auto conf, native::make_conf(settings));
  auto state = std::make_unique<State>();
  state->log = std::move(log);
  state->delivered = std::move(delivered);
  state->transactional_id = settings.get("transactional.id").value_or("");
  state->max_block = settings.max_block;
  state->transaction_timeout = settings.transaction_timeout;
  state->max_request_bytes = settings.max_request_bytes;
  rd_kafka_conf_set_opaque(conf.get(), state.get());
  rd_kafka_conf_set_log_cb(conf.get(), &State::log_line);
  rd_kafka_conf_set_error_cb(conf.get(), &State::failed);
  // Always set: without a callback each commit waits in steps of 10 ms for the deliveries.
  rd_kafka_conf_set_dr_msg_cb(conf.get(), &State::reported);
  FENCEPOST_TRY(state->client, native::make_client(RD_KAFKA_PRODUCER, std::move(conf)));
  if (polling == Polling::Background) {
    state->poller = std::jthread([client = state->client.get()](const std::stop_token& stop) {
      while (!stop.stop_requested()) rd_kafka_poll(client, 100);
    });
  }
  return std::unique_ptr<Producer>(new Producer(std::move(state)));
}

Producer::~Producer() {
  if (state_->poller.joinable()) {
    state_->poller.request_stop();
    state_->poller.join();
  }
  state_->topics.clear();
  rd_kafka_purge(state_->client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
}

rd_kafka_topic_t* Producer::State::topic(std::string_view name) {
  if (last_topic != nullptr && name == last_name) return last_topic;
  auto at = topics.find(name);
  if (at == topics.end()) {
    native::Topic made(rd_kafka_topic_new(client.get(), std::string(name).c_str(), nullptr));
    if (!made) return nullptr;
    at = topics.emplace(std::string(name), std::move(made)).first;
  }
  last_name = at->first;
  last_topic = at->second.get();
  return last_topic;
}

rd_kafka_resp_err_t Producer::State::enqueue(rd_kafka_topic_t* topic, const OutRecord& record) {
  // An absent key or value is a null pointer; an empty one is not.
  const auto pointer = [](const std::optional<std::string_view>& bytes) -> void* {
    if (!bytes) return nullptr;
    return const_cast<char*>(bytes->empty() ? "" : bytes->data());
  };
  const auto size = [](const std::optional<std::string_view>& bytes) { return bytes ? bytes->size() : 0; };
  arguments.resize(7 + record.headers.size());
  arguments[0].vtype = RD_KAFKA_VTYPE_RKT;
  arguments[0].u.rkt = topic;
  arguments[1].vtype = RD_KAFKA_VTYPE_PARTITION;
  arguments[1].u.i32 = record.partition < 0 ? RD_KAFKA_PARTITION_UA : record.partition;
  arguments[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  arguments[2].u.i = RD_KAFKA_MSG_F_COPY;
  arguments[3].vtype = RD_KAFKA_VTYPE_VALUE;
  arguments[3].u.mem = {pointer(record.value), size(record.value)};
  arguments[4].vtype = RD_KAFKA_VTYPE_KEY;
  arguments[4].u.mem = {pointer(record.key), size(record.key)};
  arguments[5].vtype = RD_KAFKA_VTYPE_OPAQUE;
  arguments[5].u.ptr = reinterpret_cast<void*>(record.opaque);  // NOLINT(performance-no-int-to-ptr): a number, never followed
  arguments[6].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
  arguments[6].u.i64 = std::max<std::int64_t>(record.timestamp_ms, 0);
  std::vector<std::string> names;  // librdkafka wants them ended by a zero
  names.reserve(record.headers.size());
  for (std::size_t i = 0; i < record.headers.size(); ++i) {
    const HeaderView& header = record.headers[i];
    names.emplace_back(header.key);
    arguments[7 + i].vtype = RD_KAFKA_VTYPE_HEADER;
    arguments[7 + i].u.header = {names.back().c_str(), static_cast<const char*>(pointer(header.value)),
                                 static_cast<ssize_t>(size(header.value))};
  }
  const native::NativeError error(rd_kafka_produceva(client.get(), arguments.data(), arguments.size()));
  return error ? rd_kafka_error_code(error.get()) : RD_KAFKA_RESP_ERR_NO_ERROR;
}

Result<std::int32_t> Producer::partition_count(const std::string& topic, milliseconds timeout) const {
  return native::partition_count(state_->client.get(), topic, timeout);
}

Result<void> Producer::produce(const OutRecord& record) {
  State& s = *state_;
  rd_kafka_topic_t* topic = s.topic(record.topic);
  if (topic == nullptr)
    return failure(ErrorKind::Failed, fmt::format("topic '{}' cannot be used: the name is not allowed", record.topic));
  auto code = s.enqueue(topic, record);
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  const auto began = steady_clock::now();
  while (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
    if (s.cancelled || (s.max_block && steady_clock::now() - began >= *s.max_block)) {
      return failure(
          ErrorKind::Timeout,
          fmt::format("no room in the producer's queue for {} ms; the broker is slow or away (buffer.memory, max.block.ms)",
                      std::chrono::duration_cast<milliseconds>(steady_clock::now() - began).count()));
    }
    rd_kafka_poll(s.client.get(), 10);
    code = s.enqueue(topic, record);
  }
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  if (const auto end = dead()) return Failure(end->to_error());
  if (code == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE) {
    return failure(ErrorKind::Failed,
                   fmt::format("a record of {} bytes for topic {} is larger than max.request.size ({} bytes)",
                               (record.key ? record.key->size() : 0) + (record.value ? record.value->size() : 0), record.topic,
                               s.max_request_bytes));
  }
  if (code == RD_KAFKA_RESP_ERR__STATE && !s.transactional_id.empty()) {
    return failure(
        ErrorKind::Conflict,
        fmt::format("transactional.id {}: the transaction has failed already and takes no more records", s.transactional_id));
  }
  return Failure(native::to_error(code, fmt::format("writing to topic {}", record.topic)));
}

int Producer::poll(milliseconds timeout) { return rd_kafka_poll(state_->client.get(), static_cast<int>(timeout.count())); }

Result<void> Producer::flush(milliseconds timeout) {
  const auto deadline = steady_clock::now() + timeout;
  while (true) {
    const auto code = rd_kafka_flush(state_->client.get(), native::remaining_ms(deadline, 200ms));
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
    if (state_->cancelled || steady_clock::now() >= deadline) {
      return failure(ErrorKind::Timeout,
                     fmt::format("{} records are not delivered after {} ms", deliveries_pending(), timeout.count()));
    }
  }
}

std::size_t Producer::deliveries_pending() const { return static_cast<std::size_t>(rd_kafka_outq_len(state_->client.get())); }

void Producer::purge() { rd_kafka_purge(state_->client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT); }

TransactionError Producer::State::to_value(const rd_kafka_error_t* error) const {
  const auto code = rd_kafka_error_code(error);
  TransactionError out{.fatal = rd_kafka_error_is_fatal(error) != 0,
                       .requires_abort = rd_kafka_error_txn_requires_abort(error) != 0,
                       .retriable = rd_kafka_error_is_retriable(error) != 0,
                       .fenced = native::kind_of(code) == ErrorKind::Fenced,
                       .timed_out = code == RD_KAFKA_RESP_ERR__TIMED_OUT,
                       .code = code,
                       .message = fmt::format("transactional.id {}: {} ({})", transactional_id, rd_kafka_error_string(error),
                                              rd_kafka_error_name(error))};
  if (code == RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT) {
    out.message = fmt::format(
        "transactional.id {}: transaction.timeout.ms={} is above the broker's transaction.max.timeout.ms (15 minutes unless "
        "changed); "
        "lower the one or raise the other",
        transactional_id, transaction_timeout.count());
    out.retriable = false;
  }
  return out;
}

template <class Call>
TransactionResult Producer::State::repeat(milliseconds timeout, Call call) {
  const auto deadline = steady_clock::now() + timeout;
  while (true) {
    // In slices, so that cancel() is heard.
    const native::NativeError error(call(client.get(), std::max(1, native::remaining_ms(deadline, 500ms))));
    if (!error) return {};
    TransactionError value = to_value(error.get());
    if (!value.retriable) return tl::unexpected(std::move(value));
    if (cancelled || steady_clock::now() >= deadline) {
      if (cancelled) value.message += "; cancelled";
      value.timed_out = true;
      return tl::unexpected(std::move(value));
    }
    rd_kafka_poll(client.get(), value.timed_out ? 0 : 20);
  }
}

TransactionResult Producer::init_transactions(milliseconds timeout) {
  return state_->repeat(timeout, rd_kafka_init_transactions);
}

TransactionResult Producer::begin() {
  const native::NativeError error(rd_kafka_begin_transaction(state_->client.get()));
  if (error) return tl::unexpected(state_->to_value(error.get()));
  state_->delivery_failed = false;
  return {};
}

TransactionResult Producer::commit(milliseconds timeout) { return state_->repeat(timeout, rd_kafka_commit_transaction); }

TransactionResult Producer::abort(milliseconds timeout) {
  const bool failure_before = state_->delivery_failed;
  auto result = state_->repeat(timeout, rd_kafka_abort_transaction);
  if (result && failure_before) state_->aborted_after_failure = true;
  return result;
}

std::optional<TransactionError> Producer::dead() const {
  std::array<char, 512> text{};
  const auto code = rd_kafka_fatal_error(state_->client.get(), text.data(), text.size());
  if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
  return TransactionError{
      .fatal = true,
      .fenced = native::kind_of(code) == ErrorKind::Fenced,
      .code = code,
      .message = fmt::format("{}: {} ({})",
                             state_->transactional_id.empty() ? "producer" : "transactional.id " + state_->transactional_id,
                             text.data(), rd_kafka_err2name(code))};
}

bool Producer::spent() const { return state_->aborted_after_failure || dead().has_value(); }

void Producer::cancel() { state_->cancelled = true; }

std::string_view Producer::transactional_id() const { return state_->transactional_id; }

}  // namespace fencepost::kafka
