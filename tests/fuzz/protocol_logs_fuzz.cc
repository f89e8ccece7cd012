#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/assert.h"
#include "protocol/config_state.h"
#include "protocol/offsets.h"
#include "protocol/status_state.h"

namespace {

using namespace fencepost;
using Text = std::optional<std::string_view>;

/// The next line; nothing for the line "-", which stands for null.
Text next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line == "-" ? Text() : Text(line);
}

void check(const protocol::ConfigState& state) {
  for (const auto& [name, info] : state.all()) {
    FENCEPOST_ASSERT(state.tasks(name).size() == static_cast<std::size_t>(state.runnable_task_count(name)), "tasks are counted");
    for (const TaskId& task : state.tasks(name))
      FENCEPOST_ASSERT(state.task_config(task) != nullptr, "a task that may run has a config");
    FENCEPOST_ASSERT(info.config || (info.tasks.empty() && !info.inconsistent), "a deleted connector has no tasks");
    FENCEPOST_ASSERT(!info.config || info.target_state, "a connector has a target state");
  }
}

}  // namespace

/// Internal topics with whatever anybody wrote into them: lines are keys and values in turn.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  protocol::ConfigState configs;
  protocol::StatusState statuses;
  protocol::OffsetState offsets;
  for (std::int64_t position = 0; !text.empty(); ++position) {
    const Text key = next_line(text);
    const Text value = next_line(text);
    const LogPosition before = configs.offset();
    const auto read = configs.read(LogPosition(position), key, value);
    FENCEPOST_ASSERT(!read.event || read.warning.empty(), "a record is either applied or skipped");
    FENCEPOST_ASSERT(configs.offset() >= before, "the offset does not go back");
    static_cast<void>(statuses.read(key, value));
    static_cast<void>(offsets.read(key, value));
    if (key) {
      if (const auto parsed = protocol::parse_offset_key(*key)) {
        if (const auto partition = protocol::offset_map_of(parsed->partition))
          static_cast<void>(offsets.offset(parsed->connector, *partition));
      }
    }
  }
  check(configs);
  return 0;
}
