#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "wire/encoder.h"
#include "wire/reader.h"
#include "wire/types.h"
#include "wire/writer.h"

namespace fencepost::wire {

inline constexpr std::int16_t kApiVersionsKey = 18;

/// Matches an answer to its request on one connection.
using CorrelationId = std::int32_t;

/// A request as it goes out: four bytes of length, the header, the body. The client id is a plain nullable string in every header
/// version; version 2 adds a section of tagged fields behind it.
template <class Request>
[[nodiscard]] Result<std::string> encode_request(const Request& request, std::int16_t version, CorrelationId correlation,
                                                 std::string_view client_id) {
  constexpr Api api = Request::kApi;
  FENCEPOST_TRY(const std::string body, encode(request, version));
  if (client_id.size() > 32767) return failure(ErrorKind::InvalidConfig, "client.id is longer than 32767 bytes");
  Writer header;
  header.number(api.key);
  header.number(version);
  header.number(correlation);
  header.number(static_cast<std::int16_t>(client_id.size()));
  header.raw(client_id);
  if (api.flexible(version)) header.unsigned_varint(0);
  Writer frame;
  frame.number(static_cast<std::int32_t>(header.size() + body.size()));
  frame.raw(std::move(header).take());
  frame.raw(body);
  return std::move(frame).take();
}

/// The correlation id of a response frame (without its length); Corrupt where the frame is shorter than that.
[[nodiscard]] Result<CorrelationId> response_correlation(std::string_view frame);

/// The body behind the response's header. Header version 1 has tagged fields, which are passed over; ApiVersions always answers
/// with version 0, so that a client can read it before it knows anything of the broker.
[[nodiscard]] Result<std::string_view> response_body(std::string_view frame, std::int16_t api_key, bool flexible);

}  // namespace fencepost::wire
