#pragma once

#include <optional>
#include <vector>

#include "fencepost/data.h"

namespace fencepost {

/// Reads the source offsets that are committed. Under exactly once they are read to the end of the topic, committed records only,
/// before the task starts.
///
/// Threads: the task's (or connector's) own. Calls may take as long as a read of the offsets topic to its end.
/// Errors:  ConnectError where the topic cannot be read.
class OffsetStorageReader {
 public:
  virtual ~OffsetStorageReader() = default;

  /// The offsets of these partitions, in their order; nothing for a partition that has none.
  [[nodiscard]] virtual std::vector<std::optional<FieldMap>> offsets(const std::vector<FieldMap>& partitions) = 0;
  [[nodiscard]] std::optional<FieldMap> offset(const FieldMap& partition) { return offsets({partition}).front(); }
};

}  // namespace fencepost
