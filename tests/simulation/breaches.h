#pragma once

namespace fencepost::simulation {

/// Rules that a world breaks on purpose, to show that its judges see it (judges_test.cc).
struct Breaches {
  bool ownership_unasked = false;      ///< a task takes itself for the owner of its id without asking
  bool ids_unfenced = false;           ///< a leader says that it has fenced the ids of earlier tasks, and has not
  bool task_count_unwritten = false;   ///< a leader acts as if its task-count record were in the log, which it is not
  bool commits_when_fenced = false;    ///< a task goes on committing though a successor has its id
  bool offsets_before_fence = false;   ///< a task reads its offsets before it bars its predecessor
  bool offsets_uncompared = false;     ///< an idle task sends its first batch without looking whether others were there
  bool offset_change_unasked = false;  ///< a leader writes a change of offsets without asking again whether it still may
  bool dealt_twice = false;            ///< the leader gives what one worker has to another as well
  bool dealt_to_one = false;           ///< the leader gives all that it deals to one worker
};

}  // namespace fencepost::simulation
