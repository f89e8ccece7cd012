#include "runtime/source_writer.h"

#include "runtime/offset_fields.h"

namespace fencepost::runtime {

Result<std::uint32_t> PartitionNumbers::number(const SourcePartition& partition) {
  if (partition.identity() == last_identity_) return last_number_;
  // A task that makes a handle for each record must not fill the memory.
  constexpr std::size_t kHandlesMax = 4096;
  if (by_identity_.size() >= kHandlesMax) {
    by_identity_.clear();
    last_identity_ = nullptr;
  }
  auto known = by_identity_.find(partition.identity());
  if (known == by_identity_.end()) {
    FENCEPOST_TRY(std::string key, offset_key_of(connector_, partition.fields()));
    const auto [at, added] = by_key_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (added) keys_.push_back(std::move(key));
    known = by_identity_.emplace(partition.identity(), Known{partition, at->second}).first;
  }
  last_identity_ = partition.identity();
  last_number_ = known->second.number;
  return last_number_;
}

RecordOut to_record_out(const ReadyRecord& ready, std::uint64_t tag, std::vector<HeaderOut>& headers) {
  headers.clear();
  const auto view = [](const std::optional<Bytes>& bytes) { return bytes ? std::optional(bytes->view()) : std::nullopt; };
  for (const auto& [key, value] : ready.headers) headers.push_back({key.view(), view(value)});
  return {.topic = ready.topic.view(),
          .partition = ready.partition,
          .key = view(ready.key),
          .value = view(ready.value),
          .timestamp_ms = ready.timestamp_ms,
          .headers = headers,
          .tag = tag};
}

}  // namespace fencepost::runtime
