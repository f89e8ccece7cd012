#pragma once

#include <fmt/format.h>

#include <array>
#include <string>

#include "kafka/admin.h"
#include "kafka/native.h"

namespace fencepost::kafka {

struct Admin::State {
  Log log;
  native::Client client;

  static void log_line(const rd_kafka_t* rk, int level, const char* facility, const char* text) {
    native::write_log(static_cast<State*>(rd_kafka_opaque(rk))->log, level, facility, text);
  }
  static void failed(rd_kafka_t*, int code, const char* reason, void* opaque) {
    native::write_log(static_cast<State*>(opaque)->log, 5, rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(code)), reason);
  }

  /// One ListOffsets to the leaders as the client knows them. Unavailable when they are not, or no longer, the leaders.
  Result<std::map<TopicPartition, std::int64_t>> ask_ends(const std::vector<TopicPartition>& partitions, bool read_committed,
                                                          Timeout timeout);

  /// Sends one request by `send(client, options, queue)` and waits for its event.
  template <class Send>
  Result<native::Event> ask(rd_kafka_admin_op_t operation, const std::string& what, Timeout timeout, Send send) {
    const native::AdminOptions options(rd_kafka_AdminOptions_new(client.get(), operation));
    std::array<char, 256> text{};
    const int ms = static_cast<int>(timeout.count());
    if (rd_kafka_AdminOptions_set_request_timeout(options.get(), ms, text.data(), text.size()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return failure(ErrorKind::Bug, fmt::format("{}: {}", what, text.data()));
    }
    const native::Queue queue(rd_kafka_queue_new(client.get()));
    send(client.get(), options.get(), queue.get());
    // The request has the timeout; the queue waits a little longer, for the answer that says so.
    native::Event event(rd_kafka_queue_poll(queue.get(), ms + 1'000));
    if (!event) return failure(ErrorKind::Timeout, fmt::format("{}: no answer within {} ms", what, ms));
    const auto code = rd_kafka_event_error(event.get());
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return failure(native::kind_of(code),
                     fmt::format("{}: {} ({})", what, rd_kafka_event_error_string(event.get()), rd_kafka_err2name(code)));
    }
    return event;
  }
};

namespace native {

/// The first error of a group or of one of its partitions.
[[nodiscard]] inline Result<void> first_group_error(const std::string& what, const rd_kafka_group_result_t** groups,
                                                    std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto* error = rd_kafka_group_result_error(groups[i])) return Failure(to_error(rd_kafka_error_code(error), what));
    const auto* partitions = rd_kafka_group_result_partitions(groups[i]);
    for (int j = 0; partitions != nullptr && j < partitions->cnt; ++j) {
      const auto& at = partitions->elems[j];
      if (at.err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return Failure(to_error(at.err, fmt::format("{}, {}-{}", what, at.topic, at.partition)));
    }
  }
  return {};
}

}  // namespace native
}  // namespace fencepost::kafka
