#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "protocol/group.h"

/// Metadata and assignments of any member: what can be read can be written, and is then written the same again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fencepost::protocol;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto protocol : {ConnectProtocol::Eager, ConnectProtocol::Compatible, ConnectProtocol::Sessioned}) {
    if (const auto assignment = decode_assignment(protocol, bytes)) {
      const auto written = encode_assignment(protocol, *assignment);
      FENCEPOST_ASSERT(written.has_value(), "what was read can be written");
      const auto again = decode_assignment(protocol, *written);
      FENCEPOST_ASSERT(again.has_value() && *encode_assignment(protocol, *again) == *written,
                       "an assignment is written the same again");
    }
    if (const auto metadata = decode_metadata(protocol, bytes)) {
      const auto written = encode_metadata(protocol, *metadata);
      FENCEPOST_ASSERT(written.has_value(), "what was read can be written");
      const auto again = decode_metadata(protocol, *written);
      FENCEPOST_ASSERT(again.has_value() && *encode_metadata(protocol, *again) == *written, "metadata is written the same again");
    }
  }
  return 0;
}
