// What a broker sends: the body of any answer in any version, and the frame around it.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "wire/apis.h"
#include "wire/decoder.h"
#include "wire/encoder.h"
#include "wire/frame.h"
#include "wire/print.h"

namespace {

using namespace fencepost::wire;

// What decodes must encode, and come back the same: a field that is lost on the way would be found here.
template <class Message>
void decode_and_return(std::string_view body, std::int16_t version) {
  const auto message = decode<Message>(body, version);
  if (!message) return;
  static_cast<void>(print(*message));
  const auto encoded = encode(*message, version);
  FENCEPOST_ASSERT(encoded.has_value(), "what was decoded can be encoded");
  const auto again = decode<Message>(*encoded, version);
  FENCEPOST_ASSERT(again.has_value() && *again == *message, "a message survives the way out and back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const int which = data[0];
  const auto version = static_cast<std::int16_t>(data[1]);
  const std::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  int number = 0;
  for_each_request([&]<class Request>() {
    if (number++ == which >> 1 && Request::kApi.versions.contains(version)) {
      if ((which & 1) != 0) {
        decode_and_return<Request>(body, version);
      } else {
        decode_and_return<typename Request::Response>(body, version);
      }
    }
  });
  static_cast<void>(response_correlation(body));
  static_cast<void>(response_body(body, static_cast<std::int16_t>(which), true));
  return 0;
}
