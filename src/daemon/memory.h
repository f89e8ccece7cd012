#pragma once

namespace fencepost::daemon {

/// Keeps what tasks have freed from staying with the process. Records are made on one thread and freed on another, and each task
/// brings threads that come and go: with glibc's arena for each of them, a worker whose tasks are restarted grows by tens of MiB
/// each time, up to eight arenas a core. Now there are as many as cores, two to four: with a single one a task and its client's
/// thread wait for each other at every record. MALLOC_ARENA_MAX in the environment goes before.
///
/// Threads: before any other thread has been started.
void bound_heap();

}  // namespace fencepost::daemon
