#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fencepost::simulation {

/// What goes wrong, and how often.
struct Faults {
  double lose_forward = 0;        ///< a request between workers, or its answer, is lost
  double double_forward = 0;      ///< it arrives twice
  double fail_write = 0;          ///< a write to the config topic is reported as failed, though half of them are in
  double slow_read = 0;           ///< reading the config topic takes seconds
  double fail_generate = 0;       ///< a connector throws when it is asked for task configs
  double lose_beat = 0;           ///< a heartbeat or its answer is lost
  double slow_fence = 0;          ///< fencing takes seconds an id
  double fail_fence = 0;          ///< all ids but the last are fenced, then it is reported as failed
  double stumble_in_offsets = 0;  ///< the same in the middle of a change of offsets, which is rarer than these
  double stumble = 0;             ///< a leader dies or sleeps in the middle of fencing, of dealing, of a config write
};

/// How often something rare happened, so that a sweep that never met it can say so.
using Counters = std::map<std::string, std::uint64_t>;

}  // namespace fencepost::simulation
