#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "net/loop.h"
#include "wire/decoder.h"
#include "wire/frame.h"

namespace fencepost::net {

/// What came back, valid during the callback only.
struct Answer {
  std::int16_t version = 0;
  std::string_view body;
};

/// One request whose type is forgotten, so that connections and queues need not be templates. `done` is called exactly once, on
/// the loop's thread, never from within send().
struct Call {
  wire::Api api;
  std::int16_t version_min = 0;  ///< older versions will not do
  SteadyTime deadline;
  std::function<Result<std::string>(std::int16_t version, wire::CorrelationId, std::string_view client_id)> encode;
  std::function<void(Result<Answer>)> done;
};

template <class Request>
using Callback = std::function<void(Result<typename Request::Response>)>;

template <class Request>
[[nodiscard]] Call make_call(std::shared_ptr<const Request> request, SteadyTime deadline, Callback<Request> callback,
                             std::int16_t version_min = 0) {
  Call call;
  call.api = Request::kApi;
  call.version_min = version_min;
  call.deadline = deadline;
  call.encode = [request = std::move(request)](std::int16_t version, wire::CorrelationId correlation,
                                               std::string_view client_id) {
    return wire::encode_request(*request, version, correlation, client_id);
  };
  call.done = [callback = std::move(callback)](Result<Answer> answer) {
    if (!answer) return callback(Failure(std::move(answer).error()));
    callback(wire::decode<typename Request::Response>(answer->body, answer->version));
  };
  return call;
}

}  // namespace fencepost::net
