#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "fencepost/record.h"
#include "protocol/offsets.h"

namespace fencepost::runtime {

/// A plugin's partition or offset as the offsets topic holds it. InvalidConfig for a nested value, naming its field.
[[nodiscard]] Result<protocol::OffsetMap> to_offset_map(const FieldMap& fields);
[[nodiscard]] FieldMap to_fields(const protocol::OffsetMap& map);

/// Key and value bytes of an offsets topic.
[[nodiscard]] Result<std::string> offset_key_of(std::string_view connector, const FieldMap& partition);
[[nodiscard]] Result<std::string> offset_value_of(const SourceOffset& offset);
/// The fields in a value of an offsets topic; nothing where it is no flat object.
[[nodiscard]] std::optional<FieldMap> parse_offset_value(std::string_view value);

}  // namespace fencepost::runtime
