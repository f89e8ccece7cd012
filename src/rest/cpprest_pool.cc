#include "rest/cpprest_pool.h"

#include <mutex>

#include "rest/cpprest.h"
//
#include <pplx/threadpool.h>

namespace fencepost::rest {
namespace {

/// They carry the client's sockets and continuations, none of which waits.
constexpr std::size_t kThreads = 2;

}  // namespace

void limit_cpprest_threads() {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      crossplat::threadpool::initialize_with_threads(kThreads);
    } catch (const std::exception&) {
      // Somebody in this process has used the pool already; it works, with more threads.
    }
  });
}

}  // namespace fencepost::rest
