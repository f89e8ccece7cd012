#include "exactly_once/offset_tracker.h"

#include <utility>

#include "base/assert.h"

namespace fencepost::exactly_once {

OffsetTracker::Partition OffsetTracker::partition(const std::string& key) {
  const auto [it, added] = index_.try_emplace(key, static_cast<std::uint32_t>(queues_.size()));
  if (added) queues_.push_back(Queue{.key = key, .first = 0, .entries = {}});
  return Partition{it->second};
}

OffsetTracker::Submitted OffsetTracker::submit(Partition partition, std::optional<std::string> offset) {
  FENCEPOST_ASSERT(partition.index < queues_.size(), "a partition of this tracker");
  Queue& queue = queues_[partition.index];
  queue.entries.push_back(Entry{.offset = std::move(offset), .state = State::Waiting});
  return Submitted{.partition = partition, .sequence = queue.first + queue.entries.size() - 1};
}

void OffsetTracker::acknowledge(Submitted record) {
  Queue& queue = queues_[record.partition.index];
  FENCEPOST_ASSERT(record.sequence >= queue.first && record.sequence - queue.first < queue.entries.size(),
                   "a record is acknowledged once, after it was submitted");
  queue.entries[record.sequence - queue.first].state = State::Done;
}

void OffsetTracker::withdraw(Submitted record) {
  Queue& queue = queues_[record.partition.index];
  FENCEPOST_ASSERT(record.sequence >= queue.first && record.sequence - queue.first < queue.entries.size(),
                   "only what is on its way can be withdrawn");
  queue.entries[record.sequence - queue.first].state = State::Withdrawn;
}

OffsetTracker::Committable OffsetTracker::take_committable() {
  Committable result;
  result.offsets = std::exchange(restored_, {});
  std::size_t longest = 0;
  for (Queue& queue : queues_) {
    while (!queue.entries.empty() && queue.entries.front().state != State::Waiting) {
      Entry& front = queue.entries.front();
      if (front.state == State::Done) {
        result.offsets[queue.key] = std::move(front.offset);
        ++result.acknowledged;
      }
      queue.entries.pop_front();
      ++queue.first;
    }
    result.waiting += queue.entries.size();
    if (queue.entries.size() > longest) {
      longest = queue.entries.size();
      result.longest_queue = queue.key;
    }
  }
  return result;
}

void OffsetTracker::restore(const Committable& failed) {
  for (const auto& [partition, offset] : failed.offsets) restored_.try_emplace(partition, offset);
}

std::size_t OffsetTracker::in_flight() const {
  std::size_t count = 0;
  for (const Queue& queue : queues_) {
    for (const Entry& entry : queue.entries) count += entry.state == State::Waiting ? 1 : 0;
  }
  return count;
}

}  // namespace fencepost::exactly_once
