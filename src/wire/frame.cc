#include "wire/frame.h"

namespace fencepost::wire {

Result<CorrelationId> response_correlation(std::string_view frame) {
  Reader reader(frame);
  const auto correlation = reader.number<CorrelationId>();
  if (reader.failed()) return Failure(Error(reader.error()).while_doing("reading a response's header"));
  return correlation;
}

Result<std::string_view> response_body(std::string_view frame, std::int16_t api_key, bool flexible) {
  Reader reader(frame);
  reader.number<CorrelationId>();
  if (flexible && api_key != kApiVersionsKey) {
    const std::uint32_t count = reader.unsigned_varint();
    for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
      reader.unsigned_varint();
      reader.raw(reader.unsigned_varint());
    }
  }
  if (reader.failed()) return Failure(Error(reader.error()).while_doing("reading a response's header"));
  return reader.raw(reader.left());
}

}  // namespace fencepost::wire
